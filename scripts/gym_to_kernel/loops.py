"""Loops. Names that a turn changes become variables that live across turns."""

import ast

from .code import Buffer, If, Loop
from .merging import same, same_list
from .messages import ConversionError
from .values import Array, Choice, ListRef, ListState, Opaque, Optional, RangeValue, Scalar, Static, TupleValue, describe, needed


class Loops:
    """Part of the Translator."""

    def run_Break(self, node):
        return self.end_turn("breaks")

    def run_Continue(self, node):
        return self.end_turn("continues")

    def end_turn(self, kind):
        if not self.loops:
            raise ConversionError(f"{kind[:-1]} outside of a loop")
        loop = self.loops[-1]
        buffer = self.out.block(Buffer(self.out.loop_depth))
        loop[kind].append((buffer, self.env))
        if not loop["unrolled"]:
            self.out.line("break;" if kind == "breaks" else "continue;")
        return False

    def run_While(self, node):
        if node.orelse:
            raise ConversionError("else of a loop is not translated")

        def head():
            test = self.truth_value(self.eval(node.test))
            if isinstance(test, Static):
                if not test.obj:
                    raise StaticallyOver()
                return
            exit_ = Buffer(self.out.loop_depth)
            placeholder = exit_.block(Buffer(self.out.loop_depth))
            self.loops[-1]["breaks"].append((placeholder, self.env.copy()))
            exit_.line("break;")
            self.out.add(If(f"!({test.code})", exit_, Buffer()))

        if self.statically_false(node.test):
            return True
        return self.run_loop("for (;;)", None, head, node.body, node)

    def statically_false(self, test):
        out, env, counts, draws = self.out, self.env, dict(self.name_counts), self.draw_calls
        self.out, self.env = Buffer(), env.copy()
        try:
            t = self.truth_value(self.eval(test))
            return isinstance(t, Static) and not t.obj
        except ConversionError:
            return False
        finally:
            self.out, self.env, self.draw_calls = out, env, draws

    def run_For(self, node):
        if node.orelse:
            raise ConversionError("else of a loop is not translated")
        sequence = needed(self.eval(node.iter))
        if isinstance(sequence, Static) and isinstance(sequence.obj, range):
            sequence = RangeValue(Static(sequence.obj.start), Static(sequence.obj.stop), sequence.obj.step)
        if isinstance(sequence, RangeValue):
            fixed = isinstance(sequence.start, Static) and isinstance(sequence.stop, Static)
            turns = len(range(sequence.start.obj, sequence.stop.obj, sequence.step)) if fixed else None
            if turns is not None and turns <= 1:
                return self.unroll(node, self.items_of(sequence))
            return self.range_loop(node, sequence, turns)
        if isinstance(sequence, ListRef) and self.list_state(sequence).storage:
            s = self.list_state(sequence).storage
            return self.element_loop(node, Array(s, (s.size,), (1,)), s.length)
        if isinstance(sequence, Array) and sequence.shape and sequence.shape[0] > 1:
            return self.element_loop(node, sequence, sequence.storage.length or sequence.shape[0])
        return self.unroll(node, self.items_of(sequence))

    def range_loop(self, node, r, turns):
        start, stop = self.convert(r.start, "int"), self.convert(r.stop, "int")
        name = self.fresh(node.target.id if isinstance(node.target, ast.Name) else "i")
        sign = "<" if r.step > 0 else ">"
        step = f"++{name}" if r.step == 1 else f"--{name}" if r.step == -1 else f"{name} += {r.step}"
        bounds = None
        if turns:
            all_ = range(r.start.obj, r.stop.obj, r.step)
            bounds = (min(all_), max(all_))
        elif isinstance(r.start, Static) and r.step > 0 and isinstance(r.stop, Scalar) and r.stop.bounds:
            bounds = (r.start.obj, r.stop.bounds[1] - 1)
        bind = lambda: self.assign(node.target, Scalar("int", name, bounds))
        plain = lambda v: v.obj if isinstance(v, Static) else None
        first = str(r.start.obj) if plain(r.start) is not None else start
        last = str(r.stop.obj) if plain(r.stop) is not None else stop
        head = f"for (int64_t {name} = {first}; {name} {sign} {last}; {step})"
        return self.loop_or_unroll(node, turns, lambda: self.run_loop(head, bind, None, node.body, node), r)

    def element_loop(self, node, array, limit):
        i = self.fresh("i")
        place = Scalar("i8", i, (0, array.shape[0] - 1))

        def bind():
            if len(array.shape) == 1:
                self.assign(node.target, self.name_it(self.element_code(array, (i,)), "item"))
            else:
                self.assign(node.target, self.view(array, place))

        head = f"for (int64_t {i} = 0; {i} < {limit}; ++{i})"
        return self.loop_or_unroll(node, None, lambda: self.run_loop(head, bind, None, node.body, node), None)

    def run_loop(self, head, bind, test, body, node):
        """A C++ loop. Names that a turn changes are variables that live across turns; which, and of what types, is found by
        writing the body until nothing new turns up."""
        entry = self.env
        carried = {}
        before = len(self.out.parts)
        outer = self.out
        for key in self.changed_names(body, entry):
            carried[key] = None
        saved_exits, saved_draws = list(self.exits), self.draw_calls
        outer_loops = [{k: list(v) if isinstance(v, list) else v for k, v in lp.items()} for lp in self.loops]
        known = {}
        for attempt in range(8):
            del outer.parts[before:]
            self.exits, self.draw_calls = list(saved_exits), saved_draws
            self.loops = [{k: list(v) if isinstance(v, list) else v for k, v in lp.items()} for lp in outer_loops]
            self.out, self.env = outer, entry.copy()
            variables = self.carry(carried, known)
            loop_body = Buffer(outer.loop_depth + 1)
            start = self.env
            self.out, self.env = loop_body, start.copy()
            self.loops.append({"breaks": [], "continues": [], "unrolled": False})
            try:
                if test:
                    test()
                if bind:
                    bind()
                falls = self.run_block(body)
            except StaticallyOver:
                falls = True
            turn = self.loops.pop()
            paths = ([(self.out, self.env)] if falls else []) + turn["continues"]
            every = paths + turn["breaks"]
            found = self.new_carried(start, every, variables, entry, known)
            if not found:
                break
            for key in found:
                carried.setdefault(key, None)
        else:
            raise ConversionError("the types of this loop's names do not settle")
        for buffer, env in every:
            self.store_carried(buffer, variables, env)
        outer.add(Loop(head, loop_body))
        self.out = outer
        # Behind the loop: what was carried, in its variables; nothing else has changed.
        self.env = start
        if bind is None and test is None and not turn["breaks"]:
            return False
        if head == "for (;;)" and not turn["breaks"]:
            return False  # only a return leaves it
        return True

    def changed_names(self, body, entry):
        """Of numbers and arrays that the body assigns by name: a first guess."""
        frame = len(entry.frames) - 1
        names = []
        for stmt in body:
            for n in ast.walk(stmt):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                    key = ("name", frame, n.id)
                    value = entry.frames[frame].get(n.id)
                elif isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name):
                    key, value = ("attr", n.attr), entry.attrs.get(n.attr)
                else:
                    continue
                if value is not None and self.is_number(value) and key not in names:
                    names.append(key)
        return names

    def lookup(self, env, key):
        if key[0] == "name":
            return env.frames[key[1]].get(key[2])
        if key[0] == "attr":
            return env.attrs.get(key[1])
        return env.lists.get(key[1])

    def store(self, env, key, value):
        if key[0] == "name":
            env.frames[key[1]][key[2]] = value
        elif key[0] == "attr":
            env.attrs[key[1]] = value
        else:
            env.lists[key[1]] = value

    def carry(self, carried, known):
        """Declares a variable for each carried name, with its value at entry, and puts it in its place."""
        variables = {}
        shared = {}
        for key in carried:
            value = self.lookup(self.env, key)
            template = known.get(key)
            if key[0] == "list":
                variables[key] = self.list_variable(value, template)
            else:
                slot = (id(value), repr(template)) if self.is_array(value) and isinstance(value, Array) else None
                if slot and slot in shared:
                    variables[key] = shared[slot]
                else:
                    variables[key] = self.variable(value, template, key[-1])
                    if slot:
                        shared[slot] = variables[key]
            self.store(self.env, key, variables[key])
        return variables

    def list_variable(self, state, template):
        if template == "grows":
            if state.storage:
                return state
            types = [self.number_type(v) for v in state.items]
            t = self.common_weak(types) if types else self.growing_types[-1]
            storage = self.declare_list(self.out, t, "list")
            self.copy_list(self.out, storage, state)
            return ListState(storage=storage)
        if state.storage:
            return state
        return ListState(
            tuple(self.variable(v, t, "item") for v, t in zip(state.items, template or [self.template_of(v) for v in state.items]))
        )

    def new_carried(self, start, paths, variables, entry, known):
        """Keys whose value at the end of a turn is another than at its start; and in `known` what their variables must hold."""
        found = []
        for _, env in paths:
            keys = [("name", f, n) for f in range(len(start.frames)) for n in start.frames[f]] + [("attr", n) for n in env.attrs]
            for key in keys:
                a, b = self.lookup(start, key), self.lookup(env, key)
                if a is None and key[0] == "attr":
                    a = self.constant_value(getattr(self.instance, key[1])) if hasattr(self.instance, key[1]) else None
                    if a is not None and b is not None:
                        entry.attrs[key[1]] = a
                if a is None or b is None or same(a, b):
                    continue
                template = known.get(key) or self.template_of(self.lookup(entry, key))
                if key not in variables and key not in found:
                    found.append(key)
                try:
                    wider = self.join_templates(template, self.template_of(b))
                except ConversionError:
                    wider = ("fixed",)
                    if key in variables and template == wider:
                        continue
                    self.store(
                        entry, key, Opaque(f"{key[-1]} is {describe(self.lookup(entry, key))} before a loop and {describe(b)} in it")
                    )
                if wider != known.get(key, self.template_of(self.lookup(entry, key))) and key not in found:
                    found.append(key)
                known[key] = wider
            for n, state in start.lists.items():
                key = ("list", n)
                other = env.lists.get(n)
                if other is None or same_list(state, other):
                    continue
                if state.storage is None and other.storage is None and len(state.items) == len(other.items):
                    old = known.get(key) or [self.template_of(v) for v in self.lookup(entry, key).items]
                    new = [self.join_templates(x, self.template_of(v)) for x, v in zip(old, other.items)]
                    if key not in variables or new != old:
                        found.append(key)
                    known[key] = new
                elif known.get(key) != "grows":
                    types = [other.storage.type] if other.storage else [self.number_type(v) for v in other.items]
                    if None in types:
                        raise ConversionError("a list that grows in a loop, and holds something else than numbers")
                    self.growing_types.append(self.common_weak(types))
                    known[key] = "grows"
                    found.append(key)
        # Names that are first assigned in the loop and used behind it live in variables too.
        for _, env in paths:
            for f in range(len(start.frames)):
                for n, v in env.frames[f].items():
                    if n not in start.frames[f] and not n.startswith("$"):
                        key = ("name", f, n)
                        t = self.template_of(v)
                        if t[0] in ("number", "array", "tuple", "choice") and key not in found:
                            try:
                                t = self.join_templates(known[key], t) if key in known else t
                            except ConversionError:
                                continue
                            known[key] = t
                            found.append(key)
        return list(dict.fromkeys(found))

    def store_carried(self, buffer, variables, env):
        """At the end of a turn, all at once: new values go through constants, since they may be made of the old ones."""
        moves = []
        for key, variable in variables.items():
            value = self.lookup(env, key)
            if key[0] == "list":
                self.list_moves(variable, value, moves)
            elif value is not None:
                self.moves(variable, value, moves)
        moves = [m for m in dict.fromkeys(moves) if m[1] != m[2]]
        if len(moves) == 1 and moves[0][0] != "copy":
            buffer.line(f"{moves[0][1]} = {moves[0][2]};")
            return
        later = []
        targets = {m[1] for m in moves}
        for ctype, target, code in moves:
            if ctype == "copy":
                continue
            if any(t in code for t in targets):
                name = self.fresh("next")
                buffer.line(f"const {ctype} {name} = {code};")
                code = name
            later.append(f"{target} = {code};")
        for m in moves:
            if m[0] == "copy":
                to, value = self.pending_copies[m[1]]
                staged = self.stage_copy(buffer, to, value)
                later += staged
        for line in later:
            buffer.line(line)

    def list_moves(self, variable, value, out):
        if variable.storage is None:
            for a, b in zip(variable.items, value.items):
                if isinstance(a, (Scalar, Optional, TupleValue, Choice, Array)):
                    self.moves(a, b, out)
        elif value.storage is not variable.storage:
            raise ConversionError("a list is replaced by another in a loop where it also grows")


class StaticallyOver(Exception):
    """A while loop's test is False for sure."""
