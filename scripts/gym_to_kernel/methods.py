"""Methods of lists, dicts, arrays and numbers that are no constants."""

import ast

import numpy as np

from .messages import ConversionError
from .scalar_types import BOOLS, INTEGERS
from .values import Choice, DictValue, Generator, ListRef, ListState, Optional, Scalar, Self, Static, Super, TupleValue, describe, needed


class Methods:
    """Part of the Translator."""

    def call_method(self, method, args, kwargs):
        receiver, name = method.receiver, method.name
        if isinstance(receiver, Super):
            if name in ("reset", "__init__", "render", "close"):
                return Static(None)
            raise ConversionError(f"super().{name}")
        if isinstance(receiver, Generator):
            return self.draw_call(name, args, kwargs)
        if isinstance(receiver, Self):
            raise ConversionError(f"the method {name} of the environment")
        if isinstance(receiver, ListRef):
            return self.list_method(receiver, name, args)
        if isinstance(receiver, DictValue):
            return self.dict_method(receiver, name, args)
        if isinstance(receiver, Static) and isinstance(receiver.obj, dict):
            if all(isinstance(a, Static) for a in args) and name in ("get", "items", "keys", "values"):
                return self.call_python(getattr(receiver.obj, name), [a.obj for a in args])
            if name == "get":
                return self.dict_method(DictValue({k: Static(o) for k, o in receiver.obj.items()}), name, args)
            raise ConversionError(f"a dict that changes: its {name}()")
        if isinstance(receiver, Static) and isinstance(receiver.obj, (list, set)):
            if name in ("index", "count", "copy", "union", "intersection"):
                if all(self.plain(a) for a in args):
                    return self.call_python(getattr(receiver.obj, name), [self.python_object(a) for a in args])
                if name == "index":
                    return self.index_of(self.items_of(receiver), args[0])
            if isinstance(receiver.obj, list):
                return self.list_method(self.lifted_list(receiver), name, args)
            raise ConversionError(f"a set that changes: its {name}()")
        if isinstance(receiver, Static) and isinstance(receiver.obj, np.ndarray):
            receiver = self.lift_everywhere(receiver)
        if isinstance(receiver, TupleValue) and name in ("index", "count"):
            return self.index_of(self.items_of(receiver), args[0])
        if self.is_array(receiver) or self.is_number(receiver) or isinstance(receiver, (Optional, TupleValue)):
            return self.array_method(needed(receiver), name, args, kwargs)
        if isinstance(receiver, Choice):
            if all(isinstance(a, Static) for a in args):
                return self.collapse(
                    Choice(
                        tuple(self.constant(lambda o: getattr(o, name)(*[a.obj for a in args]), o) for o in receiver.options),
                        receiver.index,
                    )
                )
        raise ConversionError(f"{describe(receiver)} has no method {name} that is translated")

    def index_of(self, items, wanted):
        """list.index: the first place that is equal."""
        found = Static(len(items) - 1)  # Python raises where none is equal
        for k in reversed(range(len(items) - 1)):
            equal = self.compare(ast.Eq, items[k], wanted)
            if isinstance(equal, Static):
                found = Static(k) if equal.obj else found
            else:
                found = Scalar("int", f"({self.truth(equal)} ? int64_t({k}) : {self.convert(found, 'int')})", (0, len(items) - 1))
        return found

    def dict_method(self, receiver, name, args):
        if name == "get":
            missing = args[1] if len(args) > 1 else Static(None)
            if isinstance(args[0], Static):
                return receiver.items.get(args[0].obj, missing)
            values = [receiver.items.get(o, missing) for o in args[0].options] if isinstance(args[0], Choice) else []
            if not values or not all(isinstance(v, Static) for v in values):
                raise ConversionError("a dict by a computed key")
            return self.collapse(Choice(tuple(v.obj for v in values), args[0].index))
        if name in ("items", "keys", "values"):
            pairs = {
                "items": [TupleValue((Static(k), v)) for k, v in receiver.items.items()],
                "keys": [Static(k) for k in receiver.items],
                "values": list(receiver.items.values()),
            }
            return TupleValue(tuple(pairs[name]))
        if name == "copy":
            return DictValue(dict(receiver.items))
        raise ConversionError(f"a dict that changes: its {name}()")

    def list_method(self, ref, name, args):
        state = self.list_state(ref)
        if name == "copy":
            return self.copied_list(ref)
        if name == "index" and not state.storage:
            return self.index_of(list(state.items), args[0])
        if name == "count" and not state.storage:
            total = Static(0)
            for v in state.items:
                total = self.binary(ast.Add, total, self.compare(ast.Eq, v, args[0]))
            return total
        if not state.storage:
            items = list(state.items)
            if name == "append":
                items.append(self.name_it(args[0], "item"))
            elif name == "extend":
                items += [self.name_it(v, "item") for v in self.items_of(args[0])]
            elif name == "clear":
                items = []
            elif name == "reverse":
                items.reverse()
            elif name == "insert" and isinstance(args[0], Static):
                items.insert(args[0].obj, self.name_it(args[1], "item"))
            elif name == "pop" and all(isinstance(a, Static) for a in args) and items:
                value = items.pop(*[a.obj for a in args])
                self.env.lists[ref.number] = ListState(tuple(items))
                return value
            else:
                self.to_storage(ref)
                return self.list_method(ref, name, args)
            self.env.lists[ref.number] = ListState(tuple(items))
            return Static(None)
        s = state.storage
        if name == "append":
            value = self.convert(self.name_it(args[0], "item"), s.type)
            self.grows = True
            self.out.line(f"if ({s.length} < {s.size}) {s.name}[{s.length}++] = {value};")
            self.out.line("else overflow = true;")
            return Static(None)
        if name == "clear":
            self.out.line(f"{s.length} = 0;")
            return Static(None)
        if name == "pop":
            place = args[0] if args else Static(-1)
            if isinstance(place, Static) and place.obj == -1:
                last = self.fresh("last")
                self.out.line(f"const {self.cpp(s.type)} {last} = {self.read_code(s, f'place({s.length} - 1, {s.size})')};")
                self.out.line(f"{s.length} -= {s.length} > 0;")
                return Scalar(s.type, last)
            value = self.list_subscript(s, place)
            i = self.fresh("i")
            start = self.convert(place, "i8") if not isinstance(place, Static) else str(place.obj)
            self.out.line(f"for (int64_t {i} = {start}; {i} + 1 < {s.length}; ++{i}) {s.name}[{i}] = {s.name}[{i} + 1];")
            self.out.line(f"{s.length} -= {s.length} > 0;")
            return value
        raise ConversionError(f"the method {name} of a list of varying length")

    def copied_list(self, ref):
        state = self.list_state(ref)
        number = self.new_list_number()
        if state.storage:
            storage = self.declare_list(self.out, state.storage.type, "list")
            self.copy_list(self.out, storage, state)
            self.env.lists[number] = ListState(storage=storage)
        else:
            self.env.lists[number] = ListState(state.items)
        return ListRef(number)

    def array_method(self, v, name, args, kwargs):
        if name == "astype":
            return self.cast(v, self.dtype_of(args[0] if args else kwargs["dtype"]))
        if name == "copy":
            return self.copied(v) if self.is_array(v) else v
        if name in ("item", "tolist") and not args and (self.is_number(v) or self.shape_of(v) == ()):
            x = self.scalar_of(v)
            t = self.number_type(x)
            return Scalar(
                "bool" if t in BOOLS else "int" if t in INTEGERS else "float",
                self.convert(x, "bool" if t in BOOLS else "int" if t in INTEGERS else "float"),
            )
        if name == "item":
            return self.subscript(self.reshaped(v, (-1,)), args[0] if args else Static(0))
        if name == "tolist":
            return self.new_list([self.array_method(x, "tolist", [], {}) for x in self.items_of(v)])
        if name in ("flatten", "ravel"):
            flat = self.reshaped(v, (-1,))
            return self.copied(flat) if name == "flatten" else flat
        if name == "reshape":
            return self.reshaped(v, self.shape_argument(args[0] if len(args) == 1 else TupleValue(tuple(args))))
        if name == "fill":
            return self.assign_subscript(v, Static(Ellipsis), args[0]) or Static(None)
        if name in (
            "sum",
            "mean",
            "min",
            "max",
            "any",
            "all",
            "prod",
            "argmax",
            "argmin",
            "cumsum",
            "cumprod",
            "std",
            "var",
            "dot",
            "clip",
            "round",
            "transpose",
            "squeeze",
        ):
            return getattr(self, f"numpy_{name}")(v, *args, **kwargs)
        if name == "conjugate":
            return v
        if name == "is_integer":
            return Scalar("bool", f"{self.wrapped(self.convert(v, 'f8'))} == std::floor({self.convert(v, 'f8')})")
        raise ConversionError(f"the method {name}() of {describe(v)} is not translated")
