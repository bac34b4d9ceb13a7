"""NumPy functions that make fewer numbers of many: sums, extremes, products of matrices. One entry a function."""

import ast

import numpy as np

from .messages import ConversionError
from .scalar_types import BOOLS, CPP, FLOATS, INTEGERS, promote
from .values import Array, Scalar, Static, TupleValue


class Reductions:
    """Part of the Translator."""

    def axis_argument(self, axis, ndim):
        if axis is None or isinstance(axis, Static) and axis.obj is None:
            return None
        if not isinstance(axis, Static) or not isinstance(axis.obj, int):
            raise ConversionError("an axis that is no constant")
        return axis.obj % ndim

    def reduce(self, v, axis, one):
        """one(1-dimensional array) -> number, along an axis or over all."""
        v = self.as_array(v)
        axis = self.axis_argument(axis, len(self.shape_of(v)))
        if axis is None:
            return one(self.reshaped(v, (v.size if isinstance(v, Array) else v.obj.size,)))
        v = self.lift(v)
        rest = [d for d in range(len(v.shape)) if d != axis]
        if not rest:
            return one(v)
        results = []
        for index in np.ndindex(*[v.shape[d] for d in rest]):
            offset = v.offset + sum(int(i) * v.strides[d] for i, d in zip(index, rest))
            results.append(one(Array(v.storage, (v.shape[axis],), (v.strides[axis],), offset, v.base)))
        return self.reshaped(self.as_array(TupleValue(tuple(results))), tuple(v.shape[d] for d in rest))

    def fold(self, v, type, start, step, hint):
        """A loop over the elements of a 1-dimensional array that changes one variable: step(variable, element) -> C++."""
        total = self.fresh(hint)
        self.out.line(f"{CPP[type]} {total} = {start};")
        self.for_each(
            self.shape_of(v),
            lambda i, b: b.line(f"{total} = {step(total, self.element_code(v, i))};"),
            length=v.storage.length if isinstance(v, Array) else None,
        )
        return Scalar(type, total)

    def sum_type(self, t):
        return {
            "b1": "i8",
            "bool": "i8",
            "i1": "i8",
            "i2": "i8",
            "i4": "i8",
            "u1": "i8",
            "u2": "i8",
            "u4": "i8",
            "int": "i8",
            "float": "f8",
        }.get(t, t)

    def numpy_sum(self, v, axis=None, dtype=None, keepdims=None):
        v = self.as_array(v)
        outer_axis = self.axis_argument(axis, max(1, len(self.shape_of(v))))
        rows = len(self.shape_of(v)) > 1 and outer_axis is not None and outer_axis != len(self.shape_of(v)) - 1

        def one(x):
            t = self.dtype_of(dtype) or self.sum_type(self.array_type(x))
            n = self.shape_of(x)[0]
            if t in FLOATS and n >= 8 and not rows:  # NumPy's order of additions, so that the last bits agree
                if isinstance(x, Array) and x.storage.length:
                    raise ConversionError("a sum over an array of varying length")
                x = self.lift(x)
                name = self.fresh("sum")
                i = self.fresh("i")
                element = self.convert(self.element_code(x, (i,)), t)
                call = f"pairwise_sum<{CPP[t]}, {n}>([&](int64_t {i}) {{ return {element}; }})"
                self.out.line(f"const {CPP[t]} {name} = {call};")
                return Scalar(t, name)
            if t == "loose":
                raise ConversionError("a sum of numbers whose precision is known only at run time")
            return self.fold(x, t, f"{CPP[t]}(0)", lambda total, e: f"{total} + {self.convert(e, t)}", "sum")

        return self.reduce(v, axis, one)

    def numpy_mean(self, v, axis=None, dtype=None):
        v = self.as_array(v)
        total = self.numpy_sum(v, axis, Static(np.float64) if self.array_type(v) in INTEGERS | BOOLS else dtype)
        shape = self.shape_of(v)
        a = self.axis_argument(axis, len(shape))
        n = int(np.prod(shape)) if a is None else shape[a]
        return self.binary(ast.Div, total, Static(n))

    def numpy_prod(self, v, axis=None, dtype=None):
        def one(x):
            t = self.sum_type(self.array_type(x))
            return self.fold(x, t, f"{CPP[t]}(1)", lambda total, e: f"{total} * {self.convert(e, t)}", "product")

        return self.reduce(v, axis, one)

    def numpy_var(self, v, axis=None):
        if axis is not None:
            raise ConversionError("var() along an axis")
        mean = self.numpy_mean(v)
        apart = self.array_binary(ast.Sub, v, mean)
        return self.numpy_mean(self.array_binary(ast.Mult, apart, apart))

    def numpy_std(self, v, axis=None):
        return self.float_call("root", self.numpy_var(v, axis))

    def extreme(self, v, axis, name):
        def one(x):
            t = self.array_type(x)
            first = self.convert(self.element_code(x, (0,)), t)
            return self.fold(x, t, first, lambda total, e: f"{name}<{CPP[t]}>({total}, {self.convert(e, t)})", "extreme")

        return self.reduce(v, axis, one)

    def numpy_max(self, v, axis=None):
        return self.extreme(v, axis, "numpy_maximum")

    def numpy_min(self, v, axis=None):
        return self.extreme(v, axis, "numpy_minimum")

    def numpy_any(self, v, axis=None):
        return self.reduce(v, axis, self.any_of)

    def any_of(self, x):
        if len(self.shape_of(x)) != 1:
            x = self.reshaped(x, (int(np.prod(self.shape_of(x))),))
        return self.fold(x, "b1", "false", lambda total, e: f"{total} | {self.convert(e, 'bool')}", "any")

    def numpy_all(self, v, axis=None):
        return self.reduce(v, axis, lambda x: self.fold(x, "b1", "true", lambda total, e: f"{total} & {self.convert(e, 'bool')}", "all"))

    def numpy_count_nonzero(self, v, axis=None):
        return self.numpy_sum(self.elementwise(lambda x: Scalar("b1", self.convert(x, "bool")), [v]), axis)

    def extreme_place(self, v, axis, symbol):
        def one(x):
            x = self.lift(x)
            place = self.fresh("place")
            self.out.line(f"int64_t {place} = 0;")
            t = x.type

            def step(i, b):
                here = self.convert(self.element_code(x, i), t)
                best = self.convert(self.element_code(x, (place,)), t)
                b.line(f"{place} = {here} {symbol} {best} ? {i[0]} : {place};")

            self.for_each(x.shape, step, length=x.storage.length)
            return Scalar("i8", place, (0, x.shape[0] - 1))

        return self.reduce(v, axis, one)

    def numpy_argmax(self, v, axis=None):
        return self.extreme_place(v, axis, ">")

    def numpy_argmin(self, v, axis=None):
        return self.extreme_place(v, axis, "<")

    def running(self, v, op):
        v = self.lift(self.as_array(v))
        if len(v.shape) != 1:
            v = self.reshaped(v, (v.size,))
        t = self.sum_type(v.type)
        out = self.new_array(t, v.shape, "running")
        out.storage.length = v.storage.length
        total = self.fresh("total")
        self.out.line(f"{CPP[t]} {total} = {0 if op == '+' else 1};")

        def one(i, b):
            b.line(f"{total} = {total} {op} {self.convert(self.element_code(v, i), t)};")
            self.write_element(out, i, Scalar(t, total), b)

        self.for_each(v.shape, one, length=v.storage.length)
        return out

    def numpy_cumsum(self, v, axis=None):
        return self.running(v, "+")

    def numpy_cumprod(self, v, axis=None):
        return self.running(v, "*")

    def numpy_diff(self, v):
        v = self.as_array(v)
        n = self.shape_of(v)[0]
        return self.array_binary(
            ast.Sub,
            self.array_subscript(v, slice(Static(1), Static(n), Static(None))),
            self.array_subscript(v, slice(Static(0), Static(n - 1), Static(None))),
        )

    def numpy_dot(self, a, b):
        return self.matmul(self.as_operand(a), self.as_operand(b))

    numpy_matmul = numpy_inner = numpy_vdot = numpy_dot

    def matmul(self, a, b):
        if self.is_number(a) or self.is_number(b):
            return self.binary(ast.Mult, a, b)
        sa, sb = self.shape_of(a), self.shape_of(b)
        if len(sa) > 2 or len(sb) > 2 or sa[-1] != sb[0]:
            raise ConversionError(f"a product of shapes {sa} and {sb}")
        t = promote(self.array_type(a), self.array_type(b))
        inner = sa[-1]
        rows = sa[:-1]
        cols = sb[1:]

        def entry(index, buffer, into=None):
            left = lambda k: self.element_code(a, (*index[: len(rows)], k))
            right = lambda k: self.element_code(b, (k, *index[len(rows) :]))
            total = self.fresh("sum")
            buffer.line(f"{CPP[t]} {total} = 0;")
            self.for_each(
                (inner,),
                lambda k, bb: bb.line(
                    f"{total} += {self.wrapped(self.convert(left(k[0]), t))} * {self.wrapped(self.convert(right(k[0]), t))};"
                ),
                buffer,
            )
            return Scalar(t, total)

        if not rows and not cols:
            return entry((), self.out)
        result = self.new_array(t, (*rows, *cols), "product")
        self.for_each((*rows, *cols), lambda i, buf: self.write_element(result, i, entry(i, buf), buf))
        return result

    def numpy_norm(self, v, ord=None, axis=None, keepdims=None):
        if ord is not None and not (isinstance(ord, Static) and ord.obj in (None, 2, 1, np.inf)):
            raise ConversionError("norm() of another order than 1, 2 and infinity")
        order = ord.obj if ord is not None else None
        v = self.as_array(v)
        if self.array_type(v) in INTEGERS | BOOLS:
            v = self.cast(v, "f8")

        def one(x):
            if order == 1:
                return self.numpy_sum(self.numpy_abs(x))
            if order == np.inf:
                return self.numpy_max(self.numpy_abs(x))
            t = self.array_type(x)
            total = self.fold(x, t, f"{CPP[t]}(0)", lambda s, e: f"{s} + {self.convert(e, t)} * {self.convert(e, t)}", "squares")
            return Scalar(t, f"root({total.code})")

        return self.reduce(v, axis, one)

    def numpy_cross(self, a, b):
        a, b = self.as_array(a), self.as_array(b)
        if self.shape_of(a) != (3,) or self.shape_of(b) != (3,):
            raise ConversionError("cross() of other shapes than (3,)")
        e = self.element_code
        mul = lambda i, j: self.number_binary(ast.Mult, e(a, (i,)), e(b, (j,)))
        items = [self.name_it(self.number_binary(ast.Sub, mul(i, j), mul(j, i)), "cross") for i, j in ((1, 2), (2, 0), (0, 1))]
        return self.as_array(TupleValue(tuple(items)))

    def numpy_outer(self, a, b):
        a, b = self.as_array(a), self.as_array(b)
        return self.array_binary(ast.Mult, self.reshaped(a, (*self.shape_of(a), 1)), b)
