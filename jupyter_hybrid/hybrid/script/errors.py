"""ScriptError: what can't be compiled, with file, line, code and reason."""

from __future__ import annotations

import linecache

from ...base import MXNetError


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
        self.reason = reason
        shown = f"\n    {self.code}" if self.code else ""
        super().__init__(f"script: {name} ({self.file}, line {self.line}): {reason}{shown}")
