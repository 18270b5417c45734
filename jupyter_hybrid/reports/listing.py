"""What kept a cell from being one graph, for people: a place each, with its count and its price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..capture.durations import seconds
from ..capture.spent import Place
from ..reasons import Reason

_WORTH_SAYING_S = 1e-3  # of what came up once


class Break(tuple[int | None, Reason]):
    """(line, reason); the line is 1-based in the whole cell, None when it has none. The reason is
    text that knows its message: ``id`` and ``args``, see :class:`~jupyter_hybrid.reasons.Reason`.

    Attributes:
        count: how often it came up.
        seconds: what it cost altogether: finding or compiling programs, running them, waiting.
    """

    count: int  # type: ignore[assignment]  # in the place of a tuple's method
    seconds: float

    def __new__(cls, place: Place, count: int = 1, seconds: float = 0.0) -> Break:
        made = super().__new__(cls, place)
        made.count, made.seconds = count, seconds
        return made

    @property
    def priced(self) -> str:
        """The reason, how often and for how long: ``print shows a value, 12 times, 3.1 ms``."""
        times = f", {self.count:,} times" if self.count > 1 else ""
        price = f", {seconds(self.seconds)}" if self.seconds >= _WORTH_SAYING_S else ""
        return self[1] + times + price

    @property
    def text(self) -> str:
        """The whole as one line."""
        line, reason = self
        return (
            f"line {line}: {self.priced}" if line and not reason.startswith("line") else self.priced
        )


def places(found: Iterable[Place], prices: Mapping[Place, float]) -> list[Break]:
    """Each place once, in order of first appearance."""
    times = Counter(found)
    return [Break(at, n, prices.get(at, 0.0)) for at, n in times.items()]
