"""Python expressions, one method a kind of syntax."""

import ast
import types

import numpy as np

from .code import Buffer, If
from .messages import ConversionError
from .scalar_types import join
from .source import Source, source_of
from .values import Array, Choice, DictValue, Function, Generator, Method, Opaque, Scalar, Self, Static, Super, TupleValue, needed


class Expressions:
    """Part of the Translator."""

    def eval(self, node):
        handler = getattr(self, f"eval_{type(node).__name__}", None)
        try:
            if handler is None:
                raise ConversionError(f"{type(node).__name__} expressions are not translated")
            return handler(node)
        except ConversionError as e:
            raise e.at(self.source, node) from None
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, NotImplementedError, RecursionError, OverflowError) as e:
            # A use of a known function that it has no translation for: an argument, a kind of value.
            raise ConversionError(f"this use is not translated ({type(e).__name__}: {e})").at(self.source, node) from e

    def eval_Constant(self, node):
        return Static(node.value)

    def eval_Name(self, node):
        frame = self.env.frames[-1]
        if node.id in frame:
            return frame[node.id]
        if node.id in self.outer:
            return self.outer[node.id]
        return self.constant_value(self.source.lookup(node.id))

    def constant_value(self, obj):
        """A Python object as a value."""
        if obj is self.instance:
            return Self()
        if isinstance(obj, np.random.Generator):
            return Generator()
        return Static(obj)

    def eval_JoinedStr(self, node):
        try:
            return Static("".join(self.formatted(p) for p in node.values))
        except ConversionError:
            return Opaque("a string is made from computed numbers")

    def formatted(self, part):
        if isinstance(part, ast.Constant):
            return str(part.value)
        value = self.eval(part.value)
        if not isinstance(value, Static) or part.format_spec is not None:
            raise ConversionError("a string is made from computed numbers")
        return repr(value.obj) if part.conversion == 114 else str(value.obj)

    def eval_Tuple(self, node):
        items = self.eval_items(node.elts)
        if all(isinstance(v, Static) for v in items):
            return Static(tuple(v.obj for v in items))
        return TupleValue(tuple(items))

    def eval_List(self, node):
        return self.new_list(self.eval_items(node.elts))

    def eval_Set(self, node):
        items = self.eval_items(node.elts)
        if all(isinstance(v, Static) for v in items):
            return Static({v.obj for v in items})
        return TupleValue(tuple(items))

    def eval_items(self, nodes):
        items = []
        for n in nodes:
            if isinstance(n, ast.Starred):
                items += self.items_of(self.eval(n.value))
            else:
                items.append(self.name_it(self.eval(n), "item"))
        return items

    def eval_Dict(self, node):
        items = {}
        for k, v in zip(node.keys, node.values):
            if k is None:
                inner = self.eval(v)
                items.update(inner.items if isinstance(inner, DictValue) else {key: Static(o) for key, o in inner.obj.items()})
                continue
            key = self.eval(k)
            if not isinstance(key, Static):
                raise ConversionError("a dict with computed keys")
            items[key.obj] = self.eval(v)
        return DictValue(items)

    def eval_Attribute(self, node):
        return self.attribute(self.eval(node.value), node.attr)

    def attribute(self, value, name):
        value = needed(value)
        if isinstance(value, Self):
            return self.self_attribute(name)
        if isinstance(value, Super):
            return self.super_attribute(value, name)
        if isinstance(value, Static):
            if (
                isinstance(value.obj, np.ndarray)
                and name in ("fill", "sort", "partition", "put", "resize")
                or isinstance(value.obj, (list, dict, set))
            ):
                return Method(value, name)
            try:
                return self.constant_value(getattr(value.obj, name))
            except AttributeError as e:
                raise ConversionError(str(e)) from None
        if self.is_array(value):
            shape = self.shape_of(value)
            if name in ("shape", "ndim", "size", "dtype"):
                if value.storage.length:
                    raise ConversionError("an array of varying length")
                return Static({"shape": shape, "ndim": len(shape), "size": value.size}.get(name, np.dtype(self.numpy_type(value.type))))
            if name == "T":
                return Array(value.storage, tuple(reversed(shape)), tuple(reversed(value.strides)), value.offset, value.base)
            if name == "flat":
                return self.reshaped(value, (value.size,))
        if isinstance(value, Scalar) and name in ("dtype", "shape", "ndim", "size"):
            return Static({"shape": (), "ndim": 0, "size": 1}.get(name, np.dtype(self.numpy_type(value.type))))
        if isinstance(value, Choice):
            return (
                self.collapse(Choice(tuple(self.constant(getattr, o, name) for o in value.options), value.index))
                if not callable(getattr(value.options[0], name, None))
                else Method(value, name)
            )
        return Method(value, name)

    def self_attribute(self, name):
        if name in self.env.attrs:
            if name not in self.env.fresh:
                self.used.add(name)
            return self.env.attrs[name]
        if name == "np_random":
            return Generator()
        if name in self.assigned:  # by a reset or step, but on another path
            self.used.add(name)
        for cls in type(self.instance).__mro__:
            if name in vars(cls):
                found = vars(cls)[name]
                if isinstance(found, property):
                    return self.call_function(Function(source_of(found.fget, cls), receiver=Self()), [], {})
                if isinstance(found, types.FunctionType) and name not in vars(self.instance):
                    return Function(source_of(found, cls), receiver=Self())
                if isinstance(found, classmethod):
                    return Function(source_of(found.__func__, cls), receiver=Static(type(self.instance)))
                break
        if name == "unwrapped":
            return Self()
        try:
            return self.constant_value(getattr(self.instance, name))
        except AttributeError:
            raise ConversionError(f"the environment has no attribute {name} after its constructor") from None

    def super_attribute(self, value, name):
        mro = type(self.instance).__mro__
        for cls in mro[mro.index(value.owner) + 1 :]:
            if name in vars(cls):
                if cls.__module__.startswith("gymnasium.core") or cls is object:
                    return Method(value, name)
                found = vars(cls)[name]
                if isinstance(found, property):
                    return self.call_function(Function(source_of(found.fget, cls), receiver=Self()), [], {})
                if isinstance(found, types.FunctionType):
                    return Function(source_of(found, cls), receiver=Self())
                return self.constant_value(found)
        raise ConversionError(f"no base class has {name}")

    def eval_BinOp(self, node):
        a = self.eval(node.left)
        a = (
            self.name_it(a, "left")
            if isinstance(a, Scalar) and not isinstance(node.right, (ast.Constant, ast.Name)) and len(a.code) > 100
            else a
        )
        return self.binary(type(node.op), a, self.eval(node.right))

    def eval_UnaryOp(self, node):
        return self.unary(type(node.op), self.eval(node.operand))

    def eval_Compare(self, node):
        left, result = self.eval(node.left), None
        if len(node.ops) == 1:
            return self.compare(type(node.ops[0]), left, self.eval(node.comparators[0]))
        left = self.name_it(left, "left")

        def rest(k, left):
            right = self.eval(node.comparators[k])
            if k + 1 == len(node.ops):
                return self.compare(type(node.ops[k]), left, right)
            right = self.name_it(right, "middle")
            here = self.compare(type(node.ops[k]), left, right)
            if isinstance(here, Static):
                return rest(k + 1, right) if here.obj else here
            return self.short_circuit(here, lambda: rest(k + 1, right), True)

        result = rest(0, left)
        return result

    def eval_BoolOp(self, node):
        is_and = isinstance(node.op, ast.And)

        def rest(k):
            value = self.eval(node.values[k])
            if k + 1 == len(node.values):
                return value
            truth = self.truth_value(value)
            if isinstance(truth, Static):
                return rest(k + 1) if truth.obj == is_and else value
            return self.short_circuit(value, lambda: rest(k + 1), is_and)

        return rest(0)

    def short_circuit(self, first, other, is_and):
        """`first and other()` or `first or other()`; what other() does is done only where Python does it."""
        if isinstance(first, Scalar):
            first = self.name_it(first, "first") if self.number_type(first) not in ("bool", "b1") else first
        test = self.truth(first)
        entry = self.env
        buffer, outer = Buffer(self.out.loop_depth), self.out
        before, draws = self.env.copy(), self.draw_calls
        self.out = buffer
        second = other()
        end, self.out = self.out, outer
        booleans = all(self.number_type(v) in ("bool", "b1") for v in (first, second) if not isinstance(v, (TupleValue,)))
        if buffer.empty() and booleans:
            joined = "&&" if is_and else "||"
            kind = "b1" if "b1" in (self.number_type(first), self.number_type(second)) else "bool"
            a, b = (f"({c})" if ("||" in c or "&&" in c or "?" in c) else c for c in (test, self.truth(second)))
            return Scalar(kind, f"{a} {joined} {b}")
        if booleans:
            flag = self.fresh("both" if is_and else "either")
            self.out.line(f"bool {flag} = {test};")
            end.line(f"{flag} = {self.truth(second)};")
            value = Scalar("bool", flag)
        else:
            value = None
        declare = self.out.block(Buffer(self.out.loop_depth))
        empty = Buffer(self.out.loop_depth)
        self.out.add(If(test if is_and else f"!({test})", buffer, empty))
        if value is None:
            end_env, self.env = self.env, entry
            end_env.frames[-1]["$value"] = second
            before.frames[-1]["$value"] = first
            self.env = self.merge_paths(declare, [(end, end_env), (empty, before)])
            return self.env.frames[-1].pop("$value")
        self.env = self.merge_paths(declare, [(end, self.env), (empty, before)])
        return value

    def eval_IfExp(self, node):
        test = self.truth_value(self.eval(node.test))
        if isinstance(test, Static):
            return self.eval(node.body if test.obj else node.orelse)
        test = self.name_it(test, "test") if len(test.code) > 60 else test
        ends = []
        outer = self.out
        entry = self.env
        for branch in (node.body, node.orelse):
            self.out, self.env = Buffer(outer.loop_depth), entry.copy()
            start = self.out
            value = self.eval(branch)
            ends.append((start, self.out, self.env, value))
        self.out = outer
        (then, then_end, then_env, a), (other, other_end, other_env, b) = ends
        if then.empty() and other.empty() and self.is_number(a) and self.is_number(b) and not self.is_array(a) and not self.is_array(b):
            t = join(self.number_type(a), self.number_type(b))
            self.env = then_env
            part = lambda v: f"({self.convert(v, t)})" if " ? " in self.convert(v, t) else self.convert(v, t)
            cond = f"({test.code})" if " ? " in test.code else test.code
            return self.name_it(Scalar(t, f"{cond} ? {part(a)} : {part(b)}"), "chosen")
        declare = self.out.block(Buffer(self.out.loop_depth))
        self.out.add(If(test.code, then, other))
        then_env.frames[-1]["$value"], other_env.frames[-1]["$value"] = a, b
        self.env = self.merge_paths(declare, [(then_end, then_env), (other_end, other_env)])
        return self.env.frames[-1].pop("$value")

    def eval_NamedExpr(self, node):
        value = self.name_it(self.eval(node.value), node.target.id)
        self.env.frames[-1][node.target.id] = value
        return value

    def eval_Lambda(self, node):
        source = Source(node, self.source.file, self.source.lines, self.source.names, self.source.owner)
        return Function(source, self.closure(), default_values=[self.eval(d) for d in node.args.defaults])

    def closure(self):
        return {**self.outer, **self.env.frames[-1]}

    def eval_Subscript(self, node):
        return self.subscript(self.eval(node.value), self.eval_index(node.slice))

    def eval_Slice(self, node):
        return self.eval_index(node)

    def eval_index(self, node):
        """An index: a value, a slice of values, or a tuple of these."""
        if isinstance(node, ast.Tuple):
            return tuple(self.eval_index(n) for n in node.elts)
        if isinstance(node, ast.Slice):
            parts = [Static(None) if p is None else self.eval(p) for p in (node.lower, node.upper, node.step)]
            return slice(*parts)
        return self.eval(node)
