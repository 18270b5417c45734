"""What differs today: cell -> (places of its helper, why). A mended cell fails its strict xfail.

An entry leaves this table when its cell is mended; nothing else excuses a difference.
"""

from __future__ import annotations

# Cells with code that runs without a call, or where unseen code has a stand-in: the second lock
# holds it up. In all others it finds nothing.
HELD_UP = frozenset(
    {
        "c_writers: weakref callbacks",
        "errors: errstate with a call",
        "generators: an error of the body thrown past a generator",  # which is freed then
        "worlds: a signal handler that writes",
        "writers: a finalizer that writes",
        "writers: a subclass of ndarray",
        "writers: lt that writes while sorting",
        "writers: str repr and format that write",
    }
)
EVERYWHERE = "same earlier plain module"

KNOWN: dict[str, tuple[str, str]] = {
    "identity: isinstance against abstract classes": (
        EVERYWHERE,
        "a stand-in is hashable, a scalar one iterable",
    ),
}
