"""What a Tab offers after our magics: their options, and the words that an option takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)

from ..capture import options
from ..modelled.device import DEVICES
from .gpus import LINKS

_ENGINE = {
    "": ("naive", "threaded", "inline", "limit", "slow", "report", "timeline", "memory"),
    "inline": ("on", "off"),
    "report": (),
    "timeline": (),
    "memory": (),
}
_HYBRID = {
    "": ("mode", "explain", "clear", "output", "alias", "gpus"),
    "symbolic": ("--force",),
    "alias": ("mxnet", "off"),
    "mxnet": ("--replace",),
    "gpus": (),
    "like": tuple(name.replace(" ", "") for name in DEVICES),
    "links": LINKS,
    **dict.fromkeys(("explain", "clear", "output"), ()),
}
_BEFORE_OTHERS = 1000.0  # Python's own completer takes seconds when it is first asked
Offer = Callable[[list[str]], list[str]]
_offers: dict[str, Offer] = {}


def start(shell: Any, modes: Iterable[str]) -> None:
    """Tells a shell's completer; ``modes``: those of ``%hybrid mode``."""
    hybrid = {**dict.fromkeys(modes, ()), "mode": tuple(modes), **_HYBRID}
    _offers.update(
        {
            "%%hybridize": _of_hybridize,
            "%engine": _of_words(_ENGINE),
            "%hybrid": _of_words(hybrid),
        }
    )
    shell.Completer.custom_matchers.append(_after_our_magics)


def stop(shell: Any) -> None:
    """Takes that back."""
    shell.Completer.custom_matchers.remove(_after_our_magics)


@context_matcher(priority=_BEFORE_OTHERS)
def _after_our_magics(context: CompletionContext) -> SimpleMatcherResult:
    """Where it offers something, nobody else does: a Python name would be no option."""
    magic, _, rest = context.text_until_cursor.lstrip().partition(" ")
    before, begun = rest.split(), ""
    if before and not rest[-1].isspace():
        begun = before.pop()
    offered = _offers[magic](before) if magic in _offers else []
    return {
        "completions": [SimpleCompletion(w, type="option") for w in offered if w.startswith(begun)],
        "matched_fragment": begun,
        "suppress": True,
        "do_not_suppress": set(),
        "ordered": True,
    }


def _of_words(after: dict[str, tuple[str, ...]]) -> Offer:
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
