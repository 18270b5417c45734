"""Reasons in a picture: messages with their arguments, and the places where a graph was cut."""

from __future__ import annotations

from ..capture.spent import Place
from ..reasons import Argument, Reason
from .schema import Message, Stop


def message(told: Argument, name: str = "") -> Message:
    """The JSON form of a reason, or of an argument of that name."""
    return {
        "name": name,
        "text": str(told),
        "id": told.id if isinstance(told, Reason) else "",
        "args": arguments(told) if isinstance(told, Reason) else [],
    }


def arguments(why: Reason) -> list[Message]:
    """Those of a reason, with those of the reasons among them."""
    return [message(value, name) for name, value in why.args.items()]


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
