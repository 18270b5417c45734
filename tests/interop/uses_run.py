"""Runs the programs of ``uses`` and makes of what they give arrays that can be kept.

    python tests/interop/uses_run.py MODULE FILE [with_onednn]

MODULE is ``mxnet`` or ``jupyter_hybrid``. Files of ``uses`` that say ``ONEDNN = True`` need MXNet's
oneDNN kernels: they run with ``with_onednn``, the others without.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from packed import write

HERE = Path(__file__).parent


def programs() -> dict[str, Callable[[Any], dict[str, Any]]]:
    """By "file.function"."""
    found = {}
    for path in sorted((HERE / "uses").glob("[a-z]*.py")):
        module = importlib.import_module(f"uses.{path.stem}")
        for name, value in vars(module).items():
            own = isinstance(value, types.FunctionType) and value.__module__ == module.__name__
            if own and name[0] != "_" and path.stem != "common":
                found[f"{path.stem}.{name}"] = value
    return found


def kept(value: Any) -> np.ndarray:
    """An array of numbers as it is, all else as JSON."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return value
    if isinstance(value, np.floating):
        return np.asarray(value)
    return np.array(json.dumps(_plain(value)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in sorted(value.items(), key=str)}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, type):
        return value.__name__
    return value


def results(mx: Any, run: Callable[[Any], dict[str, Any]]) -> dict[str, np.ndarray]:
    return {key: kept(value) for key, value in run(mx).items()}


def needs_onednn(run: Callable[[Any], dict[str, Any]]) -> bool:
    return getattr(sys.modules[run.__module__], "ONEDNN", False)


def main(module: str, file: str, onednn: str = "") -> None:
    mx = importlib.import_module(module)
    wanted = {n: run for n, run in programs().items() if needs_onednn(run) is bool(onednn)}
    write(Path(file), {name: results(mx, run) for name, run in wanted.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
