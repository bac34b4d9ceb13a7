"""The state of an environment: which attributes live on from step to step, and the fields that hold them."""

from dataclasses import dataclass

from .messages import ConversionError
from .scalar_types import BOOLS, CPP, FLOATS
from .values import Array, Choice, ListRef, ListState, Opaque, Optional, Scalar, Static, Storage, TupleValue, row_major


@dataclass
class Field:
    name: str
    ctype: str  # Real, int32_t or bool
    size: int = 0  # of an array; 0: one number
    origin: str = ""  # in words: the attribute and part of it


def field_type(t):
    return "Real" if t in FLOATS else "bool" if t in BOOLS else "int32_t"


class StateLayout:
    """Attributes with what their variables must hold (Statements.template_of), as fields of the State struct."""

    def __init__(self, templates):
        self.templates, self.fields, self.taken = templates, [], set()
        for name, template in templates.items():
            self.add(name, template, f"self.{name}")

    def add(self, name, template, origin):
        kind = template[0]
        if kind in ("constant", "none", "opaque", "fixed"):
            return
        if kind == "number":
            self.fields.append(Field(name, field_type(template[1]), 0, origin))
            if template[1] == "loose":
                self.fields.append(Field(f"{name}_rank", "int32_t", 0, f"precision of {origin}"))
        elif kind == "array":
            size = 1
            for n in template[2]:
                size *= n
            self.fields.append(Field(name, field_type(template[1]), max(size, 1), f"{origin}, {template[2]} of {template[1]}"))
            if template[1] == "loose":
                self.fields.append(Field(f"{name}_rank", "int32_t", 0, f"precision of {origin}"))
        elif kind == "optional":
            self.fields.append(Field(f"{name}_none", "bool", 0, f"{origin} is None"))
            self.add(name, template[1], origin)
        elif kind in ("tuple", "list"):
            for k, t in enumerate(template[1]):
                self.add(f"{name}_{k}", t, f"{origin}[{k}]")
        elif kind == "choice":
            self.fields.append(Field(name, "int32_t", 0, f"{origin}: {', '.join(repr(o) for o in template[1])}"[:100]))
        elif kind == "grows":
            self.fields.append(Field(name, field_type(template[1]), template[2], f"{origin}, a list"))
            self.fields.append(Field(f"{name}_length", "int32_t", 0, f"length of {origin}"))

    def load(self, t, name, template):
        """The attribute's value at the start of a step, in translator t."""
        kind = template[0]
        if kind == "constant":
            return t.constant_value(template[1])
        if kind == "none":
            return Static(None)
        if kind in ("opaque", "fixed"):
            return Opaque(template[1] if len(template) > 1 else f"self.{name} holds an object")
        if kind == "number":
            local = t.fresh(name)
            if template[1] == "loose":
                t.out.line(f"const Loose<Real> {local} = {{s.{name}, s.{name}_rank}};")
            else:
                t.out.line(f"const {CPP[template[1]]} {local} = {self.cast(template[1], f's.{name}')};")
            return Scalar(template[1], local)
        if kind == "array":
            return self.state_array(name, template)
        if kind == "optional":
            local = t.fresh(f"no_{name}")
            t.out.line(f"const bool {local} = s.{name}_none;")
            return Optional(local, self.load(t, name, template[1]))
        if kind == "tuple":
            return TupleValue(tuple(self.load(t, f"{name}_{k}", x) for k, x in enumerate(template[1])), template[2])
        if kind == "choice":
            local = t.fresh(name)
            t.out.line(f"const int64_t {local} = s.{name};")
            return Choice(template[1], local)
        if kind == "list":
            return t.new_list([self.load(t, f"{name}_{k}", x) for k, x in enumerate(template[1])])
        if kind == "grows":
            number = t.new_list_number()
            storage = self.growing(name, template)
            t.env.lists[number] = ListState(storage=storage)
            return ListRef(number)
        raise AssertionError(kind)

    def cast(self, type, code):
        return code if CPP[type] == field_type(type) else f"{CPP[type]}({code})"

    def state_array(self, name, template):
        size = 1
        for n in template[2]:
            size *= n
        storage = Storage(f"s.{name}", template[1], size, cast=CPP[template[1]] != field_type(template[1]) and template[1] != "loose")
        if template[1] == "loose":
            storage.rank = f"s.{name}_rank"
        return Array(storage, template[2], row_major(template[2]))

    def growing(self, name, template):
        return Storage(f"s.{name}", template[1], template[2], cast=CPP[template[1]] != field_type(template[1]), length=f"s.{name}_length")

    def store_all(self, t, names):
        """The attributes' values at the end of a step or reset, into the fields. Arrays of other fields are read first."""
        lines, outer = [], t.out
        staged = t.out.block(type(t.out)())
        final = type(t.out)()
        for name in names:
            template = self.templates[name]
            if name not in t.env.attrs:
                continue
            try:
                self.store(t, staged, final, name, template, t.env.attrs[name])
            except ConversionError as e:
                raise ConversionError(f"self.{name}, which is part of the state: {e.reason}") from None
        outer.block(final)
        return lines

    def store(self, t, staged, final, name, template, value):
        kind = template[0]
        if kind in ("constant", "none", "opaque", "fixed"):
            return
        if kind == "number":
            if template[1] == "loose":
                local = t.fresh(name)
                staged.line(f"const Loose<Real> {local} = {t.convert(value, 'loose')};")
                final.line(f"s.{name} = {local}.v, s.{name}_rank = {local}.rank;")
                return
            code = t.convert(value, template[1])
            if not (isinstance(value, Scalar) and code == f"s.{name}"):
                final.line(
                    f"s.{name} = {code};"
                    if CPP[template[1]] == field_type(template[1])
                    else f"s.{name} = {field_type(template[1])}({code});"
                )
        elif kind == "array":
            if isinstance(value, Array) and value.storage.name == f"s.{name}" and value.contiguous and not value.offset and not value.base:
                return
            own = self.state_array(name, template)
            if template[1] == "loose":
                rank = value.storage.rank if isinstance(value, Array) and value.storage.rank else t.rank_of(t.array_type(value))
                local = t.fresh("rank")
                staged.line(f"const int32_t {local} = {rank};")
                final.line(f"s.{name}_rank = {local};")
            if t.shape_of(value) != template[2]:
                raise ConversionError(f"its shape is {template[2]} or {t.shape_of(value)}")
            source = value
            if isinstance(value, Array) and value.storage.name.startswith("s."):
                outer, t.out = t.out, staged
                source = t.copied(value) if template[1] != "loose" else value
                t.out = outer
            t.copy_array(final, own, source, raw=True)
        elif kind == "optional":
            none = isinstance(value, Static) and value.obj is None
            final.line(f"s.{name}_none = {'true' if none else value.is_none if isinstance(value, Optional) else 'false'};")
            if not none:
                self.store(t, staged, final, name, template[1], value.value if isinstance(value, Optional) else value)
        elif kind in ("tuple", "list"):
            outer, t.out = t.out, staged
            items = t.items_of(value)
            t.out = outer
            for k, (x, v) in enumerate(zip(template[1], items)):
                self.store(t, staged, final, f"{name}_{k}", x, v)
        elif kind == "choice":
            final.line(f"s.{name} = int32_t({t.choice_place(value, list(template[1]))});")
        elif kind == "grows":
            state = t.list_state(value) if isinstance(value, ListRef) else ListState(tuple(t.items_of(value)))
            if state.storage is None or state.storage.name != f"s.{name}":
                t.copy_list(final, self.growing(name, template), state)

    def read(self, instance):
        """Numbers of an official environment in the order of the fields' rows: reals, then whole numbers."""
        rows = {}
        for name, template in self.templates.items():
            self.read_value(rows, name, template, getattr(instance, name))
        reals, wholes = [], []
        for f in self.fields:
            (reals if f.ctype == "Real" else wholes).extend(rows[f.name])
        return reals + wholes

    def read_value(self, rows, name, template, value):
        import numpy as np

        kind = template[0]
        if kind == "number":
            rows[name] = [0 if value is None else value]
            if template[1] == "loose":
                rows[f"{name}_rank"] = [rank_of_object(value)]
        elif kind == "array":
            array = np.zeros(template[2]) if value is None else np.asarray(value)
            rows[name] = array.ravel().tolist()
            if template[1] == "loose":
                rows[f"{name}_rank"] = [rank_of_object(array)]
        elif kind == "optional":
            rows[f"{name}_none"] = [value is None]
            self.read_value(rows, name, template[1], value)
        elif kind in ("tuple", "list"):
            for k, x in enumerate(template[1]):
                self.read_value(rows, f"{name}_{k}", x, None if value is None else value[k])
        elif kind == "choice":
            rows[name] = [template[1].index(value)]
        elif kind == "grows":
            rows[name] = list(value) + [float("nan")] * (template[2] - len(value))  # what is beyond the length is nothing
            rows[f"{name}_length"] = [len(value)]


def rank_of_object(value):
    dtype = getattr(value, "dtype", None)
    return 0 if dtype is None else 1 if dtype.itemsize < 8 else 2
