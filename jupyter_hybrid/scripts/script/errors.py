"""ScriptError: what can't be compiled, with file, line, code and reason."""

from __future__ import annotations

import linecache
import re

from ...base import MXNetError
from ..control.loop_else import ENDED
from ..control.returns import DONE, RETURN
from ..control.syntax import BREAK, ITEM, LEFT

_NAMES = {
    RETURN: "what is returned", DONE: "whether it has returned", BREAK: "whether a loop is left",
    LEFT: "whether a loop is left", ENDED: "whether a loop went to its end",
    ITEM: "what a loop walks through", "__jupyter_hybrid__": "script",
    "LoopNumber": "number known only when the graph runs",
    "numpy.ndarray": "NumPy array", "CountedRange": "range of unknown length",
}  # fmt: skip


_SHORT = re.compile("^(a value is read|a condition reads a value|a format shows the values)")
_LONG = (
    "Python needs the value of an array here, which is known only when the graph runs (numbers "
    "come from int(x), float(x), bool(x) or x.item() of one element)"
)


def _without_own_names(reason: str) -> str:
    """The reason without the names that lowering adds, and in full."""
    reason = _SHORT.sub(_LONG, reason)
    for own, plain in _NAMES.items():
        reason = re.sub(re.escape(own) + r"\d*", plain, reason)
    return reason


class ScriptError(MXNetError):
    """A function that ``script()`` can't compile.

    Attributes:
        file, line: where; the line is 1-based.
        code: that line's text.
        reason: why.
    """

    def __init__(self, name: str, where: tuple[str, int], reason: str):
        self.file, self.line = where
        self.code = linecache.getline(self.file, self.line).strip()
        self.reason = reason = _without_own_names(reason)
        shown = f"\n    {self.code}" if self.code else ""
        super().__init__(f"script: {name} ({self.file}, line {self.line}): {reason}{shown}")
