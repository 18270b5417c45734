"""What NumPy is to do about floating-point errors, as units ask whenever they begin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...np_face import float_errors


class Errors(NamedTuple):
    """What ``np.geterr`` says.

    Attributes:
        watched: the first letters of those that NumPy tells of, for the core.
        ignores_under: is nothing told of underflow?
        raised: for ``np.errstate``: what is told of is raised.
    """

    watched: str
    ignores_under: bool
    raised: dict[str, Any]


# What was looked at last. NumPy's state is another object once it is to do something else.
_last: tuple[Any, Errors] = None, Errors("", True, {})


def errors_now() -> Errors:
    """As it is now, in this thread."""
    global _last
    state = float_errors.state.get() if float_errors.state is not None else None
    if state is None or state is not _last[0]:
        ways = np.geterr()
        watched = "".join(k[0] for k in ("divide", "over", "invalid") if ways[k] != "ignore")
        told = {k: w if w == "ignore" else "raise" for k, w in ways.items()}
        _last = state, Errors(watched, ways["under"] == "ignore", told)
    return _last[1]
