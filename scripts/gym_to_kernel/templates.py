"""What a C++ variable must be to hold a Python name across turns of a loop and steps of an environment."""

import numpy as np

from .merging import same
from .messages import ConversionError
from .scalar_types import CPP, join
from .values import Array, Choice, Opaque, Optional, Scalar, Static, Storage, TupleValue


class Templates:
    """Part of the Translator."""

    def variable(self, value, template, hint):
        """A mutable copy of a value; `template` says what else it must hold: see shape_template."""
        template = template or self.template_of(value)
        kind = template[0]
        if kind == "number":
            name = self.fresh(hint)
            init = f" = {self.convert(value, template[1])}" if value is not None else "{}"
            self.out.line(f"{CPP[template[1]]} {name}{init};")
            return Scalar(template[1], name)
        if kind == "optional":
            flag = self.fresh(f"no_{hint}")
            none = value is None or isinstance(value, Static) and value.obj is None
            self.out.line(f"bool {flag} = {'true' if none else value.is_none if isinstance(value, Optional) else 'false'};")
            inner = None if none else value.value if isinstance(value, Optional) else value
            return Optional(flag, self.variable(inner, template[1], hint))
        if kind == "array":
            storage = self.declare_array(self.out, template[1], template[2], hint)
            if template[1] == "loose":
                storage.rank = self.fresh(f"{hint}_rank")
                rank = (
                    0
                    if value is None
                    else value.storage.rank if isinstance(value, Array) and value.storage.rank else self.rank_of(self.array_type(value))
                )
                self.out.line(f"int32_t {storage.rank} = {rank};")
            array = Array(storage, template[2], self.row_major(template[2]))
            if value is not None:
                self.copy_array(self.out, array, value, raw=True)
                self.note_copy(storage, value)
            return array
        if kind == "tuple":
            items = [None] * len(template[1]) if value is None else self.items_of(value)
            return TupleValue(tuple(self.variable(v, t, f"{hint}_{k}") for k, (v, t) in enumerate(zip(items, template[1]))), template[2])
        if kind == "choice":
            name = self.fresh(hint)
            options = list(template[1])
            place = 0 if value is None else self.choice_place(value, options)
            self.out.line(f"int64_t {name} = {place};")
            return Choice(template[1], name)
        return value

    def choice_place(self, value, options):
        if isinstance(value, Static):
            return str(next(k for k, o in enumerate(options) if type(o) is type(value.obj) and o == value.obj))
        places = [next(k for k, o in enumerate(options) if type(o) is type(x) and o == x) for x in value.options]
        return value.index if places == list(range(len(places))) else self.table_lookup(np.array(places), "i8", value.index)

    def template_of(self, value):
        """What a variable must be to hold a value."""
        if value is None or isinstance(value, Opaque):
            return ("fixed",)
        if isinstance(value, Static) and value.obj is None:
            return ("none",)
        if isinstance(value, Optional):
            return ("optional", self.template_of(value.value))
        t = self.number_type(value) if not self.is_array(value) else None
        if t:
            return ("number", t)
        if self.is_array(value):
            if isinstance(value, Array) and value.storage.length:
                return ("fixed",)
            return ("array", self.array_type(value), self.shape_of(value))
        if isinstance(value, TupleValue) or isinstance(value, Static) and isinstance(value.obj, tuple):
            unsure = isinstance(value, TupleValue) and value.unsure
            return ("tuple", tuple(self.template_of(v) for v in self.items_of(value)), unsure)
        if isinstance(value, (Static, Choice)) and self.countable(value):
            return ("choice", tuple(self.option_order(list(value.options if isinstance(value, Choice) else (value.obj,)))))
        return ("fixed",)

    def join_templates(self, a, b):
        if a == b:
            return a
        if a[0] == "none" or b[0] == "none":
            other = b if a[0] == "none" else a
            return other if other[0] == "optional" else ("optional", other)
        if a[0] == "optional" or b[0] == "optional":
            return ("optional", self.join_templates(a[1] if a[0] == "optional" else a, b[1] if b[0] == "optional" else b))
        if a[0] == b[0] == "number":
            return ("number", join(a[1], b[1]))
        if a[0] == b[0] == "array":
            if a[2] != b[2]:
                raise ConversionError(f"an array of shape {a[2]} or {b[2]}")
            return ("array", join(a[1], b[1]), a[2])
        if a[0] == b[0] == "choice":
            return ("choice", tuple(self.option_order(list(dict.fromkeys(a[1] + b[1])))))
        sides = []
        for t in (a, b):
            if t[0] == "array" and len(t[2]) == 1:
                sides.append((("number", t[1]),) * t[2][0])
            elif t[0] == "tuple":
                sides.append(t[1])
        if len(sides) == 2 and len(sides[0]) == len(sides[1]):
            unsure = a[0] == "array" or b[0] == "array" or a[2] or b[2]
            return ("tuple", tuple(self.join_templates(x, y) for x, y in zip(*sides)), unsure)
        raise ConversionError(f"it is {words_of(a)} or {words_of(b)}")

    def moves(self, variable, value, out):
        if isinstance(variable, Scalar):
            out.append((CPP[variable.type], variable.code, self.convert(value, variable.type)))
        elif isinstance(variable, Optional):
            none = isinstance(value, Static) and value.obj is None
            out.append(("bool", variable.is_none, "true" if none else value.is_none if isinstance(value, Optional) else "false"))
            if not none:
                self.moves(variable.value, value.value if isinstance(value, Optional) else value, out)
        elif isinstance(variable, TupleValue):
            for a, b in zip(variable.items, self.items_of(value)):
                self.moves(a, b, out)
        elif isinstance(variable, Choice):
            out.append(("int64_t", variable.index, self.choice_place(value, list(variable.options))))
        elif isinstance(variable, Array):
            if not same(variable, value):
                key = f"copy {len(self.pending_copies)}"
                self.pending_copies[key] = (variable, value)
                out.append(("copy", key, ""))

    def stage_copy(self, buffer, to, value):
        """An array through a second one, so that copies of each other's arrays do not collide."""
        temp = self.fresh("next")
        buffer.line(f"{'Real' if to.type == 'loose' else CPP[to.type]} {temp}[{to.size}];")
        staged = Array(Storage(temp, to.type, to.size, rank=to.storage.rank), to.shape, self.row_major(to.shape))
        self.copy_array(buffer, staged, value, raw=True)
        lines = []
        i = self.fresh("i")
        if to.type == "loose":
            rank = value.storage.rank if isinstance(value, Array) and value.storage.rank else self.rank_of(self.array_type(value))
            lines.append(f"{to.storage.rank} = {rank};")
        lines.append(f"for (int64_t {i} = 0; {i} < {to.size}; ++{i}) {to.storage.name}[{i}] = {temp}[{i}];")
        return lines


def words_of(t):
    return (
        {
            "number": f"a number ({t[1]})",
            "array": f"an array {t[2]} of {t[1]}" if len(t) > 2 else "",
            "tuple": "a tuple",
            "fixed": "an object",
        }.get(t[0], t[0])
        if len(t) > 1
        else "an object"
    )
