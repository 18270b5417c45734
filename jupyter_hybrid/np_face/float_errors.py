"""What NumPy is to do about floating-point errors, and whether kernels may run later for all that.

Kernels give no warnings: they are given when a program has run (``capture/float_warnings.py``), for
the nodes of :func:`_core.invoke_ufunc`, which remember what was to be warned of where they stood.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..reasons import NONE, Reason
from .errors import NotCovered
from .frames import NUMPY, OWN, above
from .protocols import Recorder

_umath = sys.modules.get("numpy._core.umath")
state = getattr(_umath, "_extobj_contextvar", None)
KINDS = {"divide": 1, "over": 2, "invalid": 4}  # by their bit in a node's mark
_filters_of_cell: list[Any] = [None]
_shown_by: list[Any] = []
# The state and the filters that were looked at last.
harmless: list[Any] = [object(), warnings.filters]
_looked: list[Any] = [object(), []]  # the same, as it was
_SHOWS = ("showwarning", "_showwarnmsg_impl")  # what `catch_warnings` replaces
_CHANGED = object()
_ALL = [("always", None, Warning, None, 0)]
_kinds = 0


def require_quiet() -> None:
    """Raises NotCovered while kernels can't stand for NumPy's loops: ``np.errstate`` asks for
    exceptions or calls, warnings are caught or turned into exceptions here."""
    global _kinds
    now, filters = state.get() if state is not None else None, warnings.filters
    if now is not None and now is _looked[0] and filters == _looked[1] and filters is harmless[1]:
        harmless[0] = now
        return
    errors: Any = np.geterr()
    harmless[0] = _looked[0] = _CHANGED
    _core.set_float_warnings(0)
    if why := _not_covered(errors):
        raise NotCovered(why)
    _kinds = sum(bit for kind, bit in KINDS.items() if errors[kind] == "warn")
    if _kinds and (filters is not _filters_of_cell[0] or raises()):
        raise NotCovered("warnings are caught here")
    _core.set_float_warnings(_kinds)
    harmless[:] = [now, filters]
    _looked[:] = [now, list(filters)]


def _not_covered(errors: dict[str, str]) -> Reason:
    """What is asked of NumPy that kernels which run later can't do; empty for nothing."""
    asked = [f"{kind}={mode!r}" for kind, mode in errors.items() if mode not in ("warn", "ignore")]
    if asked:
        return Reason(
            "np.seterr({asked}) asks to be told of errors where they happen", asked=", ".join(asked)
        )
    if errors["under"] == "warn":  # kernels tell nothing of underflow: the flag is set too often
        return Reason(
            "np.seterr(under='warn') asks for warnings of underflow (all='warn' sets it; NumPy "
            "ignores it by default)"
        )
    return NONE


def is_quiet() -> bool:
    """Does :func:`require_quiet` let pass?"""
    try:
        require_quiet()
    except NotCovered:
        return False
    return True


def start_cell() -> None:
    """Takes the present warning filters as those of the cell, unless they raise."""
    _filters_of_cell[0] = None if raises() else warnings.filters
    _shown_by[:] = [getattr(warnings, name) for name in _SHOWS]
    harmless[0] = _looked[0] = _CHANGED


def look_again() -> None:
    """The settings may have changed, the filters in their own list too."""
    harmless[0] = _CHANGED


def raises() -> bool:
    """Is a RuntimeWarning an error somewhere?"""
    return any(f[0] == "error" and issubclass(RuntimeWarning, f[2]) for f in warnings.filters)


def ignored() -> bool:
    """Does the cell show no RuntimeWarning at all?"""
    for action, text, category, module, line in _filters_of_cell[0] or warnings.filters:
        if issubclass(RuntimeWarning, category):
            return action == "ignore" and text is None and module is None and not line
    return False


@contextmanager
def as_in_cell() -> Iterator[None]:
    """Warnings are given as where the cell began, not as where somebody catches them now."""
    filters = _filters_of_cell[0]
    if filters is None or filters is warnings.filters:
        yield
        return
    names = ("filters", *_SHOWS)
    now = [getattr(warnings, name) for name in names]
    try:
        _set_all(names, [filters, *_shown_by])
        yield
    finally:
        _set_all(names, now)


def _set_all(names: tuple[str, ...], values: list[Any]) -> None:
    for name, value in zip(names, values, strict=True):
        setattr(warnings, name, value)


class Named:
    """While it lasts, nodes are loops of this function, not of Python's operators. Of no function:
    they stand for something that warns otherwise, or not at all."""

    silent = 0  # how many of no function last

    def __init__(self, name: str | None) -> None:
        self.name = name

    def __enter__(self) -> None:
        Named.silent += self.name is None
        _core.set_float_warnings(0 if Named.silent else _kinds, self.name or "")

    def __exit__(self, *error: object) -> None:
        Named.silent -= self.name is None
        if not Named.silent:
            _core.set_float_warnings(_kinds)


SILENT = Named(None)


# Warnings -----------------------------------------------------------------------------------------
class Warned(NamedTuple):
    """A warning of NumPy's, and whose line it is at."""

    text: str
    filename: str
    line: int
    names: dict[str, Any]  # the globals of that code
    category: type[Warning] = RuntimeWarning

    def give(self) -> None:
        """Gives it as NumPy does."""
        module = self.names.get("__name__") or "<unknown>"
        registry = self.names.setdefault("__warningregistry__", {})
        warnings.warn_explicit(self.text, self.category, self.filename, self.line, module, registry)


