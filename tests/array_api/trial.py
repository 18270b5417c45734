"""Runs the cases as lines of hybridized cells and compares with array-api-strict."""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import array_api_strict as strict
import numpy as np

import jupyter_hybrid as mx
from tests.corpus.trial import Hybrid

from .cases import Case, cases, inputs

_LINES = 40  # cases in one cell


@dataclass
class Verdict:
    """One case: what is wrong with its answer, and what kept it out of the graph."""

    case: Case
    wrong: str = ""  # how the answer differs from array-api-strict's
    broke: str = ""  # what kept it out of the graph
    numpys: bool = False  # a wrong answer, but NumPy's own


def _plain(value: Any) -> Any:
    """A result of either side as NumPy arrays and Python values."""
    if isinstance(value, strict._array_object.Array):
        return np.asarray(value._array)
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        return np.asarray(value)
    if type(value).__name__ in ("DType", "dtype") or isinstance(value, np.dtype):
        return str(np.dtype(getattr(value, "_np_dtype", value)))
    return value


def _difference(case: Case, wanted: Any, got: Any) -> str:
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return f"is {got!r}"
        found = (_difference(case, w, g) for w, g in zip(wanted, got))
        return next((text for text in found if text), "")
    if not isinstance(wanted, np.ndarray):
        return "" if type(wanted) is type(got) and wanted == got else f"{got!r} for {wanted!r}"
    if not isinstance(got, np.ndarray):
        return f"is a {type(got).__name__}"
    if (wanted.dtype, wanted.shape) != (got.dtype, got.shape):
        return f"{got.dtype}{got.shape} for {wanted.dtype}{wanted.shape}"
    if "empty" in case.function:
        return ""
    if wanted.dtype.kind not in "fc":
        same = np.array_equal(wanted, got)
    else:
        same = all(_floats(w, g, case.sums) for w, g in _parts(wanted, got))
    return "" if same else f"{got.tolist()} for {wanted.tolist()}"


def _parts(wanted: np.ndarray, got: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    if wanted.dtype.kind == "f":
        return [(wanted, got)]
    return [(wanted.real, got.real), (wanted.imag, got.imag)]


def _floats(wanted: np.ndarray, got: np.ndarray, sums: bool) -> bool:
    """NaN where NaN, the zeros' signs, elsewhere within 4 ulp (16 of the largest for sums)."""
    if not np.array_equal(np.isnan(wanted), np.isnan(got)):
        return False
    finite = np.isfinite(wanted)
    if not np.array_equal(wanted[np.isinf(wanted)], got[np.isinf(wanted)]):
        return False
    w, g = wanted[finite], got[finite]
    if not sums and not np.array_equal(np.signbit(w[w == 0]), np.signbit(g[w == 0])):
        return False
    eps = np.finfo(wanted.dtype).eps
    scale = np.abs(w).max(initial=0) if sums else np.abs(w)
    return bool(np.all(np.abs(w - g) <= (16 if sums else 4) * eps * scale))


def _answers(asked: list[Case], arrays: dict[str, np.ndarray]) -> list[tuple[Case, Any]]:
    """What array-api-strict says; cases that it refuses are left out."""
    names: dict[str, Any] = {k: strict.asarray(v) for k, v in arrays.items()}
    names["np"] = strict
    found = []
    for case in asked:
        try:
            found.append((case, _plain(eval(case.text, dict(names)))))
        except Exception:
            continue
    return found


def _run(hybrid: Hybrid, group: list[tuple[Case, Any]], arrays: dict) -> list[Verdict]:
    shell = hybrid.shell
    names = shell.user_ns
    names["np"] = np
    names |= arrays
    text = "".join(f"r{i} = {case.text}\n" for i, (case, _) in enumerate(group))
    _, _, raised = hybrid._cell(f"%%hybridize --view none\n{text}")
    if raised is not None:
        if len(group) == 1:
            case = group[0][0]
            return [Verdict(case, _raises(raised), numpys=_numpys(case, raised, arrays))]
        return [v for one in group for v in _run(hybrid, [one], arrays)]
    report = mx.report()
    breaks = dict(reversed(report.graph_breaks))
    recorded = {report.line_of(n) for n in report.stages[0].graph.nodes} if report.segments else {0}
    hybrid._cell("(" + ", ".join(f"r{i}" for i in range(len(group))) + ",)")
    verdicts = []
    for i, (case, wanted) in enumerate(group):
        got = names.pop(f"r{i}")
        wrong = _difference(case, wanted, _plain(got))
        broke = breaks.get(i + 2, "")
        if not broke and i + 2 not in recorded and isinstance(got, (np.ndarray, np.generic, list)):
            broke = "ran in NumPy"
        verdicts.append(Verdict(case, wrong, broke, bool(wrong) and _numpys(case, got, arrays)))
    return verdicts


def _raises(error: BaseException) -> str:
    return f"raises {type(error).__name__}: {error}"


def _numpys(case: Case, got: Any, arrays: dict[str, np.ndarray]) -> bool:
    """True when plain NumPy does just the same, so that NumPy departs from the standard."""
    try:
        plain = eval(case.text, {"np": np, **inputs()})
    except Exception as error:
        return isinstance(got, BaseException) and _raises(error) == _raises(got)
    return not isinstance(got, BaseException) and not _difference(case, _plain(plain), _plain(got))


def run() -> list[Verdict]:
    """Every case of the standard."""
    arrays = inputs()
    verdicts = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answers = _answers(cases(), arrays)
        hybrid = Hybrid()
        for _, same in itertools.groupby(answers, key=lambda a: a[0].function):
            together = list(same)
            for start in range(0, len(together), _LINES):
                verdicts += _run(hybrid, together[start : start + _LINES], arrays)
    return verdicts


def summary(verdicts: list[Verdict]) -> str:
    """Both rates, the wrong answers, and the functions that left the graph."""
    total = len(verdicts)
    right = sum(not v.wrong for v in verdicts)
    captured = sum(not v.wrong and not v.broke for v in verdicts)
    numpys = sum(v.numpys for v in verdicts)
    lines = [
        f"array API standard: {right} of {total} right ({100 * right / total:.1f} %), "
        f"{captured} captured in the graph ({100 * captured / total:.1f} %); of the others NumPy "
        f"itself departs from the standard in {numpys}"
    ]
    for verdict in verdicts:
        if verdict.wrong:
            whose = "numpy " if verdict.numpys else "wrong "
            lines.append(f"{whose} {verdict.case.text}: {verdict.wrong}")
    reasons: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for verdict in verdicts:
        if verdict.broke and not verdict.wrong:
            reasons[verdict.case.function][verdict.broke] += 1
    for function, why in sorted(reasons.items()):
        text = "; ".join(f"{n} x {reason}" for reason, n in why.items())
        lines.append(f"break  {function}: {text}")
    return "\n".join(lines)
