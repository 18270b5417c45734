"""What differs today: cell -> (places of its helper, why). A mended cell fails its strict xfail.

An entry leaves this table when its cell is mended; nothing else excuses a difference.
"""

from __future__ import annotations

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
KNOWN: dict[str, tuple[str, str]] = {}
