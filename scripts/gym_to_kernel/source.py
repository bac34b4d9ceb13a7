"""The Python source of functions, as syntax trees with their places in files."""

import ast
import builtins
import inspect
from dataclasses import dataclass, field

from .messages import ConversionError

_trees = {}


@dataclass
class Source:
    """A function's tree, its file and the names that it sees outside its own."""

    node: ast.AST
    file: str
    lines: list
    names: dict  # globals and closure
    owner: type = None  # the class whose body holds it; what super() starts from
    defaults: tuple = ()
    keyword_defaults: dict = field(default_factory=dict)

    @property
    def name(self):
        return getattr(self.node, "name", "lambda")

    def line_of(self, node):
        return getattr(node, "lineno", self.node.lineno)

    def text_of(self, node):
        """The line that a node stands on, without what surrounds a short expression."""
        try:
            text = " ".join(ast.unparse(node).split())
        except (AttributeError, ValueError):
            text = self.lines[self.line_of(node) - 1].strip()
        return text if len(text) <= 100 else text[:97] + "..."

    def lookup(self, name):
        if name in self.names:
            return self.names[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise ConversionError(f"the name {name} is not known here")


def tree_of(file):
    if file not in _trees:
        with open(file, encoding="utf-8") as f:
            text = f.read()
        _trees[file] = ast.parse(text, file), text.splitlines()
    return _trees[file]


def source_of(function, owner=None):
    """Of a Python function; ConversionError where there is none (written in C, or made at run time)."""
    code = getattr(function, "__code__", None)
    if code is None:
        raise ConversionError(f"{getattr(function, '__name__', function)!s} has no Python source: it is compiled code")
    try:
        tree, lines = tree_of(code.co_filename)
    except (OSError, SyntaxError, UnicodeDecodeError):
        raise ConversionError(f"{function.__qualname__} has no Python source: {code.co_filename} can't be read") from None
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, (ast.FunctionDef, ast.Lambda))
        and min([n.lineno] + [d.lineno for d in getattr(n, "decorator_list", [])]) == code.co_firstlineno
        and getattr(n, "name", "<lambda>") == code.co_name
    ]
    if len(found) != 1:
        raise ConversionError(f"the source of {function.__qualname__} was not found in {code.co_filename}")
    names = dict(function.__globals__)
    names.update({k: v for k, v in inspect.getclosurevars(function).nonlocals.items()})
    return Source(found[0], code.co_filename, lines, names, owner, function.__defaults__ or (), function.__kwdefaults__ or {})
