"""What a Python expression is worth while a kernel is written: a constant, or C++ that computes it."""

from dataclasses import dataclass, field
from typing import Any

from .messages import ConversionError


class Value:
    pass


@dataclass(eq=False)
class Static(Value):
    """Known now: any Python object."""

    obj: Any


@dataclass(eq=False)
class Scalar(Value):
    """A number, as a C++ expression of names that don't change while it may be used."""

    type: str
    code: str
    bounds: tuple = None  # (low, high) that it keeps within, where known


@dataclass(eq=False)
class TupleValue(Value):
    """Immutable sequence. `unsure`: it may be an array at run time, so that arithmetic has no one meaning."""

    items: tuple
    unsure: bool = False


@dataclass(eq=False)
class DictValue(Value):
    """Keys known now."""

    items: dict


@dataclass(frozen=True)
class ListRef(Value):
    """A list; what it holds is in Env.lists under this number."""

    number: int


@dataclass(eq=False)
class Storage:
    """Numbers in memory: a C++ array."""

    name: str
    type: str  # of the numbers, as in Python
    size: int
    cast: bool = False  # the array is of another C++ type (a state's), so that reading converts
    length: str = None  # C++ variable: how many are in use, of a list or array that grows
    rank: str = None  # C++ variable: precision of loose numbers
    frozen: str = None  # why it must not be written any more
    sources: tuple = ()  # storages that it is a copy of, where paths met and Python would have one of them
    copies: list = field(default_factory=list)  # the storages that name this one among their sources


@dataclass(eq=False)
class Array(Value):
    """A NumPy array or a view of one: element (i, j) is storage[offset + base + i * strides[0] + j * strides[1]]."""

    storage: Storage
    shape: tuple
    strides: tuple
    offset: int = 0
    base: str = None  # C++ expression

    @property
    def type(self):
        return self.storage.type

    @property
    def size(self):
        n = 1
        for d in self.shape:
            n *= d
        return n

    @property
    def contiguous(self):
        return self.strides == row_major(self.shape)


@dataclass(eq=False)
class Choice(Value):
    """One of constants, by a C++ index within 0 .. len(options) - 1."""

    options: tuple
    index: str


@dataclass(eq=False)
class Optional(Value):
    """None, or a value; `is_none` is C++."""

    is_none: str
    value: Value


@dataclass(eq=False)
class RangeValue(Value):
    start: Value
    stop: Value
    step: int


@dataclass(eq=False)
class Self(Value):
    pass


@dataclass(eq=False)
class Generator(Value):
    """np_random."""


@dataclass(eq=False)
class Super(Value):
    owner: type


@dataclass(eq=False)
class Method(Value):
    """`function` of an object that is no constant."""

    receiver: Value
    name: str


@dataclass(eq=False)
class Function(Value):
    """A Python function with source; `outer` are the values of names of functions around it."""

    source: Any
    outer: dict = field(default_factory=dict)
    receiver: Value = None
    default_values: list = None


@dataclass(eq=False)
class Opaque(Value):
    """Can't be translated, which is an error only where it is needed."""

    reason: str


@dataclass
class ListState:
    items: tuple = ()  # of Values, or
    storage: Storage = None  # numbers, in an array with a length


class Env:
    """What all names, attributes and lists are worth at a point of the program."""

    def __init__(self):
        self.frames, self.attrs, self.lists = [], {}, {}
        self.fresh = set()  # attributes that were set on every path to here

    def copy(self):
        other = Env()
        other.frames = [dict(f) for f in self.frames]
        other.attrs, other.lists, other.fresh = dict(self.attrs), dict(self.lists), set(self.fresh)
        return other


def row_major(shape):
    strides, n = [], 1
    for d in reversed(shape):
        strides.append(n)
        n *= d
    return tuple(reversed(strides))


def describe(value):
    """A few words for messages."""
    names = {
        TupleValue: "a tuple",
        ListRef: "a list",
        DictValue: "a dict",
        Self: "the environment",
        Generator: "np_random",
        Method: "a method",
        Function: "a function",
        RangeValue: "a range",
        Optional: "None or a value",
    }
    if isinstance(value, Static):
        return (
            f"the constant {value.obj!r}"[:60] if not callable(value.obj) else f"the function {getattr(value.obj, '__name__', value.obj)}"
        )
    if isinstance(value, Scalar):
        return f"a number ({value.type})"
    if isinstance(value, Array):
        return f"an array {value.shape} of {value.type}"
    if isinstance(value, Choice):
        return f"one of {value.options[:3]!r}"[:60]
    if isinstance(value, Opaque):
        return value.reason
    return names.get(type(value), type(value).__name__)


def needed(value):
    """The value, or an error where it can't be translated."""
    if isinstance(value, Opaque):
        raise ConversionError(value.reason)
    if isinstance(value, Optional):
        return needed(value.value)
    return value
