"""Indexing: constants by computed indices, arrays by indices, slices and masks; assignment to these."""

import numpy as np

from .code import Buffer, If
from .messages import ConversionError
from .scalar_types import BOOLS, INTEGERS, join
from .values import Array, Choice, DictValue, ListRef, ListState, Scalar, Static, TupleValue, describe, needed, row_major


class Subscripts:
    """Part of the Translator."""

    def subscript(self, value, index):
        value = needed(value)
        if isinstance(value, Static) and self.static_index(index):
            return self.constant_value(self.constant(lambda v, i: v[i], value.obj, self.python_index(index)))
        if isinstance(value, DictValue):
            if not isinstance(index, Static):
                raise ConversionError("a dict by a computed key")
            if index.obj not in value.items:
                raise ConversionError(f"the dict has no {index.obj!r}")
            return value.items[index.obj]
        if self.is_array(value):
            return self.array_subscript(value, index)
        if isinstance(value, Choice) and self.static_index(index):
            return self.choice_subscript(value, self.python_index(index))
        if isinstance(value, ListRef) and self.list_state(value).storage:
            return self.list_subscript(self.list_state(value).storage, index)
        if isinstance(value, (TupleValue, ListRef)):
            items = self.items_of(value)
            if isinstance(index, slice) or isinstance(index, Static):
                picked = self.constant(lambda v, i: v[i], items, self.python_index(index))
                if isinstance(picked, list):
                    return self.new_list(picked) if isinstance(value, ListRef) else TupleValue(tuple(picked), value.unsure)
                return picked
            if all(self.is_number(v) for v in items):
                return self.array_subscript(self.as_array(value, weak=True), index)
            if all(isinstance(v, Static) for v in items):
                return self.subscript(Static([v.obj for v in items]), index)
            return self.array_subscript(self.as_array(value), index)
        if isinstance(value, Static) and isinstance(index, Choice) and (isinstance(value.obj, dict) or not self.is_number(index)):
            return self.collapse(Choice(tuple(self.constant(lambda v, i: v[i], value.obj, o) for o in index.options), index.index))
        if isinstance(value, (Static, Choice)):
            return self.constants_subscript(value, index)
        raise ConversionError(f"an index into {describe(value)}")

    def static_index(self, index):
        if isinstance(index, tuple):
            return all(self.static_index(i) for i in index)
        if isinstance(index, slice):
            return all(isinstance(p, Static) for p in (index.start, index.stop, index.step))
        return isinstance(index, Static)

    def python_index(self, index):
        if isinstance(index, tuple):
            return tuple(self.python_index(i) for i in index)
        if isinstance(index, slice):
            return slice(*[self.python_index(p) for p in (index.start, index.stop, index.step)])
        if not isinstance(index, Static):
            raise ConversionError("a slice whose length is computed: the shape would depend on data")
        return index.obj

    def choice_subscript(self, value, index):
        if len({len(o) for o in value.options if hasattr(o, "__len__")}) > 1 and isinstance(index, int):
            options = tuple(o[index] if -len(o) <= index < len(o) else None for o in value.options)
            filler = next((o for o in options if o is not None), None)
            return self.collapse(Choice(tuple(filler if o is None else o for o in options), value.index))
        return self.collapse(Choice(tuple(self.constant(lambda v, i: v[i], o, index) for o in value.options), value.index))

    def constants_subscript(self, value, index):
        """Constants (tables of tables of anything) by a computed index."""
        if isinstance(index, TupleValue) or isinstance(index, tuple):
            raise ConversionError("a constant by several computed indices; only arrays have these")
        options = value.options if isinstance(value, Choice) else (value.obj,)
        rows, n = [], 0
        for o in options:
            if isinstance(o, dict):
                if sorted(o) != list(range(len(o))):
                    raise ConversionError("a dict by a computed key, and its keys are not 0, 1, 2, ...")
                o = [o[k] for k in range(len(o))]
            if not isinstance(o, (list, tuple, str, bytes, np.ndarray, range)):
                raise ConversionError(f"a computed index into {describe(Static(o))}")
            rows.append(list(o))
            n = max(n, len(rows[-1]))
        if n == 0:
            raise ConversionError("an index into an empty sequence")
        filler = next(x for r in rows for x in r)
        flat = tuple(r[k] if k < len(r) else (r[-1] if r else filler) for r in rows for k in range(n))
        index = self.index_expression(index, n)
        code = index if len(rows) == 1 else f"({value.index}) * {n} + ({index})"
        return (
            self.collapse(Choice(flat, self.name_it(Scalar("i8", code), "choice").code))
            if not isinstance(flat[0], np.ndarray)
            else Choice(flat, code)
        )

    def index_expression(self, index, n):
        """C++ of a whole number as a place within 0 .. n - 1; negative ones count from the end."""
        index = needed(index)
        t = self.number_type(index)
        if t not in INTEGERS | BOOLS:
            raise ConversionError(f"an index that is {describe(index)}")
        if isinstance(index, Static):
            k = int(index.obj)
            if not -n <= k < n:
                raise ConversionError(f"the index {k} is outside of {n} items")
            return str(k % n)
        if isinstance(index, Choice):
            index = self.choice_number(index)
            if isinstance(index, Static):
                return self.index_expression(index, n)
        index = self.name_it(index, "place")
        code = self.convert(index, "i8")
        if index.bounds and 0 <= index.bounds[0] and index.bounds[1] < n:
            return code
        return f"place({code}, {n})"

    def list_subscript(self, storage, index):
        if isinstance(index, slice):
            raise ConversionError("a slice of a list of varying length")
        if isinstance(index, Static) and index.obj < 0:
            code = f"place({index.obj} + {storage.length}, {storage.size})"
        else:
            code = (
                self.index_expression(index, storage.size)
                if isinstance(index, Static)
                else f"place({self.convert(self.name_it(index, 'place'), 'i8')}, {storage.length})"
            )
        return self.name_it(Scalar(storage.type, self.read_code(storage, code)), "item")

    def array_subscript(self, value, index):
        if isinstance(index, (TupleValue, ListRef)) or isinstance(index, Static) and isinstance(index.obj, (tuple, list)):
            items = self.items_of(index)
            is_tuple = isinstance(index, TupleValue) or isinstance(index, Static) and isinstance(index.obj, tuple)
            if is_tuple:
                index = tuple(items)
            elif isinstance(index, ListRef):
                index = self.as_array(index)
        if self.is_array(index) and self.shape_of(index) != () or isinstance(index, Static) and isinstance(index.obj, (np.ndarray, list)):
            return self.gather(value, index)
        if isinstance(value, Static) and not self.static_index(index):
            full = index if isinstance(index, tuple) else (index,)
            if len(full) == value.obj.ndim and all(not isinstance(i, slice) and self.is_number(i) for i in full):
                place = tuple(self.static_or_code(i, n) for i, n in zip(full, value.obj.shape))
                return self.name_it(self.table_element(value, place), "entry")
            view = self.view(self.constant_array(value), index)
        else:
            view = self.view(value, index)
        if view.shape == ():
            return self.name_it(self.element_code(view, ()), "element") if isinstance(view, Array) else view
        return view

    def static_or_code(self, i, n):
        code = self.index_expression(i, n)
        return int(code) if code.isdigit() else code

    def table_element(self, value, place):
        if value.obj.dtype.kind in "SUO":
            flat = 0
            parts = []
            for p, s in zip(place, row_major(value.obj.shape)):
                parts.append(f"({p}) * {s}")
            return self.collapse(Choice(tuple(value.obj.ravel().tolist()), " + ".join(parts)))
        return self.element_code(value, place)

    def constant_array(self, value):
        """A view of constants in memory, where it is indexed by rows."""
        return self.lift(value, "constants")

    def view(self, array, index):
        index = index if isinstance(index, tuple) else (index,)
        ellipses = [k for k, i in enumerate(index) if isinstance(i, Static) and i.obj is Ellipsis]
        real = sum(1 for i in index if not (isinstance(i, Static) and (i.obj is Ellipsis or i.obj is None)))
        if ellipses:
            k = ellipses[0]
            index = index[:k] + (slice(Static(None), Static(None), Static(None)),) * (len(array.shape) - real) + index[k + 1 :]
        shape, strides, offset, base = [], [], array.offset, [array.base] if array.base else []
        d = 0
        for i in index:
            if isinstance(i, Static) and i.obj is None:
                shape.append(1), strides.append(0)
                continue
            if d >= len(array.shape):
                raise ConversionError(f"too many indices for {describe(array)}")
            n, s = array.shape[d], array.strides[d]
            if isinstance(i, slice):
                i = self.fixed_slice(i, n)
                if isinstance(i, tuple):  # computed start, known length
                    code, length = i
                    base.append(f"({code}) * {s}")
                    shape.append(length), strides.append(s)
                else:
                    start, stop, step = i.indices(n)
                    shape.append(len(range(start, stop, step))), strides.append(s * step)
                    offset += start * s
            elif self.is_number(i) and not (self.is_array(i) and self.shape_of(i) != ()):
                if array.storage.length and d == 0:
                    code = f"place({self.convert(i, 'i8')}, {array.storage.length})"
                else:
                    code = self.index_expression(i, n)
                if code.isdigit():
                    offset += int(code) * s
                else:
                    base.append(f"({code}) * {s}" if s != 1 else code)
            else:
                raise ConversionError(f"an index that is {describe(i)}")
            d += 1
        shape += array.shape[d:]
        strides += array.strides[d:]
        base_code = " + ".join(base) if base else None
        if base_code and not base_code.isidentifier():
            name = self.fresh("place")
            self.out.line(f"const int64_t {name} = {base_code};")
            base_code = name
        return Array(array.storage, tuple(shape), tuple(strides), offset, base_code)

    def fixed_slice(self, s, n):
        """A Python slice; or (C++ of the start, length) of a[i:i + length]."""
        if self.static_index(s):
            return self.python_index(s)
        if isinstance(s.step, Static) and s.step.obj in (None, 1) and isinstance(s.start, Scalar) and isinstance(s.stop, Scalar):
            (base, first), (other, last) = self.split_sum(s.start.code), self.split_sum(s.stop.code)
            length = last - first
            if base == other and length > 0:
                if not s.start.bounds or s.start.bounds[0] < 0 or s.start.bounds[1] > n - length:
                    raise ConversionError(
                        f"a slice that may reach beyond its {n} items, where Python would make it shorter: begin it at a number "
                        "that is known to be small enough (x % n, a range, a Discrete action)"
                    )
                return s.start.code, length
        raise ConversionError("a slice whose length is computed: the shape would depend on data")

    def split_sum(self, code):
        """(what is computed, whole number added to it)."""
        head, plus, tail = code.rpartition(" + int64_t(")
        return (head.strip("()"), int(tail.rstrip(")"))) if plus and tail.rstrip(")").lstrip("-").isdigit() else (code.strip("()"), 0)

    def gather(self, value, index):
        """value[[2, 0, 1]], or value[mask] with a mask that is known."""
        if isinstance(index, Static):
            rows = np.arange(self.shape_of(value)[0])[np.asarray(index.obj)]
            picks = [self.subscript(value, Static(int(r))) for r in rows]
            return self.as_array(TupleValue(tuple(picks)))
        if self.array_type(index) in BOOLS:
            raise ConversionError("a mask that is computed: the shape would depend on data")
        picks = [self.subscript(value, x) for x in self.items_of(index)]
        return self.as_array(TupleValue(tuple(picks)))

    # Assignment

    def assign_subscript(self, target, index, value):
        if isinstance(target, DictValue):
            if not isinstance(index, Static):
                raise ConversionError("a dict by a computed key")
            raise ConversionError("a dict that changes: state must be numbers, arrays, tuples and lists")
        if isinstance(target, Static) and isinstance(target.obj, dict):
            raise ConversionError("a dict that changes: state must be numbers, arrays, tuples and lists")
        if isinstance(target, ListRef):
            return self.assign_list_item(target, index, value)
        if not isinstance(target, Array):
            raise ConversionError(f"an item of {describe(target)} is assigned")
        mask = index
        if isinstance(mask, ListRef) or isinstance(mask, Static) and isinstance(mask.obj, list):
            mask = self.as_array(mask)
        elif isinstance(mask, TupleValue) or isinstance(mask, Static) and isinstance(mask.obj, tuple):
            mask = tuple(self.items_of(mask))
        if self.is_array(mask) and self.array_type(mask) in BOOLS:
            return self.assign_where(target, mask, value)
        if self.is_array(mask) and self.shape_of(mask) != ():
            values = self.as_operand(value)
            for k, place in enumerate(self.items_of(mask)):
                self.assign_subscript(
                    target, place, self.subscript(values, Static(k)) if self.is_array(values) and self.shape_of(values) else values
                )
            return None
        view = self.view(target, mask)
        if view.shape == ():
            return self.write_element(view, (), self.scalar_of(value))
        value = self.as_operand(value)
        if self.is_array(value):
            own = self.shape_of(value)
            try:
                if np.broadcast_shapes(own, view.shape) != view.shape:
                    raise ValueError
            except ValueError:
                raise ConversionError(f"an array {own} does not fit into {view.shape}") from None
            if isinstance(value, Array) and value.storage is view.storage:
                value = self.copied(value)
        else:
            value = self.name_it(value, "filling")
        self.copy_array(self.out, view, value)

    def assign_where(self, target, mask, value):
        if self.shape_of(mask) != target.shape:
            raise ConversionError("a mask of another shape")
        value = self.as_operand(value)
        if self.is_array(value) and self.shape_of(value) != ():
            raise ConversionError("an array into the places of a mask: its length would depend on data")
        value = self.name_it(value, "filling")

        def one(index, buffer):
            test = self.convert(self.element_code(mask, index), "bool")
            then = Buffer(buffer.loop_depth)
            self.write_element(target, index, value, then)
            buffer.add(If(test, then, Buffer()))

        self.for_each(target.shape, one)

    def scalar_of(self, value):
        value = needed(value)
        if self.is_array(value) and self.shape_of(value) != ():
            array = value
            if array.size != 1 if isinstance(array, Array) else array.obj.size != 1:
                raise ConversionError(f"{describe(value)} where one number is needed")
            return self.element_code(array, (0,) * len(self.shape_of(array)))
        if not self.is_number(value):
            raise ConversionError(f"{describe(value)} where a number is needed")
        return value

    def assign_list_item(self, target, index, value):
        state = self.list_state(target)
        if state.storage:
            code = f"place({self.convert(index, 'i8')}, {state.storage.length})"
            self.out.line(f"{state.storage.name}[{code}] = {self.convert(value, state.storage.type)};")
            return
        if isinstance(index, Static) and isinstance(index.obj, int):
            items = list(state.items)
            self.constant(items.__setitem__, index.obj, self.name_it(value, "item"))
            self.env.lists[target.number] = ListState(tuple(items))
            return
        self.to_storage(target, value)
        self.assign_list_item(target, index, value)

    def to_storage(self, ref, *more):
        """A list of numbers moves into memory, so that it may grow or be indexed by what is computed."""
        state = self.list_state(ref)
        if state.storage:
            return state.storage
        types = [self.number_type(v) for v in (*state.items, *more)]
        if None in types or not types:
            raise ConversionError("a list that changes, and holds something else than numbers")
        t = types[0]
        for other in types[1:]:
            t = join(t, other)
        storage = self.declare_list(self.out, t, "list")
        self.copy_list(self.out, storage, state)
        self.env.lists[ref.number] = ListState(storage=storage)
        return storage
