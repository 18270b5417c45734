"""Before a cell: deferred names that it may read become their real values.

IPython says which cell comes and runs it whatever happens to who is told. So they are computed by a
first statement of the cell, and an interrupt ends it there. IPython compiles each statement of a
cell by itself: the user's own stay what they are, ``from __future__`` among them.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from ..base import MXNetError
from ..capture.deferred import Deferred
from ..reports.session import session

_FIRST = "__hybrid_before_cell__"  # in ``builtins``: any other name may be the user's


class BeforeCell:
    """What the cell that comes mentions; for such a cell one of IPython's ``ast_transformers``,
    after which it goes through the whole tree."""

    def __init__(self) -> None:
        self._shell: Any = None
        self._mentioned: list[Deferred] = []
        self._takes_part = False

    def start(self, shell: Any, compute: Callable[[], None]) -> None:
        """Looks at this shell's cells; ``compute`` is what their first statement calls."""
        self._shell = shell
        setattr(builtins, _FIRST, compute)
        shell.events.register("pre_run_cell", self._comes)

    def stop(self, shell: Any) -> None:
        shell.events.unregister("pre_run_cell", self._comes)
        self._take_part(False)
        delattr(builtins, _FIRST)

    def _comes(self, info: Any) -> None:
        if not info.raw_cell:
            return
        namespace = self._shell.user_ns
        session.later.start_cell(f"cell {_number(self._shell)}")
        self._mentioned = []
        if session.later.has_names:
            session.later.forget_dead(namespace)
            self._mentioned = session.later.mentioned_in(info.raw_cell, namespace)
        if self._mentioned or self._takes_part:
            self._take_part(bool(self._mentioned))

    def _take_part(self, is_needed: bool) -> None:
        transformers = self._shell.ast_transformers
        if is_needed != (self in transformers):
            (transformers.append if is_needed else transformers.remove)(self)
        self._takes_part = is_needed

    def visit(self, cell: Any) -> Any:
        """The cell's tree with the statement that computes; magics have their own texts read here
        too, after that of the cell."""
        if self._mentioned and cell.body:
            first = ast.parse(f"{_FIRST}()").body[0]
            for part in ast.walk(first):
                ast.copy_location(part, cell.body[0])
            cell.body.insert(0, first)
        return cell

    def compute(self, shell: Any) -> None:
        """Binds the names to what is computed now."""
        mentioned, self._mentioned = self._mentioned, []
        for deferred in mentioned:
            try:
                session.later.rebind(deferred, shell.user_ns)
            except MXNetError:
                continue  # the line that reads it raises that
            except Warning:  # its line ran before the filters made it an error
                shell.showtraceback(exception_only=True)


before_cell = BeforeCell()


def _number(shell: Any) -> int:
    """Of the cell that is about to run. The shell counts on before that or afterwards, by version:
    the history has the cells before this one."""
    history = getattr(shell, "history_manager", None)
    return shell.execution_count if history is None else len(history.input_hist_parsed)
