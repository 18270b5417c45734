"""The process that tests run in: environment variables, standard error, features."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..nd import waitall
from ..runtime import Features
from ..util import get_cuda_compute_capability, getenv, setenv, use_np

__all__ = [
    "Features",
    "discard_stderr",
    "environment",
    "get_cuda_compute_capability",
    "get_im2rec_path",
    "getenv",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "setenv",
    "use_np",
]


@contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Environment variables for one block: a dict of them, or a name and a value; None: unset."""
    if len(args) == 1 and isinstance(args[0], dict):
        wanted = args[0]
    else:
        assert len(args) == 2, "expected a dict, or a name and a value"
        wanted = {args[0]: args[1]}
    before = {name: getenv(name) for name in wanted}
    for name, value in wanted.items():
        setenv(name, value)
    try:
        yield
    finally:
        waitall()
        for name, value in before.items():
            setenv(name, value)


@contextmanager
def discard_stderr() -> Iterator[None]:
    """What is written to standard error inside is lost, also what C code writes."""
    try:
        number = sys.stderr.fileno()
    except (AttributeError, OSError):  # a notebook's
        yield
        return
    kept = os.dup(number)
    try:
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), number)
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


def is_cd_run() -> bool:
    """The process is a delivery job of MXNet's: ``CD_JOB=1``."""
    return os.environ.get("CD_JOB") == "1"


def is_aarch64_run() -> bool:
    """The processor is a 64-bit ARM."""
    return platform.machine() == "aarch64"


def has_tvm_ops() -> bool:
    """Operators compiled by TVM: there are none."""
    return False


def is_op_runnable() -> bool:
    """Operators can run here: always, since none is compiled by TVM."""
    return True


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """The path of MXNet's script that packs images, below the folder that ``home_env`` names.

    Raises:
        OSError: it is not there; it belongs to MXNet's sources.
    """
    for parts in ("tools", os.path.join("..", "..", "tools")):
        path = os.path.join(os.environ.get(home_env, ""), parts, "im2rec.py")
        if home_env in os.environ and os.path.isfile(path):
            return path
    raise OSError(f"get_im2rec_path: no tools/im2rec.py; set {home_env} to MXNet's sources")
