"""Which public names the cases call: a plugin of pytest (`make compatibility`).

    pytest -p used_names --used-names FILE ...

writes FILE, the names by path ("nd.NDArray.sum") with the first test or case that called them. Only
calls count that stand in files of this folder which genuine MXNet runs, too; calls of a case that
does not come out the same don't.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest
from public_names import found, paths, signatures
from uses.common import attribute

HERE = str(Path(__file__).resolve().parent)
# What only the tests run.
_OURS = ("test_", "conftest", "record", "outcomes", "used_names", "compatibility", "public_names")


class Names:
    """Where public names are found again when they are called."""

    def __init__(self) -> None:
        self.by_code: dict[CodeType, list[tuple[type | None, str]]] = {}
        self.by_class: dict[type, list[str]] = {}
        self.by_function: dict[int, list[str]] = {}
        self.core: dict[tuple[type, str], str] = {}
        for path in paths():
            value, owner = found(path), found(path.rpartition(".")[0])
            if value is not None:
                is_class = isinstance(owner, type) and not _is_static(owner, path)
                self._add(path, value, owner if is_class else None)

    def _add(self, path: str, value: Any, owner: type | None) -> None:
        if isinstance(value, property):
            value = value.fget
        value = getattr(value, "__func__", value)
        value = inspect.unwrap(value) if callable(value) else value
        code = getattr(value, "__code__", None)
        if isinstance(value, type):
            self.by_class.setdefault(value, []).append(path)
        elif code is not None:
            self.by_code.setdefault(code, []).append((owner, path))
        elif owner is not None and callable(value):
            self.core[owner, path.rpartition(".")[2]] = path
            self.by_function.setdefault(id(value), []).append(path)  # called, it has no owner
        else:
            self.by_function.setdefault(id(value), []).append(path)

    def called(self, frame: FrameType) -> Iterator[str]:
        code = frame.f_code
        if code is attribute.__code__:
            yield from self._read(frame.f_locals["owner"], frame.f_locals["name"])
            return
        owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        for kind, path in self.by_code.get(code, ()):
            if kind is None or isinstance(owner, kind) or owner is kind:
                yield path
        if code.co_name in ("__init__", "__new__"):
            kind = owner if isinstance(owner, type) else type(owner)
            known = next((k for k in kind.__mro__ if k in self.by_class), None)
            yield from self.by_class.get(known, ())  # type: ignore[arg-type]

    def _read(self, owner: Any, name: str) -> Iterator[str]:
        if isinstance(owner, ModuleType):
            homes = [owner.__name__.partition(".")[2]]
        else:
            kinds = (owner if isinstance(owner, type) else type(owner)).__mro__
            homes = [path for kind in kinds for path in self.by_class.get(kind, ())]
        yield from (f"{home}.{name}" for home in homes if f"{home}.{name}" in signatures())

    def called_core(self, function: Any) -> Iterator[str]:
        yield from self.by_function.get(id(function), ())
        for kind in type(getattr(function, "__self__", None)).__mro__:
            if (kind, function.__name__) in self.core:
                yield self.core[kind, function.__name__]


def _is_static(owner: type, path: str) -> bool:
    return isinstance(inspect.getattr_static(owner, path.rpartition(".")[2]), staticmethod)


def _counts(filename: str) -> bool:
    return filename.startswith(HERE) and not Path(filename).name.startswith(_OURS)


class Used:
    """What was called so far; nothing is noted until the plugin is there."""

    def __init__(self) -> None:
        self.names: Names | None = None
        self.seen: dict[str, str] = {}
        self.label = ""

    def note(self, frame: FrameType, event: str, arg: Any) -> None:
        assert self.names is not None
        if event == "call":
            caller = frame.f_back
            if caller is not None and _counts(caller.f_code.co_filename):
                for path in self.names.called(frame):
                    self.seen.setdefault(path, self.label)
        elif event == "c_call" and _counts(frame.f_code.co_filename):
            for path in self.names.called_core(arg):
                self.seen.setdefault(path, self.label)


USED = Used()


@contextmanager
def case(name: str, covers: tuple[str, ...]) -> Iterator[list[bool]]:
    """The calls of one case; they count when True is put into the list."""
    outside, label, same = USED.seen, USED.label, [False]
    USED.seen, USED.label = {}, name
    try:
        yield same
    finally:
        public = dict.fromkeys((path for path in covers if path in signatures()), name)
        inside = {**public, **USED.seen} if same[-1] else {}
        USED.seen, USED.label = outside, label
        if USED.names is not None:
            USED.seen = {**inside, **outside}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--used-names", metavar="FILE", default=None)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--used-names"):
        USED.names = Names()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if USED.names is None:
        yield
        return
    USED.label = item.nodeid
    sys.setprofile(USED.note)
    yield
    sys.setprofile(None)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    path = session.config.getoption("--used-names")
    if path and exitstatus == 0:
        Path(path).write_text(json.dumps(USED.seen, indent=0, sort_keys=True) + "\n")
