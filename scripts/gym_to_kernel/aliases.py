"""Two names of one array. Where paths meet, an array that is one thing on one path and another elsewhere becomes a copy: right as
long as nobody writes to it or to what it was copied from while both can be seen."""

from .messages import ConversionError
from .values import Array, ListRef, Optional, TupleValue


class Aliases:
    """Part of the Translator."""

    def note_copy(self, storage, value):
        if isinstance(value, Array):
            storage.sources += (value.storage,)
            value.storage.copies.append(storage)

    def check_write(self, storage):
        """Before an element is written."""
        if storage.name.startswith("s."):
            self.written.add(storage.name)
        if not storage.sources and not storage.copies:
            return
        seen = self.visible()
        others = self.reached(storage, lambda s: s.sources) | self.reached(storage, lambda s: s.copies)
        if others & seen:
            raise ConversionError(
                "an array is written that is one array or another, depending on a condition, and the other is still in use: "
                "write to the one that is meant, or make a .copy()"
            )

    def reached(self, storage, step):
        found, todo = set(), [storage]
        while todo:
            for s in step(todo.pop()):
                if s.name not in found:
                    found.add(s.name)
                    todo.append(s)
        return found

    def visible(self):
        """Names of the storages that a Python name, attribute or list leads to."""
        names = set()

        def walk(v):
            if isinstance(v, Array):
                names.add(v.storage.name)
            elif isinstance(v, TupleValue):
                for x in v.items:
                    walk(x)
            elif isinstance(v, Optional):
                walk(v.value)
            elif isinstance(v, ListRef):
                state = self.env.lists[v.number]
                for x in state.items:
                    walk(x)

        for values in (*self.env.frames, self.env.attrs):
            for v in values.values():
                walk(v)
        return names

    def check_shared(self, attrs, written):
        """At the end of a step: attributes that share an array are apart in the next, so none may be written in place."""
        owners = {}
        for name, v in attrs.items():
            if isinstance(v, Array):
                owners.setdefault(v.storage.name, []).append(name)
        for names in owners.values():
            if len(names) > 1 and any(f"s.{n}" in written for n in names):
                raise ConversionError(
                    f"self.{names[0]} and self.{names[1]} are one array at the end of a step, and it is changed in place: "
                    "make one of them a .copy()"
                )