class Log:
    """Is told by NumPy of floating-point errors, in the frame that it would warn of."""

    def __init__(self) -> None:
        self.met: list[Warned] = []

    def write(self, text: str) -> None:
        """What ``np.errstate(call=...)`` calls in its mode ``log``."""
        frame = sys._getframe(1)
        place = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
        self.met.append(Warned(text.removeprefix("Warning: ").strip(), *place))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hears what NumPy's Python code warns of meanwhile, too: lines of its own and of ours."""
        shown: Any = warnings
        before = shown.showwarning

        def heard(message: Any, category: Any, filename: str, lineno: int, *where: Any) -> None:
            if not filename.startswith((*OWN, NUMPY)):
                return before(message, category, filename, lineno, *where)
            text, names = str(message), globals_of(filename, {})
            # It counts as shown when it is.
            names.get("__warningregistry__", {}).pop((text, category, lineno), None)
            self.met.append(Warned(text, filename, lineno, names, category))

        shown.showwarning = heard
        try:
            yield
        finally:
            shown.showwarning = before


def globals_of(filename: str, otherwise: dict[str, Any]) -> dict[str, Any]:
    """Of the module in that file."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        if names.get("__file__") == filename:
            return names
    return otherwise


def in_numpy(
    call: Callable, args: tuple, kwargs: dict[str, Any], recorder: Recorder | None = None
) -> Any:
    """``call(*args, **kwargs)`` in real NumPy: a warning is at the user's line, not at ours, and
    after those of what was recorded before."""
    __tracebackhide__ = True
    errors = np.geterr()
    modes: Any = {kind: "log" for kind, mode in errors.items() if mode == "warn"}
    if not {"call", "log"}.isdisjoint(errors.values()):
        modes = {}
    listens = recorder is not None and type(call) is not np.ufunc
    if not modes and not listens:
        return call(*args, **kwargs)
    log = Log()
    try:
        with (
            np.errstate(**modes, call=log) if modes else nullcontext(),
            log.listening() if listens else nullcontext(),
        ):
            return call(*args, **kwargs)
    finally:
        if log.met and recorder is not None:
            recorder.warned = True
            recorder.flush_if_active(Reason("NumPy warns"))
        for warned in log.met:
            (_users(warned) if warned.filename.startswith(OWN) else warned).give()


@contextmanager
def unheard() -> Iterator[list[Any]]:
    """What is warned of meanwhile, which nobody else is told. The filters are replaced, not
    changed: what was shown once a line stays so."""
    heard: list[Any] = []
    module: Any = warnings
    before = module.filters, module.showwarning
    module.filters, module.showwarning = _ALL, lambda *warned: heard.append(warned)
    try:
        yield heard
    finally:
        module.filters, module.showwarning = before


@contextmanager
def overheard(otherwise: dict[str, Any]) -> Iterator[list[Any]]:
    """What is warned of meanwhile, also what no filter shows. Everybody else is told as ever. In a
    cell whose warnings do not raise.

    Args:
        otherwise: the names of code whose file is no module's.
    """
    heard: list[Any] = []
    module: Any = warnings
    names = ("filters", *_SHOWS)
    before = [getattr(module, name) for name in names]

    def hear(message: Any, category: Any, filename: str, lineno: int, *_: Any, **__: Any) -> None:
        heard.append(message)
        where = globals_of(filename, otherwise)
        registry = where.setdefault("__warningregistry__", {})
        now = [getattr(module, name) for name in names]
        _set_all(names, before)
        try:
            name = where.get("__name__")
            module.warn_explicit(message, category, filename, lineno, name, registry)
        finally:
            _set_all(names, now)

    cells = _filters_of_cell[0], list(_shown_by)
    module.filters, module.showwarning = list(_ALL), hear
    start_cell()
    try:
        yield heard
    finally:
        _set_all(names, before)
        _filters_of_cell[0], _shown_by[:] = cells
        look_again()


@contextmanager
def raised() -> Iterator[None]:
    """What is warned of meanwhile is raised instead. The filters are replaced, as above."""
    module: Any = warnings
    before, module.filters = module.filters, [("error", None, Warning, None, 0)]
    try:
        yield
    finally:
        module.filters = before


@contextmanager
def untold() -> Iterator[None]:
    """NumPy computes with stand-ins: nobody is told of its warnings and floating-point errors."""
    with unheard(), np.errstate(all="ignore"):
        yield


def warn_user(text: str, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """``warnings.warn``, at the user's line. Of numbers others are before it, or follow."""
    if category is RuntimeWarning:
        raise NotCovered("NumPy warns: {text}", text=text)
    _users(Warned(text, __file__, 0, {}, category)).give()


def converted(convert: Callable, value: Any) -> Any:
    """``convert(value)`` of a complex number, of which NumPy warns, too."""
    if value.dtype.kind != "c":
        return convert(value)
    log = Log()
    try:
        with log.listening():
            return convert(value)
    finally:
        for warned in log.met:
            _users(warned).give()


def _users(warned: Warned) -> Warned:
    for frame in above(sys._getframe(2)):
        file = frame.f_code.co_filename
        if not file.startswith((*OWN, NUMPY)):
            return Warned(warned.text, file, frame.f_lineno, frame.f_globals, warned.category)
    return warned
