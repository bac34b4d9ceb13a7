"""NumPy functions that join arrays and change their shapes."""

import ast

from .messages import ConversionError
from .values import Array, Static, TupleValue


class ArrayShapes:
    """Part of the Translator."""

    def numpy_concatenate(self, arrays, axis=None, dtype=None):
        parts = [self.as_array(v) for v in self.items_of(arrays)]
        a = self.axis_argument(axis, len(self.shape_of(parts[0]))) or 0
        shapes = [list(self.shape_of(p)) for p in parts]
        if any(s[:a] + s[a + 1 :] != shapes[0][:a] + shapes[0][a + 1 :] for s in shapes):
            raise ConversionError("concatenate() of shapes that do not fit each other")
        t = self.dtype_of(dtype) or self.common_type([self.array_type(p) for p in parts])
        shape = shapes[0][:]
        shape[a] = sum(s[a] for s in shapes)
        out = self.new_array(t, tuple(shape), "joined")
        start = 0
        for p, s in zip(parts, shapes):
            window = Array(out.storage, tuple(s), out.strides, out.offset + start * out.strides[a])
            if s[a]:
                self.copy_array(self.out, window, p)
            start += s[a]
        return out

    def numpy_hstack(self, arrays):
        return self.numpy_concatenate(TupleValue(tuple(self.numpy_atleast_1d(v) for v in self.items_of(arrays))))

    def numpy_stack(self, arrays, axis=None):
        if axis is not None and axis.obj != 0:
            raise ConversionError("stack() along another axis than the first")
        return self.as_array(TupleValue(tuple(self.as_array(v) for v in self.items_of(arrays))))

    numpy_vstack = numpy_stack

    def numpy_append(self, a, values, axis=None):
        flat = lambda v: self.reshaped(v, (-1,)) if self.shape_of(v) else self.reshaped(v, (1,))
        return self.numpy_concatenate(TupleValue((flat(self.as_array(a)), flat(self.as_array(values)))))

    def numpy_reshape(self, v, shape, **_):
        return self.reshaped(v, self.shape_argument(shape))

    def numpy_ravel(self, v):
        return self.reshaped(v, (-1,))

    def numpy_transpose(self, v):
        return self.attribute(self.lift(self.as_array(v)), "T")

    def numpy_squeeze(self, v):
        v = self.as_array(v)
        return self.reshaped(v, tuple(n for n in self.shape_of(v) if n != 1))

    def numpy_roll(self, v, shift):
        v = self.lift(self.as_array(v))
        if len(v.shape) != 1 or not isinstance(shift, Static):
            raise ConversionError("roll() of more than one dimension, or by a computed number")
        n, out = v.shape[0], self.new_array(v.type, v.shape)
        for i in range(n):
            self.write_element(out, ((i + shift.obj) % n,), self.element_code(v, (i,)))
        return out

    def numpy_flip(self, v):
        return self.array_subscript(self.lift(self.as_array(v)), slice(Static(None), Static(None), Static(-1)))

    def numpy_ravel_multi_index(self, index, dims):
        total = Static(0)
        for i, n in zip(self.items_of(index), self.python_object(dims)):
            total = self.binary(ast.Add, self.binary(ast.Mult, total, Static(n)), i)
        return total

    def numpy_unravel_index(self, index, shape):
        parts = []
        for n in reversed(self.shape_argument(shape)):
            parts.append(self.name_it(self.binary(ast.Mod, index, Static(n)), "part"))
            index = self.binary(ast.FloorDiv, index, Static(n))
        return TupleValue(tuple(reversed(parts)))

    def numpy_array_equal(self, a, b):
        if self.shape_of(self.as_array(a)) != self.shape_of(self.as_array(b)):
            return Static(False)
        return self.numpy_all(self.elementwise(lambda x, y: self.number_binary(ast.Eq, x, y), [a, b]))

    def numpy_allclose(self, a, b, rtol=None, atol=None):
        rtol, atol = rtol or Static(1e-5), atol or Static(1e-8)
        apart = self.numpy_abs(self.array_binary(ast.Sub, a, b))
        limit = self.array_binary(ast.Add, atol, self.array_binary(ast.Mult, rtol, self.numpy_abs(b)))
        return self.numpy_all(self.array_binary(ast.LtE, apart, limit))
