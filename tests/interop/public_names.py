"""The public names of MXNet 1.9.1 and their signatures: tests/data/mxnet/api.json, and ours."""

from __future__ import annotations

import fnmatch
import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

import jupyter_hybrid as mx

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "data" / "mxnet"


@cache
def signatures() -> dict[str, str]:
    """MXNet's by path: "nd.NDArray.sum"."""
    held = json.loads((FOLDER / "api.json").read_text())
    return {
        f"{module}.{name}": held["nd" + module[3:].replace("Symbol", "NDArray")][name]
        if text == "="
        else text
        for module, names in held.items()
        for name, text in names.items()
    }


@cache
def modules() -> dict[str, list[str]]:
    """Paths by module or class, in the file's order."""
    held = json.loads((FOLDER / "api.json").read_text())
    return {module: [f"{module}.{name}" for name in names] for module, names in held.items()}


@cache
def exclusions() -> list[tuple[str, str]]:
    """(pattern of paths, why such names don't count) of excluded.txt."""
    lines = (HERE / "excluded.txt").read_text().splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(pattern, why) for pattern, why in pairs]


@cache
def excluded(path: str) -> str:
    """Why a name doesn't count; "" where it does."""
    return next((why for pattern, why in exclusions() if fnmatch.fnmatchcase(path, pattern)), "")


def paths() -> list[str]:
    return list(signatures())


def found(path: str) -> Any:
    """What has this name here: of classes what stands in their dict. None: nothing."""
    value: Any = mx
    for part in path.split(".") if path else ():
        if isinstance(value, type):
            static = inspect.getattr_static(value, part, None)
            value = getattr(static, "__func__", static)
        else:
            value = getattr(value, part, None)
        if value is None:
            return None
    return value
