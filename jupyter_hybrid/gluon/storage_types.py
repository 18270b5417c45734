"""Storage types, which exist by name only: everything is dense."""

from __future__ import annotations

import warnings

from .checks import CheckError

_STYPES = ("default", "row_sparse", "csr")
_said: set[str] = set()  # what was said once already


def say_dense(name: str, what: str, stype: str) -> None:
    """Refuses what is no storage type, and says once that a sparse one is dense here."""
    if stype not in _STYPES:
        expected = ", ".join(map(repr, _STYPES))
        raise CheckError(f"parameter {name}: {what}: expected one of {expected}, got {stype!r}")
    if stype != "default" and what not in _said:
        _said.add(what)
        warnings.warn(
            f"parameter {name}: {what}={stype!r}: there is no sparse storage here; it is dense "
            "and computes the same (said once)",
            stacklevel=4,
        )
