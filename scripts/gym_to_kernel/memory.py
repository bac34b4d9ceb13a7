"""Arrays in memory: declaring, reading, writing, views, and tables of constants."""

import numpy as np

from .code import Buffer, Loop
from .messages import ConversionError
from .scalar_types import BOOLS, CPP, FLOATS, INTEGERS, literal, type_of_dtype, type_of_object
from .values import Array, Choice, Scalar, Static, Storage, describe, row_major

UNROLL = 16  # up to this many elements are written one by one, which the compiler keeps in registers


def index_code(parts):
    """C++ of a sum of whole numbers and expressions."""
    fixed = sum(p for p in parts if isinstance(p, int))
    terms = [p for p in parts if not isinstance(p, int)]
    if fixed or not terms:
        terms.append(str(fixed))
    return " + ".join(terms)


def scaled(index, stride):
    if isinstance(index, int):
        return index * stride
    return index if stride == 1 else 0 if stride == 0 else f"({index}) * {stride}" if not index.isidentifier() else f"{index} * {stride}"


class Memory:
    """Part of the Translator."""

    def fresh(self, hint):
        """A C++ name that is not in use, close to a Python one."""
        base = "".join(c if c.isalnum() and c.isascii() else "_" for c in str(hint)).strip("_").lower() or "v"
        if base[0].isdigit():
            base = f"v{base}"
        name = base
        while name in self.names or name in self.reserved:
            n = self.name_counts[base] = self.name_counts.get(base, -1) + 1
            name = f"{base}_{n}"
        self.names.add(name)
        return name

    def declare_array(self, buffer, type, shape, hint, length=None):
        size = int(np.prod(shape, dtype=np.int64)) if shape else 1
        if size == 0:
            size = 1
        name = self.fresh(hint)
        ctype = "Real" if type == "loose" else CPP[type]
        buffer.line(f"{ctype} {name}[{size}]{{}};")
        return Storage(name, type, size, length=length)

    def declare_list(self, buffer, type, hint):
        storage = self.declare_array(buffer, type, (self.list_capacity,), hint)
        storage.length = self.fresh(f"{hint}_length")
        buffer.line(f"int64_t {storage.length} = 0;")
        return storage

    def copy_list(self, buffer, storage, state):
        """What a list holds, into a storage with a length."""
        if state.storage is storage:
            return
        if state.storage is None:
            for i, v in enumerate(state.items):
                buffer.line(f"{storage.name}[{i}] = {self.convert(v, storage.type)};")
            buffer.line(f"{storage.length} = {len(state.items)};")
            return
        i = self.fresh("i")
        body = Buffer()
        source = Scalar(state.storage.type, f"{self.read_code(state.storage, i)}")
        body.line(f"{storage.name}[{i}] = {self.convert(source, storage.type)};")
        buffer.add(Loop(f"for (int64_t {i} = 0; {i} < {state.storage.length}; ++{i})", body))
        buffer.line(f"{storage.length} = {state.storage.length};")

    def read_code(self, storage, index):
        code = f"{storage.name}[{index}]"
        if storage.type == "loose":
            return f"Loose<Real>{{{code}, {storage.rank}}}"
        return f"{CPP[storage.type]}({code})" if storage.cast else code

    def element_code(self, array, index):
        """Element at whole numbers and C++ expressions, as it is in memory at this moment."""
        if isinstance(array, Static):
            arr = array.obj
            if all(isinstance(i, int) for i in index):
                return Static(arr[tuple(index)])
            place = index_code([scaled(i, s) for i, s in zip(index, row_major(arr.shape))])
            return Scalar(type_of_dtype(arr.dtype), self.table_lookup(arr, type_of_dtype(arr.dtype), place))
        parts = [array.offset] + ([array.base] if array.base else []) + [scaled(i, s) for i, s in zip(index, array.strides)]
        return Scalar(array.type, self.read_code(array.storage, index_code(parts)))

    def read_element(self, array, index):
        """Element as a value that stays, whatever is written later."""
        value = self.element_code(array, index)
        return value if isinstance(value, Static) else self.name_it(value, "element")

    def write_element(self, array, index, value, buffer=None, raw=False):
        s = array.storage
        if s.frozen:
            raise ConversionError(s.frozen)
        if not raw:
            self.check_write(s)
        parts = [array.offset] + ([array.base] if array.base else []) + [scaled(i, st) for i, st in zip(index, array.strides)]
        place = f"{s.name}[{index_code(parts)}]"
        if s.type == "loose":
            code = (
                f"Loose<Real>{{{self.convert(value, 'loose')}.v, {s.rank}}}.rounded()" if not raw else self.convert(value, "loose") + ".v"
            )
        else:
            code = self.convert(value, s.type)
        (buffer or self.out).line(f"{place} = {code};")

    def for_each(self, shape, do, buffer=None, length=None):
        """do(index, buffer) for every element, in row-major order; unrolled where there are few."""
        buffer = buffer or self.out
        total = int(np.prod(shape, dtype=np.int64)) if shape else 1
        if total <= UNROLL and length is None:
            for index in np.ndindex(*shape):
                do(tuple(int(i) for i in index), buffer)
            return
        index = []
        for d, n in enumerate(shape):
            i = self.fresh("ijkl"[d] if d < 4 else "m")
            body = Buffer(buffer.loop_depth + 1)
            limit = length if length is not None and d == 0 else n
            buffer.add(Loop(f"for (int64_t {i} = 0; {i} < {limit}; ++{i})", body))
            buffer, index = body, index + [i]
        do(tuple(index), buffer)

    def copy_array(self, buffer, to, value, raw=False):
        """value, an array of the same shape or one that broadcasts, into `to`."""

        def one(index, b):
            self.write_element(to, index, self.broadcast_element(value, to.shape, index), b, raw)

        self.for_each(to.shape, one, buffer)

    def broadcast_element(self, value, shape, index):
        """What stands at `index` of `shape` in a value that broadcasts to it."""
        if not self.is_array(value):
            return value
        own = self.shape_of(value)
        return self.element_code(
            value,
            tuple(0 if n == 1 and shape[d + len(shape) - len(own)] != 1 else index[d + len(shape) - len(own)] for d, n in enumerate(own)),
        )

    def shape_of(self, value):
        return (
            value.shape
            if isinstance(value, Array)
            else value.obj.shape if isinstance(value, Static) and hasattr(value.obj, "shape") else ()
        )

    def array_type(self, value):
        return value.type if isinstance(value, Array) else type_of_dtype(value.obj.dtype)

    def table_lookup(self, values, type, index):
        """A constant by a C++ index."""
        values = np.asarray(values)
        key = (values.tobytes(), type, values.size)
        if key not in self.tables:
            self.tables[key] = f"table_{len(self.tables)}", values.ravel(), type
        return f"{self.tables[key][0]}({index})"

    def convert(self, value, to):
        """C++ of a number, as type `to`."""
        if isinstance(value, Static):
            obj = value.obj.item() if isinstance(value.obj, np.ndarray) and value.obj.shape == () else value.obj
            kind = type_of_object(obj)
            if kind is None:
                raise ConversionError(f"a number is needed, this is {describe(value)}")
            if to in INTEGERS and to not in ("int",) and not isinstance(obj, (bool, np.bool_)):
                obj = int(obj)
                if to != "i8":
                    obj = int(np.array(obj).astype(to))
            if to == "loose":
                return f"Loose<Real>{{{literal(obj, 'f8')}, {self.rank_of(kind)}}}"
            return literal(obj, to)
        if isinstance(value, Choice):
            value = self.choice_number(value)
        if isinstance(value, Array) and value.size == 1 and value.storage.length is None:
            value = self.element_code(value, (0,) * len(value.shape))
        if not isinstance(value, Scalar):
            raise ConversionError(f"a number is needed, this is {describe(value)}")
        if value.type == to or CPP[value.type] == CPP[to]:
            return value.code
        if to in BOOLS:
            return f"({value.code} != 0)"
        if to == "loose":
            return f"Loose<Real>{{Real({value.code}), {self.rank_of(value.type)}}}"
        if value.type == "loose":
            return f"{CPP[to]}({value.code}.v)"
        return f"{CPP[to]}({value.code})"

    def rank_of(self, type):
        return 0 if type in ("bool", "int", "float") else 1 if type in ("f4", "b1", "i1", "i2", "u1", "u2") else 2

    def choice_number(self, choice):
        t = self.number_type(choice)
        if t is None:
            raise ConversionError(f"a number is needed, this is {describe(choice)}")
        values = np.array([float(o) if t in FLOATS else int(o) for o in choice.options])
        if len(set(values.tolist())) == 1:
            return Static(choice.options[0])
        return Scalar(
            t,
            (
                self.table_lookup(values, "f8" if t in FLOATS else t, choice.index)
                if t != "f4"
                else f"float({self.table_lookup(values, 'f8', choice.index)})"
            ),
            (int(values.min()), int(values.max())) if t in INTEGERS else None,
        )

    def name_it(self, value, hint):
        """A number in a C++ constant of its own, unless it is a name or constant already."""
        if isinstance(value, Choice) and self.number_type(value):
            if len(set(map(repr, value.options))) == 1:
                return Static(value.options[0])
            return value
        if not isinstance(value, Scalar) or value.code.isidentifier() or self.is_literal(value.code):
            return value
        name = self.fresh(hint)
        self.out.line(f"const {CPP[value.type]} {name} = {value.code};")
        return Scalar(value.type, name, value.bounds)

    def is_literal(self, code):
        return code in ("true", "false") or code.lstrip("-").replace(".", "", 1).isdigit()

    def new_array(self, type, shape, hint="array"):
        if type == "loose":
            raise ConversionError(
                "an array of numbers that are float32 on one path and not on another; make them one with np.float64 or np.float32"
            )
        storage = self.declare_array(self.out, type, shape, hint)
        return Array(storage, tuple(shape), row_major(shape))

    def lift(self, value, hint="array"):
        """A constant array, in memory so that it can be written."""
        if isinstance(value, Static) and isinstance(value.obj, np.ndarray):
            array = self.new_array(type_of_dtype(value.obj.dtype), value.obj.shape, hint)
            if not np.any(value.obj):
                return array  # declared as zeros
            self.copy_array(self.out, array, value)
            return array
        return value

    def new_list_number(self):
        self.list_count += 1
        return self.list_count

    def list_state(self, ref):
        return self.env.lists[ref.number]
