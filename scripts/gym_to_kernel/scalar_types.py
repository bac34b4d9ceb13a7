"""Kinds of numbers and how they mix: Python's own, which are weak, and NumPy's, which are not (NEP 50).

bool int float        Python's; int and float take the type of a NumPy number that they meet
b1 i1 i2 i4 i8 u1 u2 u4 f4 f8    NumPy's
loose                 a float whose precision is known only at run time: a number and its rank
"""

import math

import numpy as np

from .messages import ConversionError

WEAK = {"bool": False, "int": 0, "float": 0.0}
STRONG = {t: np.dtype(t) for t in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8")}
FLOATS = {"float", "f4", "f8", "loose"}
BOOLS = {"bool", "b1"}
INTEGERS = {"int", "i1", "i2", "i4", "i8", "u1", "u2", "u4"}

CPP = {
    "bool": "bool",
    "b1": "bool",
    "int": "int64_t",
    "i8": "int64_t",
    "i4": "int32_t",
    "i2": "int16_t",
    "i1": "int8_t",
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "float": "Real",
    "f8": "Real",
    "f4": "float",
    "loose": "Loose<Real>",
}


def type_of_dtype(dtype):
    dtype = np.dtype(dtype)
    if dtype == np.float16:
        raise ConversionError("float16 numbers are not translated; float32 and float64 are")
    name = "b1" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"
    if name not in STRONG:
        raise ConversionError(f"numbers of type {dtype} are not translated")
    return name


def type_of_object(obj):
    """Of a Python or NumPy number; None for anything else."""
    if isinstance(obj, np.generic):
        return type_of_dtype(obj.dtype) if obj.dtype.kind in "biuf" else None
    if isinstance(obj, bool):
        return "bool"
    if isinstance(obj, int):
        return "int"
    if isinstance(obj, float):
        return "float"
    return None


def promote(a, b):
    """The type of an arithmetic result."""
    if a == b and a not in BOOLS:
        return a
    if "loose" in (a, b):  # of the higher rank; see Loose in envs/common/python_math.h
        return "f8" if {a, b} & {"f8", "i8", "i4", "u4"} else "loose"
    if a in WEAK and b in WEAK:
        return "float" if "float" in (a, b) else "int"
    if a == b:
        return a
    result = np.result_type(WEAK.get(a, STRONG.get(a)), WEAK.get(b, STRONG.get(b)))
    return type_of_dtype(result)


def join(a, b):
    """A type that holds both, where a name has one or the other. Python's float and float64 differ only beside a float32."""
    if a == b:
        return a
    pair = {a, b}
    if pair <= BOOLS:
        return "bool"
    if pair & FLOATS:
        floats = pair & FLOATS
        if "loose" in pair:
            return "loose"
        if "f4" in pair:
            return "loose"
        return "f8" if "f8" in floats else "float"
    if pair <= INTEGERS | BOOLS:
        if pair == {"int", "bool"} or pair == {"int", "b1"}:
            return "int"
        return "i8"
    raise ConversionError(f"a number is {a} or {b}")


def literal(value, to):
    """C++ of a constant, as type `to`."""
    if to in BOOLS:
        return "true" if value else "false"
    if to in INTEGERS:
        value = int(value)
        if not -(2**63) <= value < 2**63:
            raise ConversionError(f"the whole number {value} is outside 64 bits")
        return f"int64_t({value})" if to in ("int", "i8") else f"{CPP[to]}({value})"
    value = float(value)
    if to == "loose":
        return f"Loose<Real>{{{literal(value, 'f8')}, 0}}"
    if to == "f4":
        value = float(np.float32(value))
        text = repr(np.float32(value).item()) if math.isfinite(value) else None
        return special(value, "float") if text is None else f"float({text})"
    return special(value, "Real") if not math.isfinite(value) else f"Real({value!r})"


def special(value, ctype):
    """NaN and infinities by the macros of <cmath>, which device code may use."""
    return f"{ctype}(NAN)" if math.isnan(value) else f"{'-' if value < 0 else ''}{ctype}(INFINITY)"
