"""Places where a cell's graph was cut, as a picture has them: a reason is a message there too."""

from __future__ import annotations

from ..capture.spent import Place
from ..reasons import Reason
from .schema import Argument, Stop


def stop(place: Place, count: int = 1, seconds: float = 0.0) -> Stop:
    """The JSON form of a place; ``count``: how often it came up; ``seconds``: what it cost."""
    line, why = place
    return {
        "line": line,
        "reason": str(why),
        "id": why.id,
        "args": arguments(why),
        "count": count,
        "seconds": seconds,
    }


def arguments(why: Reason) -> list[Argument]:
    """The arguments of a message, with those of the messages among them."""
    return [
        {
            "name": name,
            "text": str(value),
            "id": value.id if isinstance(value, Reason) else "",
            "args": arguments(value) if isinstance(value, Reason) else [],
        }
        for name, value in why.args.items()
    ]
