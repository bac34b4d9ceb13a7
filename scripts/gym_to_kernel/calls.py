"""Calls: Python functions are written in place, functions of constants are called now, the rest are known by name."""

import ast
import types

import numpy as np

from .code import Buffer, Exit, Scope
from .merging import same, same_list
from .messages import ConversionError
from .scalar_types import CPP
from .source import source_of
from .values import Choice, DictValue, Function, ListRef, ListState, Method, RangeValue, Self, Static, Super, TupleValue, describe, needed

# Compiled functions that give the same result for the same arguments, by module; others may not be called now.
PURE = {
    "builtins",
    "math",
    "numpy",
    "operator",
    "_operator",
    "functools",
    "itertools",
    "collections",
    "cmath",
    "numpy.linalg",
    "fractions",
    "string",
}
DATA_SHAPED = {
    "nonzero",
    "argwhere",
    "flatnonzero",
    "unique",
    "extract",
    "compress",
    "union1d",
    "intersect1d",
    "setdiff1d",
    "delete",
    "trim_zeros",
}
SILENT = {"print", "warn", "warning", "info", "debug", "error", "deprecation"}  # logging: no effect on the state
MAX_DEPTH = 40


class Calls:
    """Part of the Translator."""

    def eval_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            owner = self.source.names.get("__class__") or self.source.owner
            if owner is None:
                raise ConversionError("super() outside of a class")
            return Super(owner)
        if self.is_logging(node.func):
            return Static(None)
        function = needed(self.eval(node.func))
        if isinstance(function, Static) and function.obj is hasattr:
            return self.has_attribute(node)
        args, kwargs = [], {}
        for a in node.args:
            if isinstance(a, ast.Starred):
                args += self.items_of(self.eval(a.value))
            else:
                args.append(self.eval(a))
        for k in node.keywords:
            value = self.eval(k.value)
            if k.arg is None:
                kwargs.update(
                    {key: v for key, v in value.items.items()}
                    if isinstance(value, DictValue)
                    else {key: Static(o) for key, o in value.obj.items()}
                )
            else:
                kwargs[k.arg] = value
        return self.call(function, args, kwargs)

    def is_logging(self, func):
        if isinstance(func, ast.Name):
            return func.id == "print"
        return (
            isinstance(func, ast.Attribute)
            and func.attr in SILENT
            and isinstance(func.value, (ast.Name, ast.Attribute))
            and ast.unparse(func.value).split(".")[-1] in ("logger", "logging", "warnings", "log")
        )

    def has_attribute(self, node):
        owner, name = self.eval(node.args[0]), self.eval(node.args[1])
        if isinstance(owner, Self):
            return Static(name.obj in self.env.attrs or hasattr(self.instance, name.obj))
        return Static(hasattr(owner.obj, name.obj))

    def call(self, function, args, kwargs):
        if isinstance(function, Function):
            return self.call_function(function, args, kwargs)
        if isinstance(function, Method):
            return self.call_method(function, args, kwargs)
        if isinstance(function, Self):
            raise ConversionError("the environment is called as a function")
        if not isinstance(function, Static):
            raise ConversionError(f"{describe(function)} is called")
        obj = function.obj
        self.refuse_impure(obj)
        if isinstance(obj, types.FunctionType) and obj.__module__ == "copy" and obj.__name__ in ("copy", "deepcopy"):
            return self.deep_copy(args[0])
        if isinstance(obj, types.MethodType) and obj.__self__ is self.instance:
            return self.call_function(Function(source_of(obj.__func__), receiver=Self()), args, kwargs)
        if (
            isinstance(obj, np.ufunc)
            or getattr(obj, "__module__", "") in ("numpy", "math", "numpy.linalg", "builtins")
            or obj in (np.random.default_rng,)
        ):
            if all(self.plain(v) for v in (*args, *kwargs.values())):
                return self.call_python(obj, [self.python_object(v) for v in args], {k: self.python_object(v) for k, v in kwargs.items()})
            return self.call_known(obj, args, kwargs)
        if isinstance(obj, type) and issubclass(obj, np.generic):
            return (
                self.call_known(obj, args, kwargs)
                if not all(self.plain(v) for v in args)
                else self.call_python(obj, [self.python_object(v) for v in args])
            )
        if isinstance(obj, types.FunctionType):
            file = obj.__code__.co_filename
            if f"{'numpy'}/" in file and not all(self.plain(v) for v in args):
                return self.call_known(obj, args, kwargs)
            if "numpy/" in file:
                return self.call_python(obj, [self.python_object(v) for v in args], {k: self.python_object(v) for k, v in kwargs.items()})
            return self.call_function(Function(source_of(obj)), args, kwargs)
        if isinstance(obj, types.MethodType) and isinstance(obj.__func__, types.FunctionType) and isinstance(obj.__self__, type):
            return self.call_function(Function(source_of(obj.__func__), receiver=Static(obj.__self__)), args, kwargs)
        if all(self.plain(v) for v in (*args, *kwargs.values())):
            return self.call_python(obj, [self.python_object(v) for v in args], {k: self.python_object(v) for k, v in kwargs.items()})
        if len(args) == 1 and isinstance(args[0], Choice) and not kwargs:  # a method of a constant, as b"GHF".index(letter)
            return self.collapse(Choice(tuple(self.constant(obj, o) for o in args[0].options), args[0].index))
        return self.call_known(obj, args, kwargs)

    def refuse_impure(self, obj):
        """What gives another result at every call can't be computed now, and has no source to be translated."""
        import random

        owner, module = getattr(obj, "__self__", None), getattr(obj, "__module__", None) or ""
        if isinstance(owner, (np.random.RandomState, random.Random)) or module.startswith(("numpy.random", "random", "secrets")):
            raise ConversionError("random numbers must come from self.np_random, which reset seeds")
        if isinstance(owner, type(np)):
            owner = None
        if (
            not isinstance(obj, (types.FunctionType, type, np.ufunc))
            and owner is None
            and module
            and module.split(".")[0] not in (*PURE, "numpy")
            and callable(obj)
        ):
            raise ConversionError(
                f"{module}.{getattr(obj, '__name__', obj)}() is compiled code, so that it can't become a part of a kernel"
            )

    def deep_copy(self, v):
        v = needed(v)
        if isinstance(v, ListRef):
            state = self.list_state(v)
            return self.copied_list(v) if state.storage else self.new_list([self.deep_copy(x) for x in state.items])
        if isinstance(v, TupleValue):
            return TupleValue(tuple(self.deep_copy(x) for x in v.items), v.unsure)
        if self.is_array(v):
            return self.copied(v)
        if isinstance(v, Static) and isinstance(v.obj, list):
            return self.lifted_list(v)
        if isinstance(v, Static) or self.is_number(v):
            return v
        raise ConversionError(f"a copy of {describe(v)}")

    def plain(self, v):
        """Whether a value is a constant all through."""
        if isinstance(v, Static):
            return True
        if isinstance(v, TupleValue):
            return not v.unsure and all(self.plain(x) for x in v.items)
        if isinstance(v, ListRef):
            state = self.list_state(v)
            return state.storage is None and all(self.plain(x) for x in state.items)
        if isinstance(v, DictValue):
            return all(self.plain(x) for x in v.items.values())
        if isinstance(v, RangeValue):
            return self.plain(v.start) and self.plain(v.stop)
        return False

    def python_object(self, v):
        if isinstance(v, Static):
            return v.obj
        if isinstance(v, TupleValue):
            return tuple(self.python_object(x) for x in v.items)
        if isinstance(v, ListRef):
            return [self.python_object(x) for x in self.list_state(v).items]
        if isinstance(v, RangeValue):
            return range(v.start.obj, v.stop.obj, v.step)
        return {k: self.python_object(x) for k, x in v.items.items()}

    def call_python(self, f, args, kwargs=None):
        """A function of constants, called now."""
        try:
            with np.errstate(all="ignore"):
                result = f(*args, **(kwargs or {}))
        except Exception as e:
            raise PythonError(e) from None
        if isinstance(result, list) and not any(result is a for a in args):
            return self.new_list([self.constant_value(o) for o in result])
        if isinstance(result, types.GeneratorType) or type(result).__name__ in (
            "zip",
            "map",
            "filter",
            "enumerate",
            "reversed",
            "list_reverseiterator",
        ):
            return TupleValue(tuple(self.constant_value(o) for o in result))
        return self.constant_value(result)

    # Functions with source

    def call_function(self, function, args, kwargs):
        source = function.source
        if len(self.env.frames) > MAX_DEPTH:
            raise ConversionError(f"{source.name} calls itself, or calls are more than {MAX_DEPTH} deep")
        node = source.node
        if isinstance(node, ast.FunctionDef) and any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node)):
            raise ConversionError(f"{source.name} is a generator")
        if isinstance(node, ast.FunctionDef) and any(
            "njit" in ast.unparse(d) or "lru_cache" in ast.unparse(d) or "staticmethod" in ast.unparse(d) for d in node.decorator_list
        ):
            if any("staticmethod" in ast.unparse(d) for d in node.decorator_list):
                function = Function(source, function.outer, None, function.default_values)
        frame = self.bind(function, args, kwargs)
        return self.run_function(source, function.outer, frame)

    def bind(self, function, args, kwargs):
        """Parameters to values; numbers get names, since they may be used more than once."""
        a = function.source.node.args
        names = [p.arg for p in (*a.posonlyargs, *a.args)]
        values = ([function.receiver] if function.receiver is not None else []) + list(args)
        defaults = (
            function.default_values if function.default_values is not None else [self.constant_value(d) for d in function.source.defaults]
        )
        frame = dict(zip(names, values))
        if len(values) > len(names):
            if not a.vararg:
                raise ConversionError(f"{function.source.name} takes {len(names)} arguments, not {len(values)}")
            frame[a.vararg.arg] = TupleValue(tuple(values[len(names) :]))
        elif a.vararg:
            frame[a.vararg.arg] = TupleValue(())
        extra = {}
        for k, v in kwargs.items():
            if k in names or k in [p.arg for p in a.kwonlyargs]:
                frame[k] = v
            else:
                extra[k] = v
        if a.kwarg:
            frame[a.kwarg.arg] = DictValue(extra)
        elif extra:
            raise ConversionError(f"{function.source.name} has no parameter {next(iter(extra))}")
        for name, value in zip(reversed(names), reversed(defaults)):
            frame.setdefault(name, value)
        for p, d in zip(a.kwonlyargs, a.kw_defaults):
            if p.arg not in frame:
                if d is None:
                    raise ConversionError(f"{function.source.name} needs {p.arg}")
                frame[p.arg] = (
                    self.constant_value(function.source.keyword_defaults[p.arg])
                    if p.arg in function.source.keyword_defaults
                    else self.eval(d)
                )
        for name in names:
            if name not in frame:
                raise ConversionError(f"{function.source.name} needs {name}")
        return {k: self.name_it(v, k) for k, v in frame.items()}

    def run_function(self, source, outer, frame):
        saved = self.source, self.outer, self.out, self.scope, self.exits, self.loops
        scope = Scope()
        declare = self.out.block(Buffer(self.out.loop_depth))
        self.out.add(scope)
        self.source, self.outer, self.scope, self.exits, self.loops = source, outer, scope, [], []
        self.out = scope.body
        before = self.env.copy()
        self.env.frames.append(frame)
        if isinstance(source.node, ast.Lambda):
            self.exits.append((self.out, self.env, self.eval(source.node.body)))
        else:
            falls = self.run_block(source.node.body)
            if falls:
                self.leave(Static(None))
        exits = self.exits
        self.source, self.outer, self.out, self.scope, self.exits, self.loops = saved
        if not exits:
            raise ConversionError(f"{source.name} never returns")
        for _, env, value in exits:
            env.frames[-1].clear()
            env.frames[-1]["$value"] = value
        if len(exits) == 1 and exits[0][0] not in scope.body.parts:
            self.env = self.carry_out(declare, exits[0][0], exits[0][1], before)  # what it made must be seen outside of its block
        else:
            self.env = self.merge_paths(declare, [(b, env) for b, env, _ in exits])
        return self.env.frames.pop()["$value"]

    def leave(self, value):
        """A return on the path that is being written."""
        buffer = self.out.block(Buffer(self.out.loop_depth))
        self.exits.append((buffer, self.env, value))
        if self.loops:
            self.scope.jumps = True
        self.out.add(Exit(self.scope))

    def carry_out(self, declare, buffer, env, before):
        """An env of one path, with all that is new in it in variables that are declared before the path."""
        lift = lambda value, old, name: value if old is not None and same(value, old) else self.lift_out(declare, (buffer, value), name)
        for frame, old in zip(env.frames, [*before.frames, {}]):
            for name in frame:
                frame[name] = lift(frame[name], old.get(name), name.strip("$"))
        for name in env.attrs:
            env.attrs[name] = lift(env.attrs[name], before.attrs.get(name), name)
        for number, state in env.lists.items():
            old = before.lists.get(number)
            if state.storage is None and not (old and same_list(state, old)):
                env.lists[number] = ListState(tuple(self.lift_out(declare, (buffer, v), "item") for v in state.items))
        return env

    # Methods of values that are no constants

    def cpp(self, type):
        return CPP[type]


class PythonError(ConversionError):
    """Python itself raised where constants were computed; a try statement may catch it."""

    def __init__(self, error):
        super().__init__(f"Python raises {type(error).__name__}: {error}")
        self.error = error
