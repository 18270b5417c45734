"""What differs today: cell -> (places of its helper, why). A mended cell fails its strict xfail.

An entry leaves this table when its cell is mended; nothing else excuses a difference.
"""

from __future__ import annotations

WRAPPER = "a bound method of an array is no method of NumPy's"
KEPT = "unseen code computes with a stand-in that an attribute holds"
# Whose code runs without a call there, or where unseen code has a stand-in: the second lock holds
# it up. In all other cells it finds nothing.
HELD_UP = {
    "c_writers: weakref callbacks": "a callback of a weak reference",
    "errors: errstate with a call": "what NumPy calls at an error",
    "generators: an error of the body thrown past a generator": "a suspended generator is freed",
    "worlds: a signal handler that writes": "a signal handler",
    "writers: a finalizer that writes": "a finalizer",
    "writers: a subclass of ndarray": "NumPy asks the class in the middle of an operation",
    "writers: lt that writes while sorting": KEPT,
    "writers: str repr and format that write": KEPT,
}
EVERYWHERE = "same earlier plain module"

KNOWN: dict[str, tuple[str, str]] = {
    "c_writers: a list of a map of a setter": ("same earlier", WRAPPER),
    "c_writers: a map unpacked into names": ("same earlier", WRAPPER),
    "c_writers: a map unpacked into arguments": ("same earlier", WRAPPER),
    "c_writers: a map behind yield from": ("same earlier", WRAPPER),
    "c_writers: a unary call of a bound method kept in a list": ("same earlier", WRAPPER),
    "holders: an object array of arrays": (EVERYWHERE, "a stand-in stays in an object array"),
    "identity: isinstance against abstract classes": (
        EVERYWHERE,
        "a stand-in is hashable, a scalar one iterable",
    ),
    "identity: flags strides and order": (EVERYWHERE, "a stand-in says that it owns no data"),
    "memory: string and object and date arrays": (
        EVERYWHERE,
        "a stand-in stays in an object array",
    ),
    "writers: array protocol that writes": (EVERYWHERE, "raises ValueError"),
}
