"""Comparisons, `in`, `is`, and what is true."""

import ast

from .messages import ConversionError
from .operators import PYTHON, wrap
from .values import Array, Choice, DictValue, ListRef, Optional, Scalar, Static, TupleValue, needed


class Comparisons:
    """Part of the Translator."""

    def compare(self, op, a, b):
        if op in (ast.Is, ast.IsNot):
            return self.compare_identity(op, a, b)
        a, b = needed(a), needed(b)
        if op in (ast.In, ast.NotIn):
            found = self.contains(b, a)
            return found if op is ast.In else self.negate(found)
        if (
            isinstance(a, (TupleValue, ListRef, DictValue))
            or isinstance(b, (TupleValue, ListRef, DictValue))
            or any(isinstance(v, Static) and isinstance(v.obj, (tuple, list)) for v in (a, b))
            and not all(isinstance(v, (Static, Choice)) for v in (a, b))
        ):
            if not self.is_array(a) and not self.is_array(b):
                return self.compare_sequences(op, a, b)
        if isinstance(a, Choice) and isinstance(b, Choice) and not (self.is_number(a) and self.is_number(b)):
            options = tuple(self.constant(PYTHON[op], x, y) for x in a.options for y in b.options)
            return self.collapse(Choice(options, f"({a.index}) * {len(b.options)} + ({b.index})"))
        return self.binary(op, a, b)

    def compare_identity(self, op, a, b):
        none = lambda v: isinstance(v, Static) and v.obj is None
        for this, other in ((a, b), (b, a)):
            if isinstance(this, Optional) and none(other):
                return Scalar("bool", this.is_none if op is ast.Is else f"!{this.is_none}")
        if none(a) or none(b):
            both = none(a) and none(b)
            return Static(both == (op is ast.Is))
        if isinstance(a, Static) and isinstance(b, Static):
            return Static((a.obj is b.obj) == (op is ast.Is))
        if isinstance(b, Static) and isinstance(b.obj, bool):
            return self.binary(ast.Eq if op is ast.Is else ast.NotEq, a, b)
        raise ConversionError("identity of two objects that are computed")

    def compare_sequences(self, op, a, b):
        if op not in (ast.Eq, ast.NotEq):
            raise ConversionError("an order of sequences")
        bounded = [v for v in (a, b) if isinstance(v, ListRef) and self.list_state(v).storage]
        if len(bounded) == 1:
            other = self.items_of(b if bounded[0] is a else a)
            s = self.list_state(bounded[0]).storage
            terms = [f"{s.length} == {len(other)}"]
            for i, v in enumerate(other):
                terms.append(self.convert(self.number_binary(ast.Eq, Scalar(s.type, self.read_code(s, i)), v), "bool"))
            equal = self.name_it(Scalar("bool", " && ".join(terms)), "equal")
        else:
            kind = lambda v: list if isinstance(v, ListRef) or isinstance(v, Static) and isinstance(v.obj, list) else tuple
            if not all(isinstance(v, (TupleValue, ListRef)) or isinstance(v, Static) and isinstance(v.obj, (tuple, list)) for v in (a, b)):
                return Static(op is ast.NotEq)
            x, y = self.items_of(a), self.items_of(b)
            equal = Static(kind(a) is kind(b) and len(x) == len(y))
            if equal.obj:
                for p, q in zip(x, y):
                    equal = self.both(equal, self.compare(ast.Eq, p, q))
        return equal if op is ast.Eq else self.negate(equal)

    def both(self, a, b):
        if isinstance(a, Static):
            return b if a.obj else Static(False)
        if isinstance(b, Static):
            return a if b.obj else Static(False)
        return Scalar("bool", f"{wrap(self.truth(a))} && {wrap(self.truth(b))}")

    def contains(self, container, item):
        if isinstance(container, Static) and isinstance(item, Static):
            return Static(self.constant(lambda c, i: i in c, container.obj, item.obj))
        if isinstance(container, Static) and isinstance(item, Choice):
            return self.collapse(Choice(tuple(self.constant(lambda c, i: i in c, container.obj, o) for o in item.options), item.index))
        if isinstance(container, DictValue):
            return Static(item.obj in container.items)
        if isinstance(container, ListRef) and self.list_state(container).storage:
            s = self.list_state(container).storage
            found = self.fresh("found")
            self.out.line(f"bool {found} = false;")
            item = self.name_it(item, "item")

            def look(index, buffer):
                equal = self.number_binary(ast.Eq, Scalar(s.type, self.read_code(s, index[0])), item)
                buffer.line(f"{found} = {found} || {self.convert(equal, 'bool')};")

            self.for_each((s.size,), look, length=s.length)
            return Scalar("bool", found)
        if isinstance(container, Static) and isinstance(container.obj, (set, frozenset, dict)):
            container = Static(tuple(container.obj))
        if isinstance(container, Static) and isinstance(container.obj, range) and self.is_number(item):
            r = container.obj
            inside = (
                self.both(self.binary(ast.GtE, item, Static(min(r))), self.binary(ast.LtE, item, Static(max(r))))
                if len(r)
                else Static(False)
            )
            return (
                inside
                if abs(r.step) == 1
                else self.both(
                    inside,
                    self.binary(ast.Eq, self.binary(ast.Mod, self.binary(ast.Sub, item, Static(r[0])), Static(abs(r.step))), Static(0)),
                )
            )
        if self.is_array(container):
            return self.any_of(self.elementwise(lambda x, y: self.number_binary(ast.Eq, x, y), [container, item]))
        found = [self.compare(ast.Eq, item, x) for x in self.items_of(container)]
        if any(isinstance(f, Static) and f.obj for f in found):
            return Static(True)
        codes = [wrap(self.truth(f)) for f in found if not isinstance(f, Static)]
        return Scalar("bool", " || ".join(codes)) if codes else Static(False)

    def negate(self, v):
        if isinstance(v, Static):
            return Static(not v.obj)
        return Scalar("bool", f"!{wrap(self.truth(v))}")

    def truth_value(self, v):
        """bool(v): a constant or a Scalar."""
        t = self.truth_of(v)
        return Scalar("bool", self.convert(t, "bool")) if isinstance(t, Choice) else t

    def truth_of(self, v):
        if isinstance(v, Optional):
            inner = self.truth_value(v.value)
            if isinstance(inner, Static):
                return Scalar("bool", f"!{v.is_none}") if inner.obj else Static(False)
            return Scalar("bool", f"!{v.is_none} && {wrap(inner.code)}")
        v = needed(v)
        if isinstance(v, Static):
            return Static(self.constant(bool, v.obj))
        if isinstance(v, Choice):
            return self.collapse(Choice(tuple(self.constant(bool, o) for o in v.options), v.index))
        if isinstance(v, TupleValue):
            return Static(bool(v.items))
        if isinstance(v, DictValue):
            return Static(bool(v.items))
        if isinstance(v, ListRef):
            s = self.list_state(v)
            return Scalar("bool", f"{s.storage.length} != 0") if s.storage else Static(bool(s.items))
        if isinstance(v, Array) and v.size != 1:
            raise ConversionError("the truth of an array of more than one element is ambiguous; use any() or all()")
        if self.is_number(v):
            if self.number_type(v) == "loose":
                return Scalar("bool", f"{self.convert(v, 'loose')}.v != 0")
            return Scalar("bool", self.convert(v, "bool"))
        return Static(True)

    def truth(self, v):
        t = self.truth_value(v)
        return ("true" if t.obj else "false") if isinstance(t, Static) else self.convert(t, "bool")
