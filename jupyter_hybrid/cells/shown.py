"""The report under a cell; of a program that runs on after its cell it is corrected at the end."""

from __future__ import annotations

import threading
import uuid
from functools import partial
from typing import Any

from IPython.display import display

from .. import views
from ..reports.report import Report


def show(report: Report, shell: Any) -> None:
    """Displays it. Where a front end can replace what it shows, the time of a program that runs on
    is filled in when it is through."""
    if getattr(shell, "kernel", None) is None or not report.running:
        display(report)
        return
    forms = views.Forms(report)
    # Not the shell's at that time, which may be capturing another cell's output.
    publish = partial(shell.display_pub.publish, transient={"display_id": uuid.uuid4().hex})
    publish(*forms.bundle())
    threading.Thread(
        target=_correct, name="jupyter_hybrid times", args=(report, forms, publish), daemon=True
    ).start()


def _correct(report: Report, forms: Any, publish: Any) -> None:
    _ = report.run_s  # waits
    forms.measure_again()
    publish(*forms.bundle(), update=True)
