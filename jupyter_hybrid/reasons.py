"""Why something went as it did: a message and its arguments, made into text here alone.

The id of a message is its English template, as gettext's are, and stands where the reason is given.
So there is no table beside some 480 templates that could lack one or keep an old one, a
search for the words of a reason finds the line that gives it, and a picture that was saved can be
read whatever later versions have to say. Reasons with one id differ in their arguments alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

Argument = str | int | float  # a reason too: that is text
#: What can stand in rewritten code and in the core: a template, or (template, name, text, ...).
Told = str | tuple[str, ...]


class Reason(str):
    """A reason: text in English that knows the message that it was made from.

    It is a ``str``, for everybody prints reasons and the places of a cell are told apart by them,
    each time that a known program runs: hashing and comparing them cost what they cost of text.

    Args:
        id: the template, written out where it is given; ``{name}`` stands for an argument.
        args: its arguments. Numbers and reasons stay what they are, others become text.
    """

    __slots__ = ("args", "id")
    id: str
    args: dict[str, Argument]

    def __new__(cls, id: str, /, **args: Any) -> Reason:
        made = str.__new__(cls, id.format_map(args) if args else id)
        made.id, made.args = id, args
        for name, value in args.items():
            if type(value) not in _KEPT:
                args[name] = str(value)
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Argument]]:
        """Copies are made from the message, too."""
        return (self.id,), self.args

    @classmethod
    def of(cls, told: Told) -> Reason:
        """The reason that is told so."""
        return told if type(told) is cls else _of(told)


_KEPT = frozenset({str, int, float, Reason})
NONE = Reason("")


@lru_cache(maxsize=1024)
def _of(told: Told) -> Reason:
    """The same places tell the same, in every step of a loop."""
    if isinstance(told, str):
        return Reason(told)
    id, *pairs = told
    return Reason(id, **dict(zip(pairs[::2], pairs[1::2], strict=True)))


class Reasoned(Exception):
    """Raised for a reason, which is made when somebody asks for it: most never are.

    Args:
        told, args: the reason's.
    """

    def __init__(self, told: Told, /, **args: object):
        super().__init__(told)
        self._args = args

    def __str__(self) -> str:
        return self.reason

    @property
    def reason(self) -> Reason:
        """Why."""
        told = self.args[0]
        return Reason(told, **self._args) if self._args else Reason.of(told)
