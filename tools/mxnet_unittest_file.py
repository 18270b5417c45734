"""Runs the tests of one file of MXNet's: the process behind ``mxnet_unittests.py``.

    python mxnet_unittest_file.py SIDE FILE TESTS [TEST-NOT-TO-RUN ...]

Prints a JSON line when a test begins and one when it has ended. The tests were written for nose
and NumPy 1.x: what is gone of either is put in its place here, for both sides alike.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
import time
import traceback
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_REPORT = os.fdopen(os.dup(1), "w", buffering=1)
#: Names that NumPy 2 took away.
_GONE = {
    "bool": bool, "int": int, "float": float, "object": object, "str": str, "complex": complex,
    "float_": np.float64, "Inf": np.inf, "NaN": np.nan, "NAN": np.nan, "NINF": -np.inf,
    "PINF": np.inf, "product": np.prod, "cumproduct": np.cumprod, "alltrue": np.all,
    "sometrue": np.any, "round_": np.round, "asscalar": lambda a: a.item(),
    "in1d": getattr(np, "isin", None), "row_stack": np.vstack, "unicode_": np.str_,
    "trapz": getattr(np, "trapezoid", None),
}  # fmt: skip


def tell(**record: Any) -> None:
    _REPORT.write(json.dumps(record) + "\n")


def prepare(side: str) -> None:
    """NumPy's and nose's names of then; our modules under MXNet's name."""
    warnings.simplefilter("ignore")
    for name, value in _GONE.items():
        if name not in vars(np):
            setattr(np, name, value)
    sys.modules["nose"] = nose = types.ModuleType("nose")
    sys.modules["nose.tools"] = nose.tools = _nose_tools()  # type: ignore[attr-defined]
    nose.SkipTest = unittest.SkipTest  # type: ignore[attr-defined]
    nose.runmodule = lambda *args: None  # type: ignore[attr-defined]
    if side == "ours":
        from jupyter_hybrid.compat import mxnet

        mxnet.install(replace=True)


def _nose_tools() -> types.ModuleType:
    tools = types.ModuleType("nose.tools")
    case = unittest.TestCase()
    names = {
        "assert_raises": case.assertRaises,
        "assert_equal": case.assertEqual,
        "assert_true": case.assertTrue,
        "assert_false": case.assertFalse,
        "assert_almost_equal": case.assertAlmostEqual,
        "assert_greater": case.assertGreater,
        "eq_": case.assertEqual,
        "ok_": case.assertTrue,
        "raises": _raises,
        "make_decorator": functools.wraps,
        "nottest": lambda function: function,
        "with_setup": _with_setup,
    }
    vars(tools).update(names, __all__=list(names))
    return tools


def _raises(*kinds: type[BaseException]) -> Callable[..., Any]:
    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def checked(*args: Any, **kwargs: Any) -> None:
            with unittest.TestCase().assertRaises(kinds):
                test(*args, **kwargs)

        return checked

    return decorate


def _with_setup(setup: Any = None, teardown: Any = None) -> Callable[..., Any]:
    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def around() -> None:
            if setup:
                setup()
            try:
                test()
            finally:
                if teardown:
                    teardown()

        return around

    return decorate


def tests_of(module: types.ModuleType) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Functions and methods whose names begin with ``test``."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            for method in unittest.defaultTestLoader.getTestCaseNames(value):
                yield f"{name}.{method}", functools.partial(_run_case, value(method))
        elif isinstance(value, types.FunctionType) and name.startswith("test"):
            yield name, value


def _run_case(case: unittest.TestCase) -> None:
    result = case.run()
    assert result is not None
    if result.skipped:
        raise unittest.SkipTest
    for _, text in (*result.errors, *result.failures):
        raise AssertionError(text)


def run(name: str, test: Callable[[], Any]) -> None:
    tell(test=name)
    began = time.perf_counter()
    error = None
    try:
        test()
    except unittest.SkipTest as skipped:
        error = f"skipped: {skipped}"
    except BaseException as caught:
        lines = traceback.format_exception(caught)
        error = "".join(lines)[-3000:]
        places = [f for f in traceback.extract_tb(caught.__traceback__) if "unittest" in f.filename]
        where = f"line {places[-1].lineno}: " if places else ""
        error = f"{where}{type(caught).__name__}: {caught}"[:1500] + "\n" + error
    took = round(time.perf_counter() - began, 2)
    tell(test=name, passed=error is None, seconds=took, **({"error": error} if error else {}))


def main(side: str, path: str, only: str, *done: str) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = [path]
    sys.path.insert(0, str(Path(path).parent))
    tell(test="(import)")
    wanted = set(filter(None, only.split(",")))
    try:
        prepare(side)
        spec = importlib.util.spec_from_file_location(Path(path).stem, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    except BaseException as caught:
        tell(test="(import)", passed=False, error="".join(traceback.format_exception(caught)))
        tell(end=True)
        os._exit(0)
    tell(imported=True)
    setup = getattr(module, "setup_module", None)
    if setup:
        setup()
    for name, test in tests_of(module):
        if name not in done and (not wanted or name in wanted):
            run(name, test)
    tell(end=True)
    _REPORT.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
