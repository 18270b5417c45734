"""A spec as it is sent and saved: its long lists as columns, what a stage has kept only once.

Which lists these are says :mod:`.schema`. ``labextension/src/table.ts`` reads them. Lists of rows,
as in version 1, are read as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .drawn import of_stages
from .schema import Spec, columns_in

_FEW = 8  # rows that stay as they are

Row = Mapping[str, Any]


def packed(spec: Spec) -> dict[str, Any]:
    """The same as rows and columns; JSON-able, and several times smaller as text."""
    known = of_stages(spec["stages"])
    if known is None:
        return _packed(spec, Spec, None)
    if known.packed is None:
        known.packed = _packed(spec, Spec, None)["stages"]
    return {**_packed({**spec, "stages": []}, Spec, None), "stages": known.packed}


def _packed(record: Row, kind: type, before: Row | None) -> dict[str, Any]:
    """
    Args:
        record: of the schema's type ``kind``.
        before: what stands in its place in the stage before.
    """
    made = dict(record)
    for name, (of, columns) in columns_in(kind).items():
        value = record[name]
        if columns is not None:
            rows = before[name] if before is not None and columns.key else ()
            made[name] = table(value, rows, columns.key)
        elif isinstance(value, list):
            pairs = zip(value, [None, *value], strict=False)
            made[name] = [_packed(row, of, earlier) for row, earlier in pairs]
        elif value is not None:
            made[name] = _packed(value, of, None if before is None else before[name])
    return made


def table(rows: Sequence[Row], before: Sequence[Row] = (), key: tuple[str, ...] = ()) -> Any:
    """``columns`` by name, of the rows that are not, unchanged, among those of the stage before;
    ``same``: for each row its index there, or -1."""
    if len(rows) < _FEW:
        return list(rows)
    known = {tuple(row[k] for k in key): i for i, row in enumerate(before)}
    same = []
    for row in rows if known else ():
        index = known.get(tuple(row[k] for k in key), -1)
        same.append(index if index >= 0 and before[index] == row else -1)
    new = [row for row, index in zip(rows, same, strict=True) if index < 0] if known else rows
    table: dict[str, Any] = {"count": len(new)}
    table["columns"] = {k: _column([row[k] for row in new]) for k in (new[0] if new else ())}
    if known:
        table["same"] = same
    return table


def _column(values: list[Any]) -> Any:
    """A list; ``{"all": value}`` of equal values; of words that come again ``{"of", "at"}``."""
    first = values[0]
    if all(value == first for value in values):
        return {"all": first}
    if isinstance(first, str) and all(isinstance(value, str) for value in values):
        words = dict.fromkeys(values)
        if 2 * len(words) < len(values):
            index = {word: i for i, word in enumerate(words)}
            return {"of": list(words), "at": [index[value] for value in values]}
    return values
