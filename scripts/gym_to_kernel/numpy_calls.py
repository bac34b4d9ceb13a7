"""What NumPy, math and the builtins do with computed numbers and arrays. One entry a function: a row of README.md's table."""

import ast
import math

import numpy as np
import builtins

from .calls import DATA_SHAPED
from .memory import scaled
from .messages import ConversionError
from .scalar_types import BOOLS, CPP, FLOATS, promote, type_of_dtype
from .values import Scalar, Static, TupleValue

# NumPy function -> function of the kernel, float to float.
FLOAT_UNARY = {
    "sin": "sine",
    "cos": "cosine",
    "tan": "tangent",
    "arcsin": "arc_sine",
    "arccos": "arc_cosine",
    "arctan": "arc_tangent",
    "sinh": "hyperbolic_sine",
    "cosh": "hyperbolic_cosine",
    "tanh": "hyperbolic_tangent",
    "exp": "exponential",
    "expm1": "exponential_minus_one",
    "log": "logarithm",
    "log2": "logarithm_2",
    "log10": "logarithm_10",
    "log1p": "logarithm_of_one_plus",
    "sqrt": "root",
    "cbrt": "cube_root",
    "floor": "std::floor",
    "ceil": "std::ceil",
    "trunc": "std::trunc",
    "rint": "std::rint",
    "deg2rad": "radians",
    "radians": "radians",
    "rad2deg": "degrees",
    "degrees": "degrees",
    "fabs": "std::fabs",
    "fix": "std::trunc",
}
FLOAT_BINARY = {"arctan2": "arc_tangent2", "hypot": "hypotenuse", "fmod": "std::fmod", "copysign": "std::copysign"}
TESTS = {"isnan": "is_nan", "isinf": "is_infinite", "isfinite": "is_finite"}
MATH_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
BINARY = {
    "add": ast.Add,
    "subtract": ast.Sub,
    "multiply": ast.Mult,
    "divide": ast.Div,
    "true_divide": ast.Div,
    "floor_divide": ast.FloorDiv,
    "mod": ast.Mod,
    "remainder": ast.Mod,
    "power": ast.Pow,
    "float_power": ast.Pow,
    "equal": ast.Eq,
    "not_equal": ast.NotEq,
    "less": ast.Lt,
    "less_equal": ast.LtE,
    "greater": ast.Gt,
    "greater_equal": ast.GtE,
    "bitwise_and": ast.BitAnd,
    "bitwise_or": ast.BitOr,
    "bitwise_xor": ast.BitXor,
    "left_shift": ast.LShift,
    "right_shift": ast.RShift,
}


