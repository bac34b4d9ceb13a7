"""The C++ that grows while a kernel is written: lines, and blocks of lines that may still grow."""


class Buffer:
    """Lines and nested blocks, in order."""

    def __init__(self, loop_depth=0):
        self.parts = []
        self.loop_depth = loop_depth  # loops of the function around it

    def line(self, text):
        self.parts.append(text)

    def block(self, buffer):
        self.parts.append(buffer)
        return buffer

    def add(self, node):
        self.parts.append(node)

    def empty(self):
        return not any(not isinstance(p, Buffer) or not p.empty() for p in self.parts)

    def render(self, indent, out):
        for p in self.parts:
            if isinstance(p, str):
                out.append("  " * indent + p)
            else:
                p.render(indent, out)


class If:
    def __init__(self, test, then, other):
        self.test, self.then, self.other = test, then, other

    def render(self, indent, out):
        pad = "  " * indent
        if self.then.empty() and self.other.empty():
            return
        if self.then.empty():
            out.append(f"{pad}if (!({self.test})) {{")
            self.other.render(indent + 1, out)
        else:
            out.append(f"{pad}if ({self.test}) {{")
            self.then.render(indent + 1, out)
            if not self.other.empty():
                out.append(f"{pad}}} else {{")
                self.other.render(indent + 1, out)
        out.append(f"{pad}}}")


class Loop:
    def __init__(self, head, body):
        self.head, self.body = head, body

    def render(self, indent, out):
        out.append("  " * indent + self.head + " {")
        self.body.render(indent + 1, out)
        out.append("  " * indent + "}")


class Exit:
    """Leaves a Scope. Its assignments come right before it."""

    def __init__(self, scope):
        self.scope = scope

    def render(self, indent, out):
        if self.scope.jumps:
            out.append("  " * indent + "return;")


class Scope:
    """The body of a Python function at one of its calls. Where a return stands in a loop it is a lambda; elsewhere every return
    is the last thing on its path."""

    def __init__(self):
        self.body, self.jumps = Buffer(), False

    def render(self, indent, out):
        pad = "  " * indent
        if self.jumps:
            out.append(f"{pad}[&] {{")
            self.body.render(indent + 1, out)
            out.append(f"{pad}}}();")
        elif not self.body.empty():
            self.body.render(indent, out)


class Turn:
    """do { ... } while (false): a turn of a loop that is no loop any more, which break leaves."""

    def __init__(self, body):
        self.body = body

    def render(self, indent, out):
        out.append("  " * indent + "do {")
        self.body.render(indent + 1, out)
        out.append("  " * indent + "} while (false);")
