"""The cells that IPython is running now, as the user typed them."""

from __future__ import annotations

import re
import time
from collections import deque
from typing import Any

_LOOK = re.compile(r"\s*(\w+\s*=\s*)?%(engine|hybrid)\b|\s*(#.*)?$")  # a line that only tells


class RunningCells:
    """A stack of IPython's execution infos: a cell may run another through ``run_cell``."""

    def __init__(self) -> None:
        self._infos: list[Any] = []
        # `perf_counter` of this cell and the last one; several that only look in a row are one.
        self.began: deque[float] = deque(maxlen=2)
        self._looks = False

    @property
    def last_began(self) -> float:
        """When the last cell began, for one that looks at what became of it."""
        return self.began[0] if self.began else 0.0

    def __len__(self) -> int:
        return len(self._infos)

    def start(self, info: Any) -> None:
        """IPython's ``pre_run_cell``."""
        if not self._infos:
            if self._looks:
                self.began.pop()
            self.began.append(time.perf_counter())
            self._looks = all(map(_LOOK.match, (info.raw_cell or "").splitlines()))
        self._infos.append(info)

    def finish(self, result: Any) -> None:
        """IPython's ``post_run_cell``; an empty cell ends without having started."""
        info = getattr(result, "info", None)
        if self._infos and self._infos[-1] is info:
            self._infos.pop()
        elif any(i is info for i in self._infos):
            while self._infos.pop() is not info:
                pass

    def clear(self) -> None:
        self._infos.clear()

    def whole(self, body: str) -> tuple[str, int] | None:
        """(text, lines above the body) of the outermost cell that is this body under magic lines.

        None when no running cell is: its lines are then counted from the magic line.
        """
        tail = body.rstrip()
        for info in self._infos if tail else ():
            text = (info.raw_cell or "").rstrip()
            above = text[: len(text) - len(tail)]
            if text.endswith(tail) and (not above or above.endswith("\n")):
                rest = above.splitlines()
                if all(not line.strip() or line.lstrip().startswith("%%") for line in rest):
                    return text + "\n", len(rest)
        return None

    def cell_id(self) -> str | None:
        """The notebook's id of the innermost running cell, where the front end sent one."""
        for info in reversed(self._infos):
            found = getattr(info, "cell_id", None)
            if found:
                return str(found)
        return None


running = RunningCells()
