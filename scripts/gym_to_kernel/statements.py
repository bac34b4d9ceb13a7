"""Python statements. A block's paths that go on end in `self.out`; those that return, break or continue have left it."""

import ast

import numpy as np

from .calls import PythonError
from .code import Buffer, If
from .merging import same
from .messages import ConversionError
from .source import Source
from .values import Function, ListRef, ListState, Scalar, Self, Static, TupleValue, describe, needed


class Statements:
    """Part of the Translator."""

    def run_block(self, nodes):
        """Whether a path goes on behind the block."""
        for k, node in enumerate(nodes):
            self.note(node)
            handler = getattr(self, f"run_{type(node).__name__}", None)
            try:
                if handler is None:
                    raise ConversionError(f"{type(node).__name__} statements are not translated")
                if isinstance(node, ast.If):
                    falls = self.run_If(node, nodes[k + 1 :])
                    if falls is not None:  # the rest has been written inside
                        return falls
                    continue
                if not handler(node):
                    return False
            except ConversionError as e:
                raise e.at(self.source, node)
        return True

    def note(self, node):
        """The Python line as a comment."""
        if isinstance(node, (ast.Assert, ast.Pass, ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Raise)):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        text = self.source.lines[node.lineno - 1].strip()
        if self.comments:
            self.out.line(f"// {node.lineno}: {text[:110]}".rstrip("\\"))

    def run_Pass(self, node):
        return True

    run_Import = run_ImportFrom = run_Assert = run_Global = run_Nonlocal = run_Pass

    def run_Import(self, node):
        for a in node.names:
            self.env.frames[-1][a.asname or a.name.split(".")[0]] = Static(__import__(a.name))
        return True

    def run_ImportFrom(self, node):
        module = __import__(node.module, fromlist=[a.name for a in node.names])
        for a in node.names:
            self.env.frames[-1][a.asname or a.name] = Static(getattr(module, a.name))
        return True

    def run_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.eval(node.value)
        return True

    def run_FunctionDef(self, node):
        source = Source(node, self.source.file, self.source.lines, self.source.names, self.source.owner)
        function = Function(source, self.closure(), default_values=[self.eval(d) for d in node.args.defaults])
        function.outer[node.name] = function
        self.env.frames[-1][node.name] = function
        return True

    def run_Return(self, node):
        value = Static(None) if node.value is None else self.returned(node.value)
        self.leave(value)
        return False

    def returned(self, node):
        """What a function returns. Of step and reset, the last thing is a dict that nothing of the kernel needs."""
        if len(self.env.frames) > 1 or not isinstance(node, ast.Tuple):
            return self.eval(node)
        *parts, info = node.elts
        values = [self.name_it(self.eval(n), "result") for n in parts]
        self.check_info(info)
        return TupleValue((*values, Static(None)))

    def check_info(self, node):
        """The info dict is left out, unless making it changes something."""
        if isinstance(node, ast.Dict) and not any(isinstance(n, ast.Call) for n in ast.walk(node)):
            return
        before, draws = self.env, self.draw_calls
        out, self.out, self.env = self.out, Buffer(self.out.loop_depth), self.env.copy()
        saved = self.used.copy(), dict(self.name_counts)
        try:
            self.eval(node)
            changed = self.draw_calls != draws or any(not same(before.attrs[k], v) for k, v in self.env.attrs.items() if k in before.attrs)
        except ConversionError:
            changed = self.draw_calls != draws
        self.out, self.env, self.draw_calls = out, before, draws
        self.used, _ = saved
        if changed:
            raise ConversionError("the info that is returned draws random numbers or changes the state")

    def run_Raise(self, node):
        return False  # a path that ends in an error: Python would stop there

    def run_Try(self, node):
        before, out = self.env.copy(), self.out
        self.out = out.block(Buffer(out.loop_depth))
        try:
            if not self.run_block(node.body):
                return False
        except PythonError as e:
            for h in node.handlers:
                kinds = self.eval(h.type).obj if h.type else Exception
                if isinstance(e.error, kinds):
                    out.parts.pop()
                    self.env, self.out = before, out
                    return self.run_block(h.body) and self.run_block(node.finalbody)
            raise
        return self.run_block(node.orelse) and self.run_block(node.finalbody)

    def run_With(self, node):
        raise ConversionError("with statements are not translated")

    def run_Delete(self, node):
        for t in node.targets:
            if isinstance(t, ast.Name):
                self.env.frames[-1].pop(t.id, None)
            else:
                raise ConversionError("del of an item or attribute")
        return True

    # Assignment

    def run_Assign(self, node):
        value = self.eval(node.value)
        if isinstance(value, Scalar):
            value = self.name_it(value, self.hint_of(node.targets[0]))
        for t in node.targets:
            self.assign(t, value)
        return True

    def hint_of(self, target):
        return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else "value"

    def run_AnnAssign(self, node):
        if node.value is None:
            return True
        self.assign(node.target, self.name_it(self.eval(node.value), self.hint_of(node.target)))
        return True

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            if any(target.id in names for names in (self.nonlocals(),)):
                raise ConversionError(f"{target.id} belongs to a function around this one, and is assigned here")
            self.env.frames[-1][target.id] = self.name_it(value, target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.assign_items(target.elts, value)
        elif isinstance(target, ast.Attribute):
            owner = self.eval(target.value)
            if not isinstance(owner, Self):
                raise ConversionError(f"an attribute of {describe(owner)} is assigned: state must be attributes of the environment itself")
            if target.attr in ("np_random", "_np_random"):
                return
            self.env.attrs[target.attr] = self.name_it(value, target.attr)
            self.assigned.add(target.attr)
            self.env.fresh.add(target.attr)
        elif isinstance(target, ast.Subscript):
            owner = self.lift_everywhere(needed(self.eval(target.value)))
            index = self.eval_index(target.slice)
            self.assign_subscript(owner, index, value)
        else:
            raise ConversionError(f"an assignment to {type(target).__name__}")

    def nonlocals(self):
        return {n for s in ast.walk(self.source.node) if isinstance(s, (ast.Nonlocal, ast.Global)) for n in s.names}

    def assign_items(self, targets, value):
        stars = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
        items = [self.name_it(v, "item") for v in self.items_of(value)]
        if stars:
            k = stars[0]
            after = len(targets) - k - 1
            rest = items[k : len(items) - after]
            for t, v in zip(targets[:k], items):
                self.assign(t, v)
            self.assign(targets[k].value, self.new_list(rest))
            for t, v in zip(targets[k + 1 :], items[len(items) - after :]):
                self.assign(t, v)
            return
        if len(items) != len(targets):
            raise ConversionError(f"{len(items)} values for {len(targets)} names")
        for t, v in zip(targets, items):
            self.assign(t, v)

    def run_AugAssign(self, node):
        op = type(node.op)
        if isinstance(node.target, ast.Name):
            current = self.eval(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))
        elif isinstance(node.target, ast.Attribute):
            current = self.attribute(self.eval(node.target.value), node.target.attr)
        else:
            owner = self.lift_everywhere(needed(self.eval(node.target.value)))
            index = self.eval_index(node.target.slice)
            index = self.name_index(index)
            current = self.subscript(owner, index)
            result = self.binary(op, current, self.eval(node.value))
            if self.is_array(current) and self.shape_of(current) != ():
                self.assign_subscript(current, Static(Ellipsis), result)
            else:
                self.assign_subscript(owner, index, result)
            return True
        current = needed(current)
        if isinstance(current, ListRef) and op is ast.Add:
            for item in self.items_of(self.eval(node.value)):
                self.list_method(current, "append", [item])
            return True
        value = self.eval(node.value)
        if self.is_array(current) and self.shape_of(current) != ():
            current = self.lift_everywhere(current)
            result = self.binary(op, current, value)
            if self.shape_of(result) != current.shape:
                raise ConversionError("an array does not fit into its place")
            self.assign_subscript(current, Static(Ellipsis), result)
            return True
        self.assign(node.target, self.name_it(self.binary(op, current, value), self.hint_of(node.target)))
        return True

    def name_index(self, index):
        if isinstance(index, tuple):
            return tuple(self.name_index(i) for i in index)
        return index if isinstance(index, slice) else self.name_it(index, "place")

    def lift_everywhere(self, value):
        """A constant that is about to be changed moves into memory, under all names that it has."""
        if isinstance(value, Static) and isinstance(value.obj, np.ndarray):
            if value.obj.base is not None and not value.obj.base.size == value.obj.size:
                raise ConversionError("a part of a constant array is changed; make it with .copy()")
            lifted = self.lift(value)
        elif isinstance(value, Static) and isinstance(value.obj, list):
            lifted = self.lifted_list(value)
        else:
            return value
        obj = value.obj
        owned = any(own is obj for own in vars(self.instance).values())
        shared = [n for n, o in self.source.names.items() if o is obj] + [
            n for c in type(self.instance).__mro__ for n, o in vars(c).items() if o is obj
        ]
        if shared and not owned:
            raise ConversionError(f"{shared[0]}, which belongs to the module or class, is changed: all environments would share it")
        self.replace(lambda v: isinstance(v, Static) and v.obj is obj, lifted)
        for name, own in vars(self.instance).items():
            if own is obj and name not in self.env.attrs:
                self.env.attrs[name] = lifted
                self.assigned.add(name)
        return lifted

    def lifted_list(self, value):
        def items(o):
            return self.new_list([items(x) if isinstance(x, list) else self.constant_value(x) for x in o])

        return items(value.obj)

    def replace(self, test, new):
        def through(v):
            if test(v):
                return new
            if isinstance(v, TupleValue):
                return TupleValue(tuple(map(through, v.items)), v.unsure)
            return v

        for frame in self.env.frames:
            for k in frame:
                frame[k] = through(frame[k])
        for k in self.env.attrs:
            self.env.attrs[k] = through(self.env.attrs[k])
        for n, s in self.env.lists.items():
            if s.storage is None:
                self.env.lists[n] = ListState(tuple(map(through, s.items)))

    # Branches

    def run_If(self, node, rest):
        """None: go on behind it. True or False: `rest` has been written in the branch that goes on; whether a path goes on."""
        test = self.truth_value(self.eval(node.test))
        if isinstance(test, Static):
            return None if self.run_block(node.body if test.obj else node.orelse) else False
        outer = self.out
        declare = outer.block(Buffer(outer.loop_depth))
        entry = self.env
        ends = []
        returns = len(self.exits)
        buffers, left, ways = [], [], self.ways_out()
        for body in (node.body, node.orelse):
            self.out, self.env = Buffer(outer.loop_depth), entry.copy()
            buffers.append(self.out)
            falls = self.run_block(body)
            ends.append((self.out, self.env, falls))
            left.append(self.ways_out() != ways)
            ways = self.ways_out()
        for side in (0, 1):  # a branch that only raises: Python would stop there, so it is never taken
            if not ends[side][2] and not left[side] and ends[1 - side][2]:
                outer.block(buffers[1 - side])
                self.out, self.env = ends[1 - side][0], ends[1 - side][1]
                return None if self.out is buffers[1 - side] and self.step_out(outer) else self.run_block(rest)
        outer.add(If(test.code, *buffers))
        (then, then_env, then_falls), (other, other_env, other_falls) = ends
        if then_falls and other_falls:
            if len(self.exits) > returns:  # a return in the middle: what follows is not for its path
                self.scope.jumps = True
            self.out = outer
            self.env = self.merge_paths(declare, [(then, then_env), (other, other_env)])
            return None
        if not then_falls and not other_falls:
            self.out = outer
            return False
        self.out, self.env = (then, then_env) if then_falls else (other, other_env)
        return self.run_block(rest)

    def ways_out(self):
        return len(self.exits) + sum(len(loop["breaks"]) + len(loop["continues"]) for loop in self.loops)

    def step_out(self, outer):
        self.out = outer
        return True

    def run_Match(self, node):
        raise ConversionError("match statements are not translated; use if and elif")

    # Loops
