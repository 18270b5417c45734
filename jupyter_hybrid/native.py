"""Models without Python: where ``hybrid-run`` and the C API are, and how to take them along.

    python -m jupyter_hybrid.native FOLDER

copies the program ``hybrid-run``, the library ``libhybrid.so`` with OpenBLAS, ``hybrid.h`` and the
example in C into FOLDER, which then runs on any machine of this architecture with a C library as
new as this one's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from . import _core

__all__ = ["copy_to", "get_include", "get_library", "program"]


def _installed(*parts: str) -> Path:
    """What the build puts beside the core.

    Raises:
        FileNotFoundError: it is not there; the package was not installed by pip or make.
    """
    path = Path(_core.__file__).parent.joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: install jupyter_hybrid again, or `make build`")
    return path


def program() -> str:
    """The path of ``hybrid-run``."""
    return str(_installed("bin", "hybrid-run"))


def get_include() -> str:
    """The folder of ``hybrid.h``, for a compiler's ``-I``."""
    return str(_installed("include"))


def get_library() -> str:
    """The folder of ``libhybrid.so``, for a linker's ``-L``."""
    return str(_installed("lib"))


def _blas() -> Path:
    """OpenBLAS, which the library needs."""
    spec = importlib.util.find_spec("scipy_openblas32")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        path = Path(folder) / "lib" / "libscipy_openblas.so"
        if path.exists():
            return path
    raise FileNotFoundError("libscipy_openblas.so is missing: pip install scipy-openblas32")


def copy_to(folder: str | os.PathLike[str]) -> list[str]:
    """Copies program, library, OpenBLAS, header and example; returns the paths in ``folder``.

    The folder needs neither this package nor Python and can be moved as a whole.

    Raises:
        FileNotFoundError: a part is not installed.
    """
    target = Path(folder)
    parts = [
        (_installed("bin", "hybrid-run"), target / "bin" / "hybrid-run"),
        (_installed("lib", "libhybrid.so"), target / "lib" / "libhybrid.so"),
        (_blas(), target / "lib" / "libscipy_openblas.so"),
        (_installed("include", "hybrid.h"), target / "include" / "hybrid.h"),
        (_installed("example", "example.c"), target / "example.c"),
    ]
    for source, copy in parts:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    return [str(copy) for _, copy in parts]


def run_program() -> None:
    """The console script ``hybrid-run``: becomes the program, with the same arguments."""
    path = program()
    os.execv(path, [path, *sys.argv[1:]])


def main(given: Sequence[str] | None = None) -> int:
    """``python -m jupyter_hybrid.native FOLDER``; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_hybrid.native",
        description="Copies hybrid-run and the C API into a folder that runs without Python.",
    )
    parser.add_argument("folder", metavar="FOLDER")
    try:
        for path in copy_to(parser.parse_args(given).folder):
            print(path)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
