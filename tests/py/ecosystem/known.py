"""What differs today: case -> why. A mended case fails its strict xfail and leaves this table."""

from __future__ import annotations

KNOWN: dict[str, str] = {
    "numba: in symbolic mode": "numba is given a rewritten function",
    "scipy: in symbolic mode": "a deferred name is announced among the cell's own output",
    "pandas: a function of the cell applied to rows and groups": "a stand-in stays in a Series",
    "numba: compiled loops over computed arrays": "numba is given a rewritten function",
    "numba: constants of the cell in compiled code": "numba is given a rewritten function",
    "numba: errors of compiled code": "numba is given a rewritten function",
    "sklearn: a division by zero on the way to an error": "a warning of a division is lost",
    "joblib: processes run a function of the cell": "our names are missing in another process",
    "tqdm: a bar around a loop that is left": "the iterator of a loop that is left lives on",
}
