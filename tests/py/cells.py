"""An IPython shell for tests of the magics: runs cells and captures what they print and show."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output


@dataclass
class Result:
    """What one cell did."""

    value: Any
    out: str
    shown: list[RichOutput]
    error: BaseException | None


class Shell:
    """A fresh namespace in a real IPython shell with the extension loaded."""

    def __init__(self) -> None:
        self.ip = InteractiveShell.instance()
        self.ip.reset(new_session=False)
        self.ip.compile.reset_compiler_flags()  # a cell's futures hold for later cells
        self.ip.run_line_magic("load_ext", "jupyter_hybrid")
        self.ns = self.ip.user_ns
        history = self.ip.history_manager.input_hist_parsed
        history[-1] = history[-1].rstrip("; \n")  # where a cell is not stored IPython looks there

    def run(self, source: str, *, fails: bool = False) -> Result:
        """Runs a cell; an exception fails the test unless ``fails``."""
        with capture_output() as captured:
            result = self.ip.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        if error is not None and not fails:
            raise error
        if fails and error is None:
            raise AssertionError(f"the cell was expected to fail:\n{source}")
        return Result(result.result, captured.stdout, list(captured.outputs), error)

    def hybridize(self, body: str, options: str = "", **rest: Any) -> Result:
        """Runs a body under ``%%hybridize``."""
        return self.run(f"%%hybridize {options}\n{body}", **rest)

    @property
    def report(self) -> Any:
        import jupyter_hybrid

        return jupyter_hybrid.report()


class Clock:
    """Seconds that the recorded runs and those as written of a cell are said to take, in turn."""

    def __init__(self, *took: float):
        self._times = iter([t for seconds in took for t in (0.0, seconds)])

    def __call__(self) -> float:
        return next(self._times)


def imperative(body: str, namespace: dict[str, Any] | None = None) -> tuple[dict[str, Any], str]:
    """(names, printed text) of plain Python running the body: what a hybridized cell must equal."""
    names: dict[str, Any] = dict(namespace or {})
    text = io.StringIO()
    with redirect_stdout(text):
        exec(compile(body, "<plain>", "exec"), names)
    names.pop("__builtins__", None)
    return names, text.getvalue()
