"""Writes the stubs of nd and sym: ``python -m jupyter_hybrid._stubs [--check]``.

With ``--check`` nothing is written; the exit status says whether the files are up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from . import _generate, nd, sym

_MADE = """# ruff: noqa
# fmt: off
# Made by `python -m jupyter_hybrid._stubs` from the operator table: do not edit.
"""

_ND_HEAD = """from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import NDArray as NDArray
from . import contrib as contrib
from . import image as image
from . import linalg as linalg
from . import random as random
from .arithmetic import *
from .cached_op import CachedOp as CachedOp
from .creation import *
from .dlpack import *
from .files import *
from .functions import *

def waitall() -> None: ...
def transpose(data: NDArray, axes: Any = ..., out: NDArray | None = ...) -> NDArray: ...
"""

_SYM_HEAD = """from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from .._core import Symbol as Symbol
from . import contrib as contrib
from . import image as image
from . import linalg as linalg
from . import random as random
from .creation import *
from .executor import Executor as Executor
from .functions import *
from .names import name_prefix as name_prefix
from .variable import *

"""


def nd_stub() -> str:
    """The text of nd/__init__.pyi."""
    written = {
        "transpose",
        *nd.arithmetic.__all__,
        *nd.creation.__all__,
        *nd.files.__all__,
        *nd.functions.__all__,
        *nd.dlpack.__all__,
    }
    lines = [_generate.stub(f, False) for f in _generate.faces() if f.name not in written]
    return _MADE + _ND_HEAD + "\n".join(lines) + "\n"


def sym_stub() -> str:
    """The text of sym/__init__.pyi."""
    arithmetic = sym.creation.arithmetic()
    written = {*arithmetic, *sym.creation.__all__, *sym.functions.__all__}
    head = [
        f"def {n}(lhs: Symbol | float, rhs: Symbol | float, name: str | None = ...) -> Symbol: ..."
        for n in arithmetic
    ]
    lines = [_generate.stub(f, True) for f in _generate.faces() if f.name not in written]
    return _MADE + _SYM_HEAD + "\n".join([*head, *lines]) + "\n"


def room_stubs() -> dict[Path, str]:
    """Path -> text of the functions that modules of nd and sym have from the table."""
    found = {}
    for face, kind in (("nd", "NDArray"), ("sym", "Symbol")):
        head = (
            f"{_MADE}from collections.abc import Sequence\nfrom typing import Any\n\n"
            f"from numpy.typing import DTypeLike\n\nfrom .._core import {kind}\n\n"
        )
        for room in _generate.ROOMS.values():
            lines = [_generate.stub(f, face == "sym") for f in _generate.room_faces(room)]
            text = head + "\n".join(lines)
            found[Path(face) / f"{room}_operators.pyi"] = text.rstrip() + "\n"
    return found


def core_methods() -> str:
    """Method stubs of NDArray and Symbol between the marks in _core.pyi."""

    def names(module: object) -> set[str]:
        return set(getattr(module, "__all__", ()))

    def lines(symbolic: bool, module: object, taken: set[str]) -> list[str]:
        return [
            "    " + _generate.stub(f, symbolic, method=True)
            for f in _generate.methods(taken)
            if f.name in names(module)
        ]

    handwritten = {"reshape", "transpose"}
    return "\n".join(
        [
            "class _NDArrayMethods:",
            *lines(False, nd, handwritten),
            "",
            "class _SymbolMethods:",
            *lines(True, sym, {"reshape"}),
            "",
        ]
    )


def files() -> dict[Path, str]:
    """Path -> text of every generated stub."""
    package = Path(__file__).parent
    methods_head = (
        _MADE + "from collections.abc import Sequence\nfrom typing import Any\n\n"
        "from numpy.typing import DTypeLike\n\nfrom ._core import NDArray, Symbol\n\n"
    )
    return {
        package / "nd" / "__init__.pyi": nd_stub(),
        package / "sym" / "__init__.pyi": sym_stub(),
        package / "_methods.pyi": methods_head + core_methods(),
        **{package / path: text for path, text in room_stubs().items()},
    }


def main(arguments: list[str]) -> int:
    """Writes or checks the files."""
    stale = [p for p, text in files().items() if not p.exists() or p.read_text() != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path} is out of date: run python -m jupyter_hybrid._stubs")
        else:
            path.write_text(files()[path])
            print(f"wrote {path}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
