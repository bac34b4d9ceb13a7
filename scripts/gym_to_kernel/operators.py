"""Arithmetic, comparisons and logic, with Python's and NumPy's rules, on numbers, arrays and constants."""

import ast
import operator

import numpy as np

from .messages import ConversionError
from .scalar_types import BOOLS, CPP, FLOATS, INTEGERS, promote, type_of_object
from .values import Array, Choice, ListRef, ListState, Scalar, Static, TupleValue, describe, needed

PYTHON = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
SYMBOL = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def wrap(code):
    """As an operand."""
    inner = code
    if inner.isidentifier() or inner.replace(".", "", 1).isdigit():
        return code
    depth = 0
    for k, c in enumerate(inner):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c == " ":
            return f"({code})"
    return f"({code})" if inner[0] in "-!~" else code


class Operators:
    """Part of the Translator."""

    def is_number(self, v):
        return self.number_type(v) is not None

    def binary(self, op, a, b):
        a, b = needed(a), needed(b)
        if isinstance(a, Static) and isinstance(b, Static):
            return self.call_python(PYTHON[op], [a.obj, b.obj])
        for this, other, flip in ((a, b, False), (b, a, True)):
            if isinstance(this, Choice) and isinstance(other, Static) and not self.is_array(other):
                f = PYTHON[op]
                return self.collapse(
                    Choice(tuple(self.constant(f, *((other.obj, o) if flip else (o, other.obj))) for o in this.options), this.index)
                )
        if self.is_number(a) and self.is_number(b) and not (self.is_array(a) or self.is_array(b)):
            return self.number_binary(op, a, b)
        if self.is_array(a) or self.is_array(b):
            return self.array_binary(op, a, b)
        return self.sequence_binary(op, a, b)

    def constant(self, f, *args):
        try:
            return f(*args)
        except Exception as e:
            raise ConversionError(f"{type(e).__name__}: {e}") from None

    def collapse(self, choice):
        first = choice.options[0]
        if all(type(o) is type(first) and o == first for o in choice.options[1:] if not isinstance(o, np.ndarray)) and not isinstance(
            first, np.ndarray
        ):
            return Static(first)
        return choice

    def number_binary(self, op, a, b):
        ta, tb = self.number_type(a), self.number_type(b)
        if op in COMPARISONS:
            t = promote(ta, tb)
            strong = not ({ta, tb} <= {"bool", "int", "float"})
            result = "b1" if strong else "bool"
            if t == "loose":
                return Scalar(
                    result, f"compared({self.convert(a, t)}, {self.convert(b, t)}, [](auto x, auto y) {{ return x {SYMBOL[op]} y; }})"
                )
            return Scalar(result, f"{wrap(self.convert(a, t))} {SYMBOL[op]} {wrap(self.convert(b, t))}")
        if op in (ast.BitAnd, ast.BitOr, ast.BitXor) and ta in BOOLS and tb in BOOLS:
            result = "bool" if ta == tb == "bool" else "b1"
            ca, cb = wrap(self.convert(a, "bool")), wrap(self.convert(b, "bool"))
            return Scalar(result, f"bool({ca} {SYMBOL[op]} {cb})")
        t = promote(ta, tb)
        if op is ast.Div and t not in FLOATS:
            t = "float" if {ta, tb} <= {"bool", "int"} else "f8"
        if t in BOOLS and op in (ast.Add, ast.Mult):
            return Scalar("b1", f"bool({wrap(self.convert(a, 'b1'))} {'|' if op is ast.Add else '&'} {wrap(self.convert(b, 'b1'))})")
        if t in BOOLS:
            t = "int"
        if op is ast.Pow:
            return self.power(t, a, b)
        ca, cb = self.convert(a, t), self.convert(b, t)
        if t == "loose":
            names = {
                ast.Add: "x + y",
                ast.Sub: "x - y",
                ast.Mult: "x * y",
                ast.Div: "x / y",
                ast.Mod: "python_mod(x, y)",
                ast.FloorDiv: "python_floor_divide(x, y)",
            }
            if op not in names:
                raise ConversionError(f"{op.__name__} of floats")
            return Scalar(t, f"combined({ca}, {cb}, [](auto x, auto y) {{ return {names[op]}; }})")
        if op is ast.Mod:
            return self.with_bounds(Scalar(t, f"python_mod({ca}, {cb})"), b)
        if op is ast.FloorDiv:
            return Scalar(t, f"python_floor_divide({ca}, {cb})")
        if op in (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor) and t not in INTEGERS:
            raise ConversionError(f"bits of {describe(a)} and {describe(b)}")
        code = f"{wrap(ca)} {'/' if op is ast.Div else SYMBOL[op]} {wrap(cb)}"
        if t in INTEGERS and CPP[t] not in ("int64_t", "int32_t", "uint32_t"):
            code = f"{CPP[t]}({code})"  # C++ computes small types as int
        result = Scalar(t, code)
        if op in (ast.Add, ast.Sub):
            self.sum_bounds(result, op, a, b)
        return result

    def sum_bounds(self, result, op, a, b):
        def of(v):
            if isinstance(v, Scalar):
                return v.bounds
            return (v.obj, v.obj) if isinstance(v, Static) and type(v.obj) is int else None

        ba, bb = of(a), of(b)
        if ba and bb and result.type in ("int", "i8"):
            result.bounds = (ba[0] + bb[0], ba[1] + bb[1]) if op is ast.Add else (ba[0] - bb[1], ba[1] - bb[0])

    def with_bounds(self, result, divisor):
        if isinstance(divisor, Static) and type(divisor.obj) is int and divisor.obj > 0 and result.type in ("int", "i8"):
            result.bounds = (0, divisor.obj - 1)
        return result

    def power(self, t, a, b):
        if t in INTEGERS:
            if isinstance(b, Static) and int(b.obj) < 0:
                return Scalar("float" if t == "int" else "f8", f"Real(pow(double({self.convert(a, t)}), {float(b.obj)!r}))")
            return Scalar(t, f"{CPP[t]}(whole_power({self.convert(a, 'i8')}, {self.convert(b, 'i8')}))")
        if t == "loose":
            return Scalar(t, f"combined({self.convert(a, t)}, {self.convert(b, t)}, [](auto x, auto y) {{ return power(x, y); }})")
        return Scalar(t, f"power({self.convert(a, t)}, {self.convert(b, t)})")

    def element_power(self, a, b, exponent):
        """Of an array: NumPy has its own short cuts for some constant exponents."""
        if isinstance(exponent, Static) and self.number_type(a) in FLOATS - {"loose"} and type_of_object(exponent.obj) in ("int", "float"):
            code = wrap(self.convert(a, self.number_type(a)))
            t = self.number_type(a)
            if exponent.obj == 2:
                return Scalar(t, f"{code} * {code}")
            if exponent.obj == 0.5:
                return Scalar(t, f"root({self.convert(a, t)})")
            if exponent.obj == 1:
                return a
            if exponent.obj == -1:
                return Scalar(t, f"{CPP[t]}(1) / {code}")
        return self.number_binary(ast.Pow, a, b)

    def array_binary(self, op, a, b):
        a, b = self.as_operand(a), self.as_operand(b)
        if op is ast.MatMult:
            return self.matmul(a, b)
        one = (lambda x, y: self.element_power(x, y, b)) if op is ast.Pow else (lambda x, y: self.number_binary(op, x, y))
        return self.elementwise(one, [a, b])

    def as_operand(self, v):
        """A sequence beside an array becomes one."""
        v = needed(v)
        if self.is_array(v) or self.is_number(v):
            return v
        return self.as_array(v)

    def elementwise(self, one, operands, type=None, hint="array", out=None):
        """one(number, ...) for every element of the broadcast shape, as a new array or a number."""
        operands = [self.as_operand(v) for v in operands]
        try:
            shape = np.broadcast_shapes(*[self.shape_of(v) for v in operands])
        except ValueError:
            raise ConversionError(f"shapes {', '.join(str(self.shape_of(v)) for v in operands)} do not fit each other") from None
        if all(isinstance(v, Static) for v in operands):
            operands = [self.lift(v) if i == 0 and self.is_array(v) else v for i, v in enumerate(operands)]
        operands = [self.name_it(v, "number") if not self.is_array(v) else v for v in operands]
        if shape == ():
            return one(*[self.broadcast_element(v, (), ()) for v in operands])
        length = self.common_length(operands, shape)
        probe = one(*[self.broadcast_element(v, shape, (0,) * len(shape)) if 0 not in shape else Static(0.0) for v in operands])
        type = type or self.number_type(probe)
        storage = self.declare_array(self.out, type, shape, hint, length)
        if type == "loose":
            storage.rank = self.common_rank(operands)
        result = Array(storage, shape, self.row_major(shape))
        self.for_each(
            shape,
            lambda index, b: self.write_element(result, index, one(*[self.broadcast_element(v, shape, index) for v in operands]), b),
            length=length,
        )
        return result

    def common_rank(self, operands):
        ranks = [
            (
                v.storage.rank
                if isinstance(v, Array) and v.storage.rank
                else (
                    f"({self.convert(v, 'loose')}).rank"
                    if self.number_type(v) == "loose"
                    else str(self.rank_of(self.array_type(v) if self.is_array(v) else self.number_type(v)))
                )
            )
            for v in operands
        ]
        name = self.fresh("rank")
        code = ranks[0]
        for r in ranks[1:]:
            code = f"larger<int32_t>({code}, {r})"
        self.out.line(f"const int32_t {name} = {code};")
        return name

    def common_length(self, operands, shape):
        lengths = {v.storage.length for v in operands if isinstance(v, Array) and v.storage.length}
        if len(lengths) > 1:
            raise ConversionError("arrays of different varying lengths")
        if lengths and any(
            self.is_array(v) and self.shape_of(v) != () and not (isinstance(v, Array) and v.storage.length) for v in operands
        ):
            raise ConversionError("an array of varying length beside one of fixed length")
        return lengths.pop() if lengths else None

    def sequence_binary(self, op, a, b):
        items = lambda v: (
            self.items_of(v) if not isinstance(v, Static) else [Static(o) for o in v.obj] if isinstance(v.obj, (list, tuple)) else None
        )
        is_list = any(isinstance(v, ListRef) or isinstance(v, Static) and isinstance(v.obj, list) for v in (a, b))
        if op is ast.Add and all(
            isinstance(v, (ListRef, TupleValue)) or isinstance(v, Static) and isinstance(v.obj, (list, tuple)) for v in (a, b)
        ):
            if any(isinstance(v, TupleValue) and v.unsure for v in (a, b)):
                raise ConversionError("it may be an array or a tuple, so that + has no one meaning")
            joined = tuple(items(a)) + tuple(items(b))
            return self.new_list(joined) if is_list else TupleValue(joined)
        if op is ast.Mult and isinstance(b, Static) and isinstance(b.obj, int):
            joined = tuple(items(a)) * b.obj
            return self.new_list(joined) if is_list else TupleValue(joined)
        raise ConversionError(f"{op.__name__} of {describe(a)} and {describe(b)}")

    def new_list(self, items):
        number = self.new_list_number()
        self.env.lists[number] = ListState(tuple(items))
        return ListRef(number)

    def unary(self, op, v):
        v = needed(v)
        if op is ast.Not:
            t = self.truth_value(v)
            return self.negate(t)
        if isinstance(v, Static):
            return self.call_python(PYTHON[op], [v.obj])
        if isinstance(v, Choice):
            return self.collapse(Choice(tuple(self.constant(PYTHON[op], o) for o in v.options), v.index))
        if self.is_array(v) and self.shape_of(v) != ():
            return self.elementwise(lambda x: self.number_unary(op, x), [v])
        if self.is_number(v):
            return self.number_unary(op, v)
        raise ConversionError(f"{op.__name__} of {describe(v)}")

    def number_unary(self, op, v):
        if isinstance(v, Static):
            return Static(self.constant(PYTHON[op], v.obj))
        t = self.number_type(v)
        if op is ast.Invert:
            if t == "b1":
                return Scalar("b1", f"!{wrap(v.code)}")
            if t not in INTEGERS | BOOLS:
                raise ConversionError("~ of a float")
            t = "int" if t in BOOLS else t
            return Scalar(t, f"{CPP[t]}(~{wrap(self.convert(v, t))})")
        if t in BOOLS:
            t = "int"
        code = self.convert(v, t)
        return (
            Scalar(t, code)
            if op is ast.UAdd
            else Scalar(t, f"-{wrap(code)}", v.bounds and (-v.bounds[1], -v.bounds[0]) if isinstance(v, Scalar) else None)
        )
