"""Comprehensions, and the items of sequences."""

import ast

from .code import Buffer, If
from .messages import ConversionError
from .scalar_types import join
from .values import Array, Choice, DictValue, ListRef, ListState, RangeValue, Scalar, Static, TupleValue, describe, needed


class ComputedLength(ConversionError):
    """A comprehension's length depends on data."""


class Comprehensions:
    """Part of the Translator."""

    def eval_ListComp(self, node):
        items = self.comprehension(node)
        return items if isinstance(items, ListRef) else self.new_list(items)

    def eval_GeneratorExp(self, node):
        items = self.comprehension(node)
        return items if isinstance(items, ListRef) else TupleValue(tuple(items))

    def eval_SetComp(self, node):
        return TupleValue(tuple(self.comprehension(node)))

    def eval_DictComp(self, node):
        out = {}
        frame = self.env.frames[-1]
        saved = dict(frame)
        for _ in self.comprehension_steps(node.generators, 0):
            key = self.eval(node.key)
            if not isinstance(key, Static):
                raise ConversionError("a dict with computed keys")
            out[key.obj] = self.eval(node.value)
        self.restore_names(saved, node.generators)
        return DictValue(out)

    def comprehension(self, node):
        """Items, written one by one; a list of varying length where the sequence's length varies, or an `if` depends on data."""
        before, parts = self.env.copy(), len(self.out.parts)
        try:
            return self.known_comprehension(node)
        except ComputedLength:
            if len(node.generators) > 1:
                raise ConversionError("a comprehension of several sequences whose length depends on data") from None
            self.env = before
            del self.out.parts[parts:]
            return self.filtered_comprehension(node)

    def filtered_comprehension(self, node):
        """Of a sequence of known length, with conditions that are computed: a list with room for all."""
        g = node.generators[0]
        items = self.items_of(self.eval(g.iter))
        saved = dict(self.env.frames[-1])
        outer, self.out = self.out, Buffer(self.out.loop_depth)
        types_ = []
        for item in items:
            self.assign(g.target, item)
            types_.append(self.number_type(self.eval(node.elt)))
        self.out = outer
        if None in types_ or not items:
            raise ConversionError("a list of varying length holds something else than numbers")
        storage = self.declare_array(self.out, self.common_weak(types_), (len(items),), "items")
        storage.length = self.fresh("items_length")
        self.out.line(f"int64_t {storage.length} = 0;")
        for item in items:
            self.assign(g.target, item)
            declare = self.out
            for test in g.ifs:
                then = Buffer(self.out.loop_depth)
                self.out.add(If(self.truth(self.eval(test)), then, Buffer()))
                self.out = then
            self.out.line(f"{storage.name}[{storage.length}++] = {self.convert(self.eval(node.elt), storage.type)};")
            self.out = declare
        self.restore_names(saved, node.generators)
        return self.list_of(storage)

    def known_comprehension(self, node):
        if len(node.generators) == 1 and not node.generators[0].ifs:
            sequence = self.eval(node.generators[0].iter)
            if self.varying(sequence):
                return self.varying_comprehension(node, sequence)
            steps = self.comprehension_steps(node.generators, 0, sequence)
        else:
            steps = self.comprehension_steps(node.generators, 0)
        saved = dict(self.env.frames[-1])
        items = []
        for _ in steps:
            items.append(self.name_it(self.eval(node.elt), "item"))
        self.restore_names(saved, node.generators)
        return items

    def restore_names(self, saved, generators):
        frame = self.env.frames[-1]
        for g in generators:
            for n in ast.walk(g.target):
                if isinstance(n, ast.Name):
                    frame.pop(n.id, None)
                    if n.id in saved:
                        frame[n.id] = saved[n.id]

    def comprehension_steps(self, generators, k, sequence=None):
        if k == len(generators):
            yield
            return
        g = generators[k]
        for item in self.items_of(sequence if sequence is not None else self.eval(g.iter)):
            self.assign(g.target, item)
            keep = True
            for test in g.ifs:
                truth = self.truth_value(self.eval(test))
                if not isinstance(truth, Static):
                    raise ComputedLength("a comprehension whose length depends on numbers that are computed")
                keep = keep and truth.obj
                if not keep:
                    break
            if keep:
                yield from self.comprehension_steps(generators, k + 1)

    def varying(self, sequence):
        if isinstance(sequence, ListRef):
            return self.list_state(sequence).storage is not None
        return (
            isinstance(sequence, Choice) and len({len(o) for o in sequence.options}) > 1
            if isinstance(sequence, Choice) and hasattr(sequence.options[0], "__len__")
            else False
        )

    def varying_comprehension(self, node, sequence):
        """Of constants' lists of different lengths: as many items as the longest, and a length."""
        target = node.generators[0].target
        saved = dict(self.env.frames[-1])
        if isinstance(sequence, ListRef):
            return self.list_comprehension(node, sequence, target, saved)
        longest = max(len(o) for o in sequence.options)
        if not longest:
            raise ConversionError("all lists are empty")
        padded = [[o[min(k, len(o) - 1)] if len(o) else None for o in sequence.options] for k in range(longest)]
        items = []
        for options in padded:
            filler = next(o for o in options if o is not None)
            self.assign(target, self.collapse(Choice(tuple(filler if o is None else o for o in options), sequence.index)))
            items.append(self.eval(node.elt))
        self.restore_names(saved, node.generators)
        types_ = [self.number_type(v) for v in items]
        if None in types_:
            raise ConversionError("a list of varying length holds something else than numbers")
        t = types_[0]
        for other in types_[1:]:
            t = join(t, other)
        storage = self.declare_array(self.out, t, (longest,), "items")
        storage.length = self.fresh("items_length")
        lengths = self.choice_number(Choice(tuple(len(o) for o in sequence.options), sequence.index))
        self.out.line(f"int64_t {storage.length} = {self.convert(lengths, 'i8')};")
        for k, v in enumerate(items):
            self.out.line(f"{storage.name}[{k}] = {self.convert(v, t)};")
        return self.list_of(storage)

    def list_comprehension(self, node, sequence, target, saved):
        """Of a list that grows: a loop over what it holds."""
        source = self.list_state(sequence).storage
        probe_out, self.out = self.out, Buffer(self.out.loop_depth)
        self.assign(target, Scalar(source.type, self.read_code(source, "0")))
        t = self.number_type(self.eval(node.elt))
        self.out = probe_out
        if t is None:
            raise ConversionError("a list of varying length holds something else than numbers")
        storage = self.declare_list(self.out, t, "items")
        outer = self.out

        def one(index, buffer):
            self.out = buffer
            self.assign(target, self.name_it(Scalar(source.type, self.read_code(source, index[0])), "item"))
            value = self.eval(node.elt)
            self.out.line(f"{storage.name}[{index[0]}] = {self.convert(value, t)};")
            self.out = outer

        self.for_each((source.size,), one, length=source.length)
        self.out.line(f"{storage.length} = {source.length};")
        self.restore_names(saved, node.generators)
        return self.list_of(storage)

    def list_of(self, storage):
        number = self.new_list_number()
        self.env.lists[number] = ListState(storage=storage)
        return ListRef(number)

    def items_of(self, value):
        """The items of a sequence of known length."""
        value = needed(value)
        if isinstance(value, TupleValue):
            return list(value.items)
        if isinstance(value, Static):
            try:
                return [self.constant_value(o) for o in value.obj]
            except TypeError:
                raise ConversionError(f"{describe(value)} is no sequence") from None
        if isinstance(value, DictValue):
            return [Static(k) for k in value.items]
        if isinstance(value, ListRef):
            state = self.list_state(value)
            if state.storage:
                raise ConversionError("a list of varying length where a known length is needed")
            return list(state.items)
        if isinstance(value, Array):
            if value.storage.length or not value.shape:
                raise ConversionError(f"{describe(value)} has no known number of items")
            return [self.subscript(value, Static(i)) for i in range(value.shape[0])]
        if isinstance(value, Choice):
            lengths = {len(o) for o in value.options if hasattr(o, "__len__")}
            if len(lengths) != 1 or isinstance(value.options[0], dict):
                raise ConversionError("constants of different lengths where a known length is needed")
            return [self.collapse(Choice(tuple(o[k] for o in value.options), value.index)) for k in range(lengths.pop())]
        if isinstance(value, RangeValue) and isinstance(value.start, Static) and isinstance(value.stop, Static):
            return [Static(i) for i in range(value.start.obj, value.stop.obj, value.step)]
        raise ConversionError(f"{describe(value)} is no sequence of known length")
