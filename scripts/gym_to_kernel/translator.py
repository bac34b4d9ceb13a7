"""Writes C++ while it walks through Python: what is known now is computed now, the rest becomes code.

Every number gets a C++ constant when it gets a Python name, so that an expression made of them stays valid; where paths meet,
and across the turns of a loop, names are C++ variables. Arrays are memory, shared by all their views.
"""

from .aliases import Aliases
from .array_creation import ArrayCreation
from .array_shapes import ArrayShapes
from .builtin_calls import BuiltinCalls
from .calls import Calls
from .code import Buffer
from .comparisons import Comparisons
from .comprehensions import Comprehensions
from .draws import DrawCalls
from .expressions import Expressions
from .loops import Loops
from .memory import Memory
from .merging import Merging
from .methods import Methods
from .numpy_calls import NumpyCalls
from .operators import Operators
from .reductions import Reductions
from .statements import Statements
from .subscripts import Subscripts
from .templates import Templates
from .unrolling import Unrolling
from .values import Env, row_major

# C++ and what the generated struct itself declares.
RESERVED = set("""
    alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double else enum explicit
    extern false float for friend goto if inline int long mutable namespace new not operator or private protected public register
    return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void
    volatile while xor s draw action out overflow state fields reset step observe real place root power radians degrees sine cosine
    tangent larger smaller clamp square exponential logarithm combined compared applied loose hypotenuse interpolated f element std
    orbit bounds transition draws has mask sin cos tan y0 y1 yn j0 j1 jn gamma exp log sqrt pow abs time index
    """.split())


class Translator(
    Statements,
    Loops,
    Unrolling,
    Templates,
    Expressions,
    Comprehensions,
    Subscripts,
    Operators,
    Comparisons,
    Calls,
    Methods,
    BuiltinCalls,
    NumpyCalls,
    Reductions,
    ArrayCreation,
    ArrayShapes,
    DrawCalls,
    Merging,
    Memory,
    Aliases,
):
    """One pass over reset, step or the observation."""

    row_major = staticmethod(row_major)

    def __init__(self, instance, tables, list_capacity, comments=True):
        self.instance, self.tables, self.list_capacity, self.comments = instance, tables, list_capacity, comments
        self.env, self.out = Env(), Buffer()
        self.reserved, self.names, self.name_counts = RESERVED, set(), {}
        self.source, self.outer, self.scope, self.exits, self.loops = None, {}, None, [], []
        self.used, self.assigned = set(), set()  # attributes that are read, and that are set
        self.merged, self.kept, self.paths_envs = {}, [], []
        self.written = set()  # storages of the state that are changed in place
        self.list_count, self.draw_calls, self.grows = 0, 0, False
        self.growing_types, self.pending_copies = [], {}

    def lines(self, indent):
        out = []
        self.out.render(indent, out)
        return out
