"""Python's builtins of computed numbers and sequences. One entry a function."""

import ast

import numpy as np

from .messages import ConversionError
from .scalar_types import BOOLS, CPP, INTEGERS, join
from .values import Array, Choice, DictValue, ListRef, Opaque, RangeValue, Scalar, Static, TupleValue, needed


class BuiltinCalls:
    """Part of the Translator."""

    def builtin_int(self, v):
        v = self.scalar_of(v)
        if isinstance(v, Choice):
            return self.collapse(Choice(tuple(int(o) for o in v.options), v.index))
        return Scalar("int", self.convert(v, "int"), v.bounds if isinstance(v, Scalar) and v.type in INTEGERS else None)

    def builtin_float(self, v):
        v = self.scalar_of(v)
        if isinstance(v, Choice):
            return self.collapse(Choice(tuple(float(o) for o in v.options), v.index))
        return Scalar("float", self.convert(v, "float"))

    def builtin_bool(self, v):
        t = self.truth_value(v)
        return Scalar("bool", t.code) if isinstance(t, Scalar) else t

    def builtin_str(self, *args, **kwargs):
        return Opaque("a string is made from computed numbers")

    builtin_repr = builtin_format = builtin_str

    def builtin_abs(self, v):
        return self.numpy_abs(v)

    def builtin_round(self, v, ndigits=None):
        if ndigits is not None:
            raise ConversionError("round() to decimals: Python rounds the decimal number, not the binary one")
        v = self.scalar_of(v)
        if self.number_type(v) in INTEGERS | BOOLS:
            return v
        return Scalar("int", f"int64_t(std::rint({self.convert(v, 'float')}))")

    def builtin_pow(self, a, b):
        return self.binary(ast.Pow, a, b)

    def builtin_divmod(self, a, b):
        a, b = self.name_it(a, "dividend"), self.name_it(b, "divisor")
        return TupleValue((self.name_it(self.binary(ast.FloorDiv, a, b), "quotient"), self.name_it(self.binary(ast.Mod, a, b), "rest")))

    def pick_extreme(self, args, op):
        if len(args) == 1:
            v = needed(args[0])
            if isinstance(v, ListRef) and self.list_state(v).storage:
                s = self.list_state(v).storage
                return self.extreme(Array(s, (s.size,), (1,)), None, "larger" if op is ast.Gt else "smaller")
            args = self.items_of(v)
        best = self.scalar_of(args[0])
        for v in args[1:]:
            best, v = self.name_it(best, "best"), self.name_it(self.scalar_of(v), "other")
            if isinstance(best, Static) and isinstance(v, Static):
                best = v if self.constant(lambda a, b: a > b if op is ast.Gt else a < b, v.obj, best.obj) else best
                continue
            test = self.number_binary(op, v, best)  # Python keeps the first of equals
            t = join(self.number_type(best), self.number_type(v))
            best = Scalar(
                t,
                f"{self.wrapped(self.convert(test, 'bool'))} ? {self.wrapped(self.convert(v, t))} : {self.wrapped(self.convert(best, t))}",
            )
        return self.name_it(best, "best")

    def builtin_max(self, *args, key=None, default=None):
        if key is not None:
            raise ConversionError("max() with a key")
        return self.pick_extreme(args, ast.Gt)

    def builtin_min(self, *args, key=None, default=None):
        if key is not None:
            raise ConversionError("min() with a key")
        return self.pick_extreme(args, ast.Lt)

    def builtin_sum(self, v, start=None):
        v = needed(v)
        if isinstance(v, ListRef) and self.list_state(v).storage:
            s = self.list_state(v).storage
            t = "int" if s.type in BOOLS else s.type
            return self.fold(Array(s, (s.size,), (1,)), t, f"{CPP[t]}(0)", lambda total, e: f"{total} + {self.convert(e, t)}", "sum")
        total = start or Static(0)
        for x in self.items_of(v):
            total = self.name_it(self.binary(ast.Add, total, x), "sum") if not self.is_array(x) else self.binary(ast.Add, total, x)
        return total

    def builtin_any(self, v):
        v = needed(v)
        if self.is_array(v):
            return self.numpy_any(v)
        result = Static(False)
        for x in reversed(self.items_of(v)):
            t = self.truth_value(x)
            result = (
                (Static(True) if t.obj else result)
                if isinstance(t, Static)
                else Scalar("bool", f"{self.wrapped(t.code)} || {self.wrapped(self.truth(result))}")
            )
        return result

    def builtin_all(self, v):
        v = needed(v)
        if self.is_array(v):
            return self.numpy_all(v)
        result = Static(True)
        for x in reversed(self.items_of(v)):
            t = self.truth_value(x)
            result = (
                (result if t.obj else Static(False))
                if isinstance(t, Static)
                else Scalar("bool", f"{self.wrapped(t.code)} && {self.wrapped(self.truth(result))}")
            )
        return result

    def builtin_len(self, v):
        v = needed(v)
        if isinstance(v, ListRef) and self.list_state(v).storage:
            s = self.list_state(v).storage
            return self.name_it(Scalar("int", f"int64_t({s.length})", (0, s.size)), "length")
        if isinstance(v, Choice):
            return self.collapse(Choice(tuple(len(o) for o in v.options), v.index))
        if self.is_array(v):
            if isinstance(v, Array) and v.storage.length:
                return self.name_it(Scalar("int", f"int64_t({v.storage.length})"), "length")
            return Static(self.shape_of(v)[0])
        return Static(len(self.items_of(v)))

    def builtin_range(self, *args):
        args = [self.name_it(self.scalar_of(a), "limit") for a in args]
        start, stop = (Static(0), args[0]) if len(args) == 1 else args[:2]
        step = args[2] if len(args) > 2 else Static(1)
        if not isinstance(step, Static):
            raise ConversionError("a range with a computed step")
        return RangeValue(start, stop, int(step.obj))

    def numpy_arange(self, *args, dtype=None):
        return self.builtin_range(*args)

    def builtin_enumerate(self, v, start=None):
        first = start.obj if start else 0
        return TupleValue(tuple(TupleValue((Static(k + first), x)) for k, x in enumerate(self.items_of(v))))

    def builtin_zip(self, *args, strict=None):
        return TupleValue(tuple(TupleValue(row) for row in zip(*[self.items_of(v) for v in args])))

    def builtin_map(self, f, *args):
        return TupleValue(tuple(self.name_it(self.call(f, list(row), {}), "item") for row in zip(*[self.items_of(v) for v in args])))

    def builtin_reversed(self, v):
        return TupleValue(tuple(reversed(self.items_of(v))))

    def builtin_tuple(self, v=None):
        return TupleValue(tuple(self.items_of(v))) if v is not None else TupleValue(())

    def builtin_list(self, v=None):
        v = needed(v) if v is not None else None
        if isinstance(v, ListRef):
            return self.copied_list(v)
        return self.new_list(self.items_of(v) if v is not None else [])

    def builtin_dict(self, v=None, **kwargs):
        return DictValue({**(v.items if isinstance(v, DictValue) else {}), **kwargs})

    def builtin_isinstance(self, v, kinds):
        v = needed(v)
        kinds = kinds.obj if isinstance(kinds.obj, tuple) else (kinds.obj,)
        python = {"bool": bool, "int": int, "float": float}
        if isinstance(v, Scalar):
            kind = python.get(v.type) or np.dtype(self.numpy_type(v.type)).type
        else:
            kind = {TupleValue: tuple, ListRef: list, Array: np.ndarray, DictValue: dict}.get(type(v)) or type(
                getattr(v, "obj", v.options[0] if isinstance(v, Choice) else v)
            )
        return Static(issubclass(kind, kinds))

    def builtin_sorted(self, v, reverse=None, key=None):
        if key is not None:
            raise ConversionError("sorted() with a key")
        v = needed(v)
        if self.is_array(v):
            v = self.new_list(self.items_of(v))
        copy = self.copied_list(v if isinstance(v, ListRef) else self.new_list(self.items_of(v)))
        storage = self.to_storage(copy)
        down = reverse is not None and reverse.obj
        self.out.line(f"sort_numbers({storage.name}, {storage.length}, {'true' if down else 'false'});")
        return copy

    def numpy_sort(self, v):
        v = self.copied(v)
        self.out.line(f"sort_numbers({v.storage.name}, {v.shape[0]}, false);")
        return v
