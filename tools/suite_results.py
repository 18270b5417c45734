"""What a run of tests came to: totals, the time of every test, the tables at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

LONG = 5.0  # seconds from which a test of the short tier says why it takes them


@dataclass
class Timed:
    """One test."""

    seconds: float
    name: str
    why: str = ""  # the reason that its mark `takes` gives


@dataclass
class Result:
    """The totals of one piece or one part; ``cpu`` counts the seconds of all its processes."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    tests: list[Timed] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0

    def problem(self, text: str) -> Result:
        """Notes what went wrong outside the tests themselves, as one failure."""
        self.problems.append(text)
        self.failed += 1
        return self

    def judged(self, code: int, what: str) -> Result:
        """Notes what the exit code says and the report does not."""
        if code and not self.failed:
            self.problem(f"{what} ended with exit code {code}")
        return self

    def add(self, other: Result) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.problems += other.problems
        self.tests += other.tests
        self.seconds += other.seconds
        self.cpu += other.cpu


def read_junit(report: Path) -> Result:
    """A pytest report."""
    result = Result()
    if not report.exists():
        return result
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        left_out = int(suite.get("skipped", 0))
        result.failed += bad
        result.skipped += left_out
        result.passed += max(0, int(suite.get("tests", 0)) - bad - left_out)
        for case in suite.iter("testcase"):
            name = f"{case.get('classname', '').removeprefix('tests.')}::{case.get('name')}"
            whys = [p.get("value", "") for p in case.iter("property") if p.get("name") == "takes"]
            result.tests.append(Timed(float(case.get("time", 0)), name, "".join(whys)))
    return result


def read_doctest(text: str, name: str) -> Result:
    """What a doctest program printed, run with ``--duration``."""
    line = re.search(
        r"test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed(?: \|\s*(\d+) skipped)?", text
    )
    result = Result(*(int(n or 0) for n in line.groups())) if line else Result()
    for seconds, test in re.findall(r"(?m)^(\d+\.\d+) s: (.+)$", text):
        result.tests.append(Timed(float(seconds), f"{name}: {test}"))
    return result


def slowest(tests: Iterable[Timed], count: int = 20) -> str:
    """A table of the tests that took longest; ``!`` marks one that does not say why."""
    lines = [f"\nthe {count} slowest tests (! over {LONG:.0f} s, neither `slow` nor with a reason)"]
    for test in sorted(tests, key=lambda t: -t.seconds)[:count]:
        sign = "!" if test.seconds > LONG and not test.why else " "
        lines.append(f"{test.seconds:>7.1f} {sign} {test.name}{test.why and f'  ({test.why})'}")
    return "\n".join(lines)


def totals(parts: dict[str, Result], budgets: dict[str, tuple[str, float]]) -> str:
    """A line a part: counts, seconds on the clock and of the processor, and what it may cost."""
    lines = [
        f"\n{'part':<12}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}{'cpu':>9}  budget"
    ]
    for name, part in parts.items():
        kind, budget = budgets.get(name, ("", 0.0))
        spent = part.cpu if kind == "cpu" else part.seconds
        allowed = f"{budget:>8.0f} {kind}{' EXCEEDED' if spent > budget else ''}" if kind else ""
        counts = f"{part.passed:>8}{part.failed:>8}{part.skipped:>9}"
        lines.append(f"{name:<12}{counts}{part.seconds:>9.1f}{part.cpu:>9.1f}{allowed}")
        lines += [f"{'':<12}{text}" for text in part.problems]
    return "\n".join(lines)
