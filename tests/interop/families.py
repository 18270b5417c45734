"""All cases by family: a file of ``operators`` each."""

from __future__ import annotations

import importlib
from pathlib import Path

from case import Case

HERE = Path(__file__).parent


def families() -> dict[str, list[Case]]:
    paths = sorted((HERE / "operators").glob("[a-z]*.py"))
    return {p.stem: importlib.import_module(f"operators.{p.stem}").CASES for p in paths}
