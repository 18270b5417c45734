"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file next to it, then puts it in its place: what was there stays until then."""
    target = os.path.realpath(os.fspath(path))  # a link stays a link
    handle, made = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mode = os.stat(target).st_mode if os.path.exists(target) else 0o666 & ~_mask()
        os.chmod(made, mode & 0o7777)
        os.replace(made, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
