"""A picture asks for one of its stages to be run: the answer, also where it is refused.

Messages come on another thread while cells may run. Nothing of theirs is touched: the stage reads
arrays and makes its own, and it is not begun, or goes no further, while a cell runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from .. import _core
from ..base import MXNetError
from ..capture.values import InputGone
from ..reasons import Reason
from ..reports.node_values import NodeValue, Values, number
from ..reports.stage_inputs import InputsChanged
from ..reports.stage_program import Bounds
from ..reports.stage_result import StageRun
from ..reports.stage_run import run_stage
from ..reports.stage_values import values_of
from .messages import message
from .switchboard import switchboard

_MOST_S = 5.0  # of one run, as estimated
_one_at_a_time = threading.Lock()


class _Busy(MXNetError):
    """The kernel has other work; ``why`` says which."""

    def __init__(self, why: Reason):
        super().__init__(why)
        self.why = why


def ran_stage(asked: dict[str, Any], busy: Callable[[], bool] = lambda: False) -> dict[str, Any]:
    """The answer to a ``run_stage`` message, whatever happens.

    Args:
        asked: ``id`` of the spec, ``stage``, ``kept`` (names; None: as the cell ran), and whether
            ``values`` are wanted; ``on``: see :meth:`Report.run_stage`.
        busy: does a cell run?
    """
    answer = {"type": "stage_ran", "id": str(asked.get("id")), "stage": str(asked.get("stage"))}

    def go_on() -> None:
        if busy():
            raise _Busy(Reason("a cell runs: wait until it has ended"))

    if not _one_at_a_time.acquire(blocking=False):
        return {**answer, "refused": message(Reason("another stage is being run"))}
    try:
        go_on()
        if _core.engine_settings()["slow"]:
            raise _Busy(
                Reason("the engine is slowed down (%engine slow), and times would tell nothing")
            )
        if _core.pending():
            raise _Busy(Reason("the engine still has work: wait until it is through"))
        return {**answer, **_ran(asked, answer["stage"], Bounds(go_on, _MOST_S))}
    except InputsChanged as error:
        return {**answer, "refused": message(error.why), "offer": "now"}
    except InputGone as error:
        return {**answer, "refused": message(error.why), "offer": "random"}
    except Exception as error:
        why = error.args[0] if error.args else ""
        why = why if isinstance(why, Reason) else str(why) or type(error).__name__
        return {**answer, "refused": message(why)}
    finally:
        _one_at_a_time.release()


def _ran(asked: dict[str, Any], stage: str, bounds: Bounds) -> dict[str, Any]:
    kept = asked.get("kept")
    if kept is not None and not (isinstance(kept, list) and all(isinstance(n, str) for n in kept)):
        raise LookupError("a picture sends a list of names")
    report = switchboard.shown(str(asked.get("id")), kept)
    ran = run_stage(report, stage, asked.get("on", "run"), bounds)
    wanted = asked.get("values") and not ran.inputs.drawn
    values = _told(values_of(report, stage, bounds)) if wanted else {}
    return {"run": _figures(ran), **values}


def _figures(ran: StageRun) -> dict[str, Any]:
    apart = None
    if ran.difference is not None:
        apart = asdict(ran.difference)
        apart["max_abs"] = number(ran.difference.max_abs)
        apart["equal"] = ran.difference.equal
    return {
        "best_s": ran.best,
        "median_s": ran.median,
        "runs": len(ran.seconds),
        "bytes": ran.bytes,
        "shared": ran.shared,
        "before": ran.before,
        "difference": apart,
        "why": ran.why,
        "inputs": ran.inputs.text,
        "changed": ran.inputs.changed or ran.inputs.drawn > 0,
    }


def _told(values: Values) -> dict[str, Any]:
    def id_of(value: NodeValue | None) -> int | None:
        return None if value is None else value.id

    rows = [
        {
            "id": v.id,
            "label": v.label,
            "count": v.count,
            "nans": v.nans,
            "infs": v.infs,
            "min": number(v.min),
            "max": number(v.max),
            "mean": number(v.mean),
            "preview": v.preview,
            "stage": v.stage,
            "spread": v.spread
            and {**v.spread._asdict(), "low": number(v.spread.low), "high": number(v.spread.high)},
        }
        for v in values
    ]
    firsts = {"first_nan": id_of(values.first_nan), "first_inf": id_of(values.first_inf)}
    closed = [c._asdict() for c in values.closed]
    return {"values": rows, "closed": closed, **firsts}