class NumpyCalls:
    """Part of the Translator."""

    def call_known(self, obj, args, kwargs):
        module = getattr(obj, "__module__", None) or ""
        name = getattr(obj, "__name__", str(obj))
        if isinstance(obj, type) and issubclass(obj, np.generic):
            return self.cast(args[0], type_of_dtype(obj))
        if obj in vars(builtins).values():
            f = getattr(self, f"builtin_{name}", None)
            if f is None:
                raise ConversionError(f"{name}() of what is computed is not translated")
            return f(*args, **kwargs)
        if module == "math" or obj in vars(math).values():
            return self.math_call(name, args)
        return self.numpy_call(name, args, kwargs)

    # Conversions and creation

    # Functions by name

    def numpy_call(self, name, args, kwargs):
        name = {
            "absolute": "abs",
            "amax": "max",
            "amin": "min",
            "around": "round",
            "logical_not": "logical_not",
            "concat": "concatenate",
            "acos": "arccos",
            "asin": "arcsin",
            "atan": "arctan",
            "atan2": "arctan2",
            "pow": "power",
        }.get(name, name)
        if kwargs.get("out") is not None:
            out = kwargs.pop("out")
            result = self.numpy_call(name, args, kwargs)
            target = out.items[0] if isinstance(out, TupleValue) else self.lift_everywhere(out)
            self.assign_subscript(target, Static(Ellipsis), result)
            return target
        if name in FLOAT_UNARY:
            return self.elementwise(lambda x: self.float_call(FLOAT_UNARY[name], x), [args[0]])
        if name in FLOAT_BINARY:
            return self.elementwise(lambda x, y: self.float_call2(FLOAT_BINARY[name], x, y), args[:2])
        if name in BINARY:
            op = BINARY[name]
            if all(self.is_number(self.as_operand(a)) for a in args[:2]):
                return self.binary(op, *args[:2])
            return self.array_binary(op, *args[:2])
        f = getattr(self, f"numpy_{name}", None)
        if f is None and name in DATA_SHAPED:
            raise ConversionError(f"the shape of {name}()'s result would depend on data")
        if f is None:
            raise ConversionError(f"numpy's {name}() is not translated")
        return f(*args, **kwargs)

    def float_type(self, t):
        """Of a float function's result."""
        return {
            "bool": "f8",
            "int": "f8",
            "float": "f8",
            "f4": "f4",
            "loose": "loose",
            "i1": "f4",
            "u1": "f4",
            "i2": "f4",
            "u2": "f4",
            "b1": "f4",
        }.get(t, "f8")

    def float_call(self, name, x):
        t = self.float_type(self.number_type(x))
        if t == "loose":
            return Scalar(t, f"applied({self.convert(x, t)}, [](auto x) {{ return {name}(x); }})")
        return Scalar(t, f"{name}({self.convert(x, t)})")

    def float_call2(self, name, x, y):
        t = self.float_type(promote(self.number_type(x), self.number_type(y)))
        if t == "loose":
            return Scalar(t, f"combined({self.convert(x, t)}, {self.convert(y, t)}, [](auto x, auto y) {{ return {name}(x, y); }})")
        return Scalar(t, f"{name}({self.convert(x, t)}, {self.convert(y, t)})")

    def math_call(self, name, args):
        args = [self.scalar_of(a) for a in args]
        number = lambda v: Scalar("float", self.convert(v, "float")) if not isinstance(v, Static) else Static(float(v.obj))
        name = MATH_NAMES.get(name, name)
        if name in ("floor", "ceil", "trunc"):
            return Scalar("int", f"int64_t(std::{name}({self.convert(number(args[0]), 'float')}))")
        if name in FLOAT_UNARY:
            return Scalar("float", f"{FLOAT_UNARY[name]}({self.convert(number(args[0]), 'float')})")
        if name in FLOAT_BINARY:
            return Scalar(
                "float", f"{FLOAT_BINARY[name]}({self.convert(number(args[0]), 'float')}, {self.convert(number(args[1]), 'float')})"
            )
        if name == "pow":
            return Scalar("float", f"power({self.convert(number(args[0]), 'float')}, {self.convert(number(args[1]), 'float')})")
        if name in ("isnan", "isinf", "isfinite"):
            return Scalar("bool", f"{TESTS[name]}({self.convert(number(args[0]), 'float')})")
        raise ConversionError(f"math.{name}() is not translated")

    def numpy_clip(self, v, a_min=None, a_max=None, min=None, max=None, dtype=None):
        low, high = a_min or min or Static(None), a_max or max or Static(None)
        none = lambda x: isinstance(x, Static) and x.obj is None
        if not none(low):
            v = self.numpy_maximum(v, low)
        if not none(high):
            v = self.numpy_minimum(v, high)
        return v

    def larger_or_smaller(self, name, a, b):
        def one(x, y):
            t = promote(self.number_type(x), self.number_type(y))
            if t == "loose":
                return Scalar(t, f"combined({self.convert(x, t)}, {self.convert(y, t)}, [](auto x, auto y) {{ return {name}(x, y); }})")
            return Scalar(t, f"{name}<{CPP[t]}>({self.convert(x, t)}, {self.convert(y, t)})")

        return self.elementwise(one, [a, b])

    def numpy_maximum(self, a, b):
        return self.larger_or_smaller("numpy_maximum", a, b)

    def numpy_minimum(self, a, b):
        return self.larger_or_smaller("numpy_minimum", a, b)

    numpy_fmax, numpy_fmin = numpy_maximum, numpy_minimum

    def numpy_abs(self, v):
        return self.elementwise(self.number_abs, [v])

    def number_abs(self, x):
        t = self.number_type(x)
        if t in BOOLS:
            return Scalar("int", self.convert(x, "int"))
        if t == "loose":
            return Scalar(t, f"applied({self.convert(x, t)}, [](auto x) {{ return std::fabs(x); }})")
        return Scalar(t, f"std::fabs({self.convert(x, t)})" if t in FLOATS else f"whole_abs({self.convert(x, t)})")

    def numpy_sign(self, v):
        def one(x):
            t = self.numpy_type(self.number_type(x)) if self.number_type(x) in BOOLS | {"int", "float"} else self.number_type(x)
            return Scalar(t, f"sign_of({self.convert(x, t)})")

        return self.elementwise(one, [v])

    def numpy_square(self, v):
        def one(x):
            t = self.number_type(x)
            x = self.name_it(x, "root") if isinstance(x, Scalar) and not x.code.endswith("]") else x
            return self.number_binary(ast.Mult, x, x) if t not in BOOLS else x

        return self.elementwise(one, [v])

    def numpy_negative(self, v):
        return self.unary(ast.USub, v)

    def numpy_reciprocal(self, v):
        return self.array_binary(ast.Div, Static(1.0), v)

    def numpy_round(self, v, decimals=None, ndigits=None):
        digits = decimals or ndigits or Static(0)
        if digits.obj:
            scale = float(10 ** abs(digits.obj))
            if digits.obj < 0:
                raise ConversionError("rounding to tens")

            def one(x):
                t = self.float_type(self.number_type(x))
                scaled = self.convert(self.number_binary(ast.Mult, x, Static(scale)), t)
                return Scalar(t, f"std::rint({scaled}) / {CPP[t]}({scale})")

            return self.elementwise(one, [v])
        return self.elementwise(lambda x: self.float_call("std::rint", x), [v])

    def numpy_isfinite(self, v):
        return self.elementwise(lambda x: Scalar("b1", f"is_finite({self.convert(x, self.float_type(self.number_type(x)))})"), [v])

    def numpy_isnan(self, v):
        return self.elementwise(lambda x: Scalar("b1", f"is_nan({self.convert(x, self.float_type(self.number_type(x)))})"), [v])

    def numpy_isinf(self, v):
        return self.elementwise(lambda x: Scalar("b1", f"is_infinite({self.convert(x, self.float_type(self.number_type(x)))})"), [v])

    def logical(self, symbol, a, b):
        return self.elementwise(lambda x, y: Scalar("b1", f"bool({self.convert(x, 'bool')} {symbol} {self.convert(y, 'bool')})"), [a, b])

    def numpy_logical_and(self, a, b):
        return self.logical("&", a, b)

    def numpy_logical_or(self, a, b):
        return self.logical("|", a, b)

    def numpy_logical_xor(self, a, b):
        return self.logical("!=", a, b)

    def numpy_logical_not(self, v):
        return self.elementwise(lambda x: Scalar("b1", f"!{self.convert(x, 'bool')}"), [v])

    def numpy_where(self, test, a=None, b=None):
        if a is None:
            raise ConversionError("where() of one argument: its shape would depend on data")

        def one(c, x, y):
            t = promote(self.number_type(x), self.number_type(y))
            return Scalar(
                t, f"{self.wrapped(self.convert(c, 'bool'))} ? {self.wrapped(self.convert(x, t))} : {self.wrapped(self.convert(y, t))}"
            )

        return self.elementwise(one, [test, a, b])

    def wrapped(self, code):
        return code if code.isidentifier() else f"({code})"

    def numpy_interp(self, x, xp, fp):
        if not (self.plain(xp) and self.plain(fp)):
            raise ConversionError("interp() of computed points")
        xs, ys = [np.asarray(self.python_object(v), np.float64) for v in (xp, fp)]
        n = len(xs)
        tx, ty = self.table_lookup(xs, "f8", "0").split("(")[0], self.table_lookup(ys, "f8", "0").split("(")[0]
        points = ", ".join(f"[](int64_t i) {{ return Real({t}(i)); }}" for t in (tx, ty))
        return self.elementwise(lambda v: Scalar("f8", f"interpolated({self.convert(v, 'f8')}, {n}, {points})"), [x])

    # Reductions

    # Linear algebra: sums in order; a BLAS adds in another, so the last bits may differ.

    # Shapes

    # Builtins

    # Methods of arrays and numbers
