"""Pictures keep to their schema, and the browser's half is written from it."""

from __future__ import annotations

import importlib.util
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from cells import Shell

from jupyter_hybrid import autograd, nd, sym
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.schema import Spec

CELLS = {
    "a break": "import numpy as np\na = np.ones(5)\nb = a + 1\nprint(b)\nc = b * a\n",
    "no name": "import numpy as np\nx = np.ones(3)\nz = (x * np.array([1, 2, 3]))[[0, 2]]\n",
    "a loop": "t = 0\nfor i in range(500):\n    t += i * i\n",
}


def against(value: Any, hint: Any, path: str = "spec") -> list[str]:
    """Where a value is not what the schema says of it."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(bare) is Annotated:
        return against(value, bare, path)
    if get_origin(bare) in (Union, types.UnionType):
        found = [against(value, part, path) for part in get_args(bare)]
        return [] if [] in found else min(found, key=len)
    if get_origin(bare) is Literal:
        return [] if value in get_args(bare) else [f"{path}: {value!r}"]
    if get_origin(bare) is list:
        (item,) = get_args(bare)
        rows = value if isinstance(value, list) else [f"{path}: {type(value)}"]
        return [f for i, row in enumerate(rows) for f in against(row, item, f"{path}[{i}]")]
    if get_origin(bare) is tuple:
        pairs = zip(value, get_args(bare), strict=True)
        return [f for i, (v, h) in enumerate(pairs) for f in against(v, h, f"{path}[{i}]")]
    if hasattr(bare, "__required_keys__"):
        if not isinstance(value, dict):
            return [f"{path}: {value!r} is no {bare.__name__}"]
        hints = get_type_hints(bare, include_extras=True)
        keys = set(value) ^ set(hints) if bare.__total__ else set(value) - set(hints)
        known = [f for k in hints if k in value for f in against(value[k], hints[k], f"{path}.{k}")]
        return [f"{path}: {key} is missing or unknown" for key in sorted(keys)] + known
    kinds = (int, float) if bare is float else bare
    wrong = not isinstance(value, kinds) or (bare is not bool and isinstance(value, bool))
    return [f"{path}: {value!r} is no {bare}"] if wrong else []


def training_step() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(nd.ones((3, 5))).sum().backward()
    return net


def pictures() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, cell in CELLS.items():
        shell = Shell()
        shell.hybridize(cell)
        made[name] = shell.report
    return {**made, "a block": training_step(), "a Symbol": sym.exp(sym.var("x"))}


def test_pictures_are_what_the_schema_says():
    for name, thing in pictures().items():
        assert against(spec_of(thing), Spec) == [], name


@pytest.mark.parametrize(
    "key, value", [("notes", [1]), ("initial", {}), ("memory", 3), ("heat", None)]
)
def test_what_is_not_is_found(key, value):
    spec = spec_of(sym.exp(sym.var("x")))
    assert against({**spec, key: value}, Spec) != []
    assert against({k: v for k, v in spec.items() if k != key}, Spec) != []


def test_the_browsers_half_is_the_same(root):
    found = importlib.util.spec_from_file_location("schema_tool", root / "tools" / "schema.py")
    tool = importlib.util.module_from_spec(found)
    found.loader.exec_module(tool)
    assert tool.stale() == {}, "run tools/schema.py"
