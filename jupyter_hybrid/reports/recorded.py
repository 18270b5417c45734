"""The report of a recording."""

from __future__ import annotations

from ..capture.recording import Recording
from . import why_compiled
from .report import Report


def report_of(recording: Recording, error: BaseException | None = None) -> Report:
    """What happened, after the recording's end, until the error if there was one."""
    recorder, ending = recording.recorder, recording.ending
    report = Report(
        recorder.cell,
        recorder.options,
        recorder.segments,
        recorder.breaks,
        ending.deferred,
        ending.bound,
        cuts=recorder.cuts,
        spent=recorder.spent,
    )
    report.namespace = recorder.namespace
    report.loops = list(recorder.loops.values())
    report.computed = recorder.later.taken()
    if error is not None:
        report.failed_with(error)
    elif report.replay == "compiled":
        report.compared_later = why_compiled.note(report)
    return report
