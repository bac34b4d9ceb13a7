"""What the user is told: an error names file, line, the Python text and the reason."""


class ConversionError(Exception):
    """Something of the environment can't become a kernel. `where` is "file:line", `text` the Python that stands there."""

    def __init__(self, reason, where=None, text=None):
        super().__init__(reason)
        self.reason, self.where, self.text = reason, where, text

    def at(self, source, node):
        """The same error at a place in the source, unless it has one already."""
        if self.where is None and node is not None:
            self.where = f"{source.file}:{source.line_of(node)}"
            self.text = source.text_of(node)
        return self

    def __str__(self):
        place = f"{self.where}: " if self.where else ""
        text = f"`{self.text}`: " if self.text else ""
        return f"{place}{text}{self.reason}"
