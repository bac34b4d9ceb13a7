"""Casts, and arrays from numbers and sequences."""

import numpy as np

from .messages import ConversionError
from .scalar_types import INTEGERS, join, promote, type_of_dtype
from .values import Array, Choice, ListRef, Scalar, Static, describe, needed, row_major


class ArrayCreation:
    """Part of the Translator."""

    def numpy_type(self, t):
        return {"bool": "b1", "int": "i8", "float": "f8", "loose": "f8"}.get(t, t)

    def cast(self, v, to):
        """To a NumPy type: a number, or every element."""
        v = self.as_operand(v)
        if self.is_array(v) and self.shape_of(v) != ():
            if self.plain(v):
                return Static(v.obj.astype(np.dtype(self.numpy_type(to))))
            return self.elementwise(lambda x: self.cast_number(x, to), [v], type=to)
        return self.cast_number(v, to)

    def cast_number(self, v, to):
        if isinstance(v, Static):
            return Static(np.dtype(self.numpy_type(to)).type(v.obj))
        return Scalar(
            to, self.convert(v, to), v.bounds if isinstance(v, Scalar) and to in ("i8", "i4", "int") and v.type in INTEGERS else None
        )

    def as_array(self, v, dtype=None, weak=False):
        """np.asarray: numbers and nested sequences, of known length."""
        v = needed(v)
        if isinstance(v, ListRef) and self.list_state(v).storage:
            s = self.list_state(v).storage
            t = dtype or (s.type if weak else self.numpy_type(s.type))
            return (
                self.elementwise(lambda x: Scalar(t, self.convert(x, t)), [Array(s, (s.size,), (1,))], type=t)
                if t != s.type
                else Array(s, (s.size,), (1,))
            )
        if self.is_array(v):
            return v if dtype is None or self.array_type(v) == dtype else self.cast(v, dtype)
        if self.plain(v) and not weak:
            obj = np.array(self.python_object(v), dtype=dtype and np.dtype(dtype))
            if obj.dtype == object:
                raise ConversionError("an array of objects")
            return Static(obj)
        if isinstance(v, Choice) and not self.is_number(v):
            arrays = [np.array(o) for o in v.options]
            if len({a.shape for a in arrays}) != 1:
                raise ConversionError("arrays of different shapes")
            stacked = np.array(arrays)
            index = v.index if v.index.isidentifier() else self.name_it(Scalar("i8", v.index), "choice").code
            return self.array_subscript(
                Static(stacked if dtype is None else stacked.astype(dtype)), Scalar("i8", index, (0, len(arrays) - 1))
            )
        if self.is_number(v):
            t = dtype or self.numpy_type(self.number_type(v))
            array = self.new_array(t, ())
            self.write_element(array, (), v)
            return array
        items = [needed(x) for x in self.items_of(v)]
        if items and not self.is_number(items[0]) or any(self.is_array(x) and self.shape_of(x) != () for x in items):
            rows = [self.as_array(x) for x in items]
            shape = self.shape_of(rows[0])
            if any(self.shape_of(r) != shape for r in rows):
                raise ConversionError("an array from sequences of different lengths")
            t = dtype or self.common_type([self.array_type(r) for r in rows])
            array = self.new_array(t, (len(rows), *shape))
            for k, r in enumerate(rows):
                self.copy_array(self.out, self.view(array, Static(k)), r)
            return array
        types = [self.number_type(x) for x in items]
        if None in types:
            raise ConversionError(f"an array with {describe(items[types.index(None)])} in it")
        t = dtype or (self.common_weak(types) if weak else self.common_type([self.numpy_type(x) for x in types]) if types else "f8")
        array = self.new_array(t, (len(items),))
        for k, x in enumerate(items):
            self.write_element(array, (k,), x)
        return array

    def common_type(self, types):
        t = types[0]
        for other in types[1:]:
            t = promote(t, other) if t != other else t
        return t

    def common_weak(self, types):
        t = types[0]
        for other in types[1:]:
            t = join(t, other)
        return t

    def dtype_of(self, v):
        if v is None or isinstance(v, Static) and v.obj is None:
            return None
        if not isinstance(v, Static):
            raise ConversionError("a computed dtype")
        if isinstance(v.obj, str) and v.obj == "c":
            raise ConversionError("an array of characters that are computed")
        return type_of_dtype(v.obj)

    def copied(self, v):
        v = self.as_array(v)
        if isinstance(v, Static):
            return self.lift(v)
        return self.elementwise(lambda x: x, [v], type=v.type)

    def shape_argument(self, v):
        if v is None or isinstance(v, Static) and v.obj is None:
            return None
        if not self.plain(v):
            raise ConversionError("a shape that is computed: it would depend on data")
        obj = self.python_object(v)
        return (int(obj),) if isinstance(obj, (int, np.integer)) else tuple(int(n) for n in obj)

    def reshaped(self, v, shape):
        v = self.as_array(v)
        if isinstance(v, Static):
            return Static(v.obj.reshape(shape))
        size = v.size
        if -1 in shape:
            known = -int(np.prod(shape, dtype=np.int64))
            shape = tuple(size // known if n == -1 else n for n in shape)
        if int(np.prod(shape, dtype=np.int64)) != size:
            raise ConversionError(f"{v.shape} does not fit into {shape}")
        if not v.contiguous:
            v = self.copied(v)
        return Array(v.storage, shape, row_major(shape), v.offset, v.base)

    def numpy_array(self, v, dtype=None, copy=None, ndmin=None):
        t = self.dtype_of(dtype)
        v = needed(v)
        if self.is_array(v) and (t is None or self.array_type(v) == t):
            return self.copied(v)
        return self.as_array(v, t)

    def numpy_asarray(self, v, dtype=None):
        return self.as_array(v, self.dtype_of(dtype))

    numpy_ascontiguousarray = numpy_asarray

    def numpy_copy(self, v):
        return self.copied(v)

    def numpy_atleast_1d(self, v):
        v = self.as_array(v)
        return v if self.shape_of(v) else self.reshaped(v, (1,))

    def numpy_zeros_like(self, v, dtype=None):
        v = self.as_array(v)
        return Static(np.zeros(self.shape_of(v), self.dtype_of(dtype) or self.numpy_type(self.array_type(v))))

    def numpy_ones_like(self, v, dtype=None):
        v = self.as_array(v)
        return Static(np.ones(self.shape_of(v), self.dtype_of(dtype) or self.numpy_type(self.array_type(v))))

    def numpy_full(self, shape, fill_value, dtype=None):
        t = self.dtype_of(dtype) or self.numpy_type(self.number_type(fill_value))
        array = self.new_array(t, self.shape_argument(shape))
        self.copy_array(self.out, array, self.name_it(fill_value, "filling"))
        return array

    def numpy_full_like(self, v, fill_value, dtype=None):
        return self.numpy_full(Static(self.shape_of(v)), fill_value, dtype or Static(self.numpy_type(self.array_type(v))))
