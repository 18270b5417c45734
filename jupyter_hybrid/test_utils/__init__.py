"""MXNet's ``test_utils``: comparing arrays, checking gradients and generators, random arrays.

All that works on dense arrays; functions of sparse ones raise MXNetError. ``import *`` brings the
modules that MXNet's brings, too: tests rely on them.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import sys
from typing import Any

import numpy as np

from . import (
    arrays,
    compare,
    consistency,
    context,
    downloads,
    executors,
    generators,
    gradients,
    iterators,
    tolerances,
)
from . import (
    environment as environments,
)
from .arrays import *  # noqa: F403
from .compare import *  # noqa: F403
from .consistency import *  # noqa: F403
from .context import *  # noqa: F403
from .downloads import *  # noqa: F403
from .environment import *  # noqa: F403
from .executors import *  # noqa: F403
from .generators import *  # noqa: F403
from .gradients import *  # noqa: F403
from .iterators import *  # noqa: F403
from .tolerances import *  # noqa: F403

#: What ``import *`` brings of other modules.
_MODULES = """
bz2 errno gzip json logging numbers os platform struct sys time traceback zipfile
""".split()  # noqa: SIM905
_OTHERS = {
    **{name: importlib.import_module(name) for name in _MODULES},
    "OrderedDict": collections.OrderedDict,
    "contextmanager": contextlib.contextmanager,
    "np": np,
    "npt": np.testing,
    "rnd": np.random,
}
globals().update(_OTHERS)


def __getattr__(name: str) -> Any:
    if name == "mx":  # under MXNet's name where that is an alias
        return sys.modules.get("mxnet", sys.modules["jupyter_hybrid"])
    if name == "ss":
        return generators.statistics()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    *_OTHERS,
    "mx",  # noqa: F405
    *arrays.__all__,
    *compare.__all__,
    *consistency.__all__,
    *context.__all__,
    *downloads.__all__,
    *environments.__all__,
    *executors.__all__,
    *generators.__all__,
    *gradients.__all__,
    *iterators.__all__,
    *tolerances.__all__,
]
