"""The options that the decorator and the with-block take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..capture.options import Options, checked_passes

_TAKEN = {"hybridize": "passes, no and force", "symbolic": "out, passes, no and force"}


def options_of(
    face: str,
    others: dict[str, Any],
    passes: str | Iterable[str] | None,
    no: str | Iterable[str],
    force: bool,
    out: str | Iterable[str] | None = None,
) -> Options:
    """What was asked for. Raises TypeError on ``others``, UsageError on an unknown pass."""
    for name in others:
        raise TypeError(f"{face}: no option {name!r}; there are {_TAKEN[face]}")
    names = out.replace(",", " ").split() if isinstance(out, str) else out
    return Options(
        out=None if names is None else tuple(names),
        passes=checked_passes(passes),
        without=checked_passes(no) or (),
        force=force,
        view="none",
    )


def leaves_choice(options: Options) -> bool:
    """May a run be one as written? Who asks for more than a recording gets one."""
    return options == Options(view="none")
