"""Loops that can't stay loops: their turns one after the other."""

import ast

from .code import Buffer, If, Loop, Turn
from .messages import ConversionError

UNROLLED_AT_MOST = 64  # turns of a loop that can't stay one


class Unrolling:
    """Part of the Translator."""

    def loop_or_unroll(self, node, turns, loop, sequence):
        """As a loop; where its turns are not alike (a constant index into things of different kinds), one after the other."""
        saved = (
            self.out,
            self.env.copy(),
            len(self.out.parts),
            self.draw_calls,
            [len(lp["breaks"]) + len(lp["continues"]) for lp in self.loops],
            len(self.exits),
        )
        loops = [{k: list(v) if isinstance(v, list) else v for k, v in lp.items()} for lp in self.loops]
        exits = list(self.exits)
        try:
            return loop()
        except ConversionError:
            if turns is None or turns > UNROLLED_AT_MOST:
                raise
            self.out, self.env = saved[0], saved[1]
            del self.out.parts[saved[2] :]
            self.loops, self.exits = loops, exits
            return self.unroll(node, self.items_of(sequence))

    def unroll(self, node, items):
        """One turn after the other; a path that breaks skips the rest."""
        if len(items) > 4 * UNROLLED_AT_MOST:
            raise ConversionError(f"a loop of {len(items)} turns that can't stay a loop")
        jumps = any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(node))
        if not jumps:
            for item in items:
                self.assign(node.target, item)
                if not self.run_block(node.body):
                    return False
            return True
        return self.unroll_with_jumps(node, items)

    def unroll_with_jumps(self, node, items):
        """As a loop over the number of the turn would jump: for (;;) { turn; break; } with the turns nested by `stopped`."""
        stopped = self.fresh("stopped")
        self.out.line(f"bool {stopped} = false;")
        for k, item in enumerate(items):
            outer = self.out
            declare = outer.block(Buffer(outer.loop_depth))
            guard, once = Buffer(outer.loop_depth + 1), None
            entry = self.env.copy()
            once = Loop("do", guard)
            holder, empty = Buffer(outer.loop_depth), Buffer(outer.loop_depth)
            self.loops.append({"breaks": [], "continues": [], "unrolled": True})
            self.out = guard
            self.assign(node.target, item)
            falls = self.run_block(node.body)
            loop = self.loops.pop()
            paths = [(self.out, self.env)] if falls else []
            for b, env in loop["continues"]:
                b.line("break;")
                paths.append((before_jump(b), env))
            for b, env in loop["breaks"]:
                b.line(f"{stopped} = true;")
                b.line("break;")
                paths.append((before_jump(b), env))
            holder.add(Turn(once.body))
            outer.add(If(f"!{stopped}", holder, empty))
            paths.append((empty, entry))
            if k == 0:
                paths.pop()
            self.out = outer
            if not paths:
                return False
            self.env = self.merge_paths(declare, paths)
        return True


def before_jump(buffer):
    """A place for assignments before a buffer's jump."""
    place = Buffer(buffer.loop_depth)
    buffer.parts.insert(0, place)
    return place
