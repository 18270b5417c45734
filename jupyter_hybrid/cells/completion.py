"""What a Tab offers after our magics: their options, and the words that an option takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

from ..capture import options

_ENGINE = {
    "": ("naive", "threaded", "inline", "limit", "slow", "report", "timeline", "memory"),
    "inline": ("on", "off"),
    "report": (),
    "timeline": (),
    "memory": (),
}
_HYBRID = {
    "": ("mode", "explain", "clear", "output"),
    "symbolic": ("--force",),
    **dict.fromkeys(("explain", "clear", "output"), ()),
}
_told: WeakSet[Any] = WeakSet()  # IPython has no way to take a completer back


def start(shell: Any, modes: Iterable[str]) -> None:
    """Tells a shell's completer; ``modes``: those of ``%hybrid mode``."""
    if shell in _told:
        return
    _told.add(shell)
    hybrid = {**dict.fromkeys(modes, ()), "mode": tuple(modes), **_HYBRID}
    for magic, offer in {
        "%%hybridize": _of_hybridize,
        "%engine": _of_words(_ENGINE),
        "%hybrid": _of_words(hybrid),
    }.items():
        shell.set_hook("complete_command", _for(offer), str_key=magic)


def _for(offer: Callable[[list[str]], list[str]]) -> Callable[[Any, SimpleNamespace], list[str]]:
    """IPython's hook: it is called with the shell and an event."""

    def complete(shell: Any, event: SimpleNamespace) -> list[str]:
        before = event.text_until_cursor[: -len(event.symbol) or None].split()
        return offer(before[1:])

    return complete


def _of_words(after: dict[str, tuple[str, ...]]) -> Callable[[list[str]], list[str]]:
    """The words that may come after the last one."""

    def offer(before: list[str]) -> list[str]:
        last = before[-1] if before else ""
        return [w for w in after.get(last, after[""]) if w not in before]

    return offer


def _of_hybridize(before: list[str]) -> list[str]:
    last = before[-1] if before else ""
    if last in options.WORDS:
        return list(options.WORDS[last]())
    return [o for o in options.offered() if o not in before]
