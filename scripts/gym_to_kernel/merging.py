"""Where paths of a program meet: each name becomes one C++ variable that every path assigns."""

import numpy as np

from .messages import ConversionError
from .scalar_types import CPP, join, type_of_object
from .values import (
    Array,
    Choice,
    DictValue,
    Function,
    Generator,
    ListRef,
    ListState,
    Method,
    Opaque,
    Optional,
    RangeValue,
    Scalar,
    Self,
    Static,
    TupleValue,
    describe,
    row_major,
)


def same_constant(a, b):
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    try:
        return bool(a == b)
    except Exception:
        return False


def same(a, b):
    """Whether two values are the same thing in the kernel."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Static):
        return same_constant(a.obj, b.obj)
    if isinstance(a, Scalar):
        return a.code == b.code and a.type == b.type
    if isinstance(a, TupleValue):
        return len(a.items) == len(b.items) and all(map(same, a.items, b.items))
    if isinstance(a, DictValue):
        return list(a.items) == list(b.items) and all(same(a.items[k], b.items[k]) for k in a.items)
    if isinstance(a, Array):
        return a.storage is b.storage and (a.shape, a.strides, a.offset, a.base) == (b.shape, b.strides, b.offset, b.base)
    if isinstance(a, Choice):
        return a.options is b.options and a.index == b.index
    if isinstance(a, Optional):
        return a.is_none == b.is_none and same(a.value, b.value)
    if isinstance(a, ListRef):
        return a.number == b.number
    if isinstance(a, Function):
        return a.source.node is b.source.node
    if isinstance(a, Method):
        return a.name == b.name and same(a.receiver, b.receiver)
    if isinstance(a, RangeValue):
        return a.step == b.step and same(a.start, b.start) and same(a.stop, b.stop)
    if isinstance(a, (Self, Generator, Opaque)):
        return True
    return False


def same_list(a, b):
    return a.storage is b.storage and len(a.items) == len(b.items) and all(map(same, a.items, b.items))


class Merging:
    """Part of the Translator. A path is (buffer at its end, env there)."""

    def merge_paths(self, declare, paths):
        """The env after paths meet; `declare` is a buffer before them."""
        if len(paths) == 1:
            return paths[0][1]
        first = paths[0][1]
        result = first.copy()
        self.merged = {}  # (ids of values) -> merged value, so that names of one array stay names of one array
        for number in {n for _, env in paths for n in env.lists}:
            states = [(buffer, env.lists[number]) for buffer, env in paths if number in env.lists]
            result.lists[number] = self.merge_lists(declare, states, f"list_{number}")
        self.paths_envs = [env for _, env in paths]
        for f in range(len(first.frames)):
            result.frames[f] = self.merge_names(declare, [(b, env.frames[f]) for b, env in paths], result)
        result.fresh = set.intersection(*[env.fresh for _, env in paths])
        result.attrs = self.merge_names(declare, [(b, env.attrs) for b, env in paths], result)
        return result

    def merge_names(self, declare, paths, result):
        names = {}
        for _, values in paths:
            names.update(dict.fromkeys(values))
        out = {}
        for name in names:
            # A path without the name would be an error in Python, so its value there does not matter.
            here = [(b, v[name]) for b, v in paths if name in v]
            out[name] = self.merge_values(declare, here, name, result)
        return out

    def merge_values(self, declare, paths, hint, result):
        """One value for all paths; Opaque where there can't be one."""
        values = [v for _, v in paths]
        if all(same(values[0], v) for v in values[1:]):
            return values[0]
        key = tuple(id(v) for v in values)
        if key in self.merged:
            return self.merged[key]
        try:
            value = self.merge_different(declare, paths, hint, result)
        except ConversionError as e:
            value = Opaque(f"{hint} is {' or '.join(dict.fromkeys(describe(v) for v in values))}: {e.reason}")
        self.merged[key] = value
        self.kept.append(values)  # ids stay in use
        return value

    def merge_different(self, declare, paths, hint, result):
        values = [v for _, v in paths]
        for v in values:
            if isinstance(v, Opaque):
                raise ConversionError(v.reason)
        nothing = [isinstance(v, Static) and v.obj is None for v in values]
        if any(nothing) or any(isinstance(v, Optional) for v in values):
            flag = self.fresh(f"no_{hint}")
            declare.line(f"bool {flag} = true;")
            some = []
            for (buffer, v), none in zip(paths, nothing):
                buffer.line(f"{flag} = {'true' if none else v.is_none if isinstance(v, Optional) else 'false'};")
                if not none:
                    some.append((buffer, v.value if isinstance(v, Optional) else v))
            inner = self.merge_values(declare, some, hint, result)
            if len(some) == 1 and not isinstance(inner, Static):  # it must be visible after the path
                inner = self.lift_out(declare, some[0], hint)
            return Optional(flag, inner)
        types = [self.number_type(v) for v in values]
        if all(types):
            t = types[0]
            for other in types[1:]:
                t = join(t, other)
            name = self.fresh(hint)
            declare.line(f"{CPP[t]} {name}{{}};")
            for buffer, v in paths:
                buffer.line(f"{name} = {self.convert(v, t)};")
            return Scalar(t, name)
        if all(isinstance(v, (Static, Choice)) for v in values) and all(self.countable(v) for v in values):
            return self.merge_choices(declare, paths, hint)
        sequences = [self.sequence_of(v, result, buffer, env_index) for env_index, (buffer, v) in enumerate(paths)]
        if all(s is not None for s in sequences) and not all(self.is_array(v) for v in values):
            if len({len(s) for s in sequences}) != 1:
                raise ConversionError("sequences of different length")
            items = tuple(
                self.merge_values(declare, [(b, s[i]) for (b, _), s in zip(paths, sequences)], f"{hint}_{i}", result)
                for i in range(len(sequences[0]))
            )
            return TupleValue(items, unsure=any(self.is_array(v) for v in values))
        if all(self.is_array(v) for v in values):
            return self.merge_arrays(declare, paths, hint)
        if all(isinstance(v, ListRef) for v in values):
            number = self.new_list_number()
            states = [(b, env.lists[v.number]) for (b, v), env in zip(paths, self.paths_envs)]
            result.lists[number] = self.merge_lists(declare, states, hint)
            return ListRef(number)
        raise ConversionError("no C++ type holds both")

    def lift_out(self, declare, path, hint):
        """A value of one path, in variables that are declared before it."""
        buffer, value = path
        if isinstance(value, Scalar):
            name = self.fresh(hint)
            declare.line(f"{CPP[value.type]} {name}{{}};")
            buffer.line(f"{name} = {value.code};")
            return Scalar(value.type, name)
        if isinstance(value, TupleValue):
            return TupleValue(tuple(self.lift_out(declare, (buffer, v), hint) for v in value.items), value.unsure)
        if isinstance(value, Array):
            return self.merge_arrays(declare, [path], hint)
        return value

    def countable(self, v):
        options = v.options if isinstance(v, Choice) else (v.obj,)
        return all(isinstance(o, (str, bytes)) for o in options)

    def merge_choices(self, declare, paths, hint):
        options = []
        for _, v in paths:
            for o in v.options if isinstance(v, Choice) else (v.obj,):
                if not any(same_constant(o, p) for p in options):
                    options.append(o)
        options = self.option_order(options)
        name = self.fresh(hint)
        declare.line(f"int64_t {name}{{}};")
        place = {
            i: next(k for k, p in enumerate(options) if same_constant(o, p))
            for _, v in paths
            for i, o in [(id(o), o) for o in (v.options if isinstance(v, Choice) else (v.obj,))]
        }
        for buffer, v in paths:
            if isinstance(v, Choice):
                places = [place[id(o)] for o in v.options]
                code = v.index if places == list(range(len(places))) else self.table_lookup(np.array(places), "i8", v.index)
                buffer.line(f"{name} = {code};")
            else:
                buffer.line(f"{name} = {place[id(v.obj)]};")
        return Choice(tuple(options), name)

    def option_order(self, options):
        """Always the same order, so that a state keeps its meaning."""
        return sorted(options, key=repr)

    def is_array(self, v):
        return isinstance(v, Array) or isinstance(v, Static) and isinstance(v.obj, np.ndarray)

    def sequence_of(self, v, result, buffer, path):
        """Items of a tuple, a list of known length, or a one-dimensional array."""
        if isinstance(v, TupleValue):
            return v.items
        if isinstance(v, Static) and isinstance(v.obj, (tuple, list)):
            return tuple(Static(o) for o in v.obj)
        if isinstance(v, Array) and len(v.shape) == 1 and v.storage.length is None:
            return tuple(self.element_code(v, (i,)) for i in range(v.shape[0]))
        if isinstance(v, Static) and isinstance(v.obj, np.ndarray) and v.obj.ndim == 1:
            return tuple(Static(o) for o in v.obj)
        return None

    def merge_arrays(self, declare, paths, hint):
        shapes = {self.shape_of(v) for _, v in paths}
        if len(shapes) != 1:
            raise ConversionError("arrays of different shape")
        shape = shapes.pop()
        if any(isinstance(v, Array) and v.storage.length for _, v in paths):
            raise ConversionError("an array of varying length")
        types = [self.array_type(v) for _, v in paths]
        t = types[0]
        for other in types[1:]:
            t = join(t, other)
        storage = self.declare_array(declare, t, shape, hint)
        if t == "loose":
            storage.rank = self.fresh(f"{hint}_rank")
            declare.line(f"int32_t {storage.rank}{{}};")
        merged = Array(storage, shape, row_major(shape))
        for buffer, v in paths:
            if t == "loose":
                rank = v.storage.rank if isinstance(v, Array) and v.storage.rank else {"f4": 1}.get(self.array_type(v), 2)
                buffer.line(f"{storage.rank} = {rank};")
            self.copy_array(buffer, merged, v, raw=True)
            self.note_copy(storage, v)
        return merged

    def merge_lists(self, declare, states, hint):
        lists = [s for _, s in states]
        if all(same_list(lists[0], s) for s in lists[1:]):
            return lists[0]
        if all(s.storage is None for s in lists) and len({len(s.items) for s in lists}) == 1:
            items = [
                self.merge_values(declare, [(b, s.items[i]) for b, s in states], f"{hint}_{i}", None) for i in range(len(lists[0].items))
            ]
            return ListState(tuple(items))
        t = None
        for s in lists:
            for here in [s.storage.type] if s.storage else [self.number_type(v) for v in s.items]:
                if here is None:
                    raise ConversionError("a list of varying length holds something else than numbers")
                t = here if t is None else join(t, here)
        storage = self.declare_list(declare, t or "int", hint)
        for buffer, s in states:
            self.copy_list(buffer, storage, s)
        return ListState(storage=storage)

    def number_type(self, v):
        """Of what can be one number; else None."""
        if isinstance(v, Scalar):
            return v.type
        if isinstance(v, Static):
            return type_of_object(v.obj)
        if isinstance(v, Choice):
            types = [type_of_object(o) for o in v.options]
            if all(types):
                t = types[0]
                for other in types[1:]:
                    t = join(t, other)
                return t
        if isinstance(v, Array) and v.shape == () or isinstance(v, Static) and isinstance(v.obj, np.ndarray) and v.obj.shape == ():
            return self.array_type(v)
        return None
