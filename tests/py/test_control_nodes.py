"""Conditions and loops on values as a script has them: nodes where exact, else a reason."""

from __future__ import annotations

import copy
import linecache
from typing import Any

import numpy as np
import pytest
from cells import imperative
from control_bodies import ALL, Body

import jupyter_hybrid as mx
from jupyter_hybrid import nd

CASES = {f"{group}: {name}": one for group, found in ALL.items() for name, one in found.items()}


def function_of(text: str, given: dict[str, Any], names: list[str]) -> Any:
    """The code as a function of what it is given, which returns its names."""
    lines = [f"    {line}\n" for line in text.splitlines()]
    made = ", ".join(f"{n!r}: {n}" for n in names)
    source = [f"def body({', '.join(given)}):\n", *lines, f"    return {{{made}}}\n"]
    filename = f"<body {hash(text)}>"
    linecache.cache[filename] = (0, None, source, filename)
    namespace: dict[str, Any] = {"np": np, "nd": nd}
    exec(compile("".join(source), filename, "exec"), namespace)
    return namespace["body"]


def bound(body: Body) -> dict[str, Any]:
    """What plain Python binds: arrays and numbers."""
    names = {"np": np, "nd": nd, **{n: copy.copy(v) for n, v in body.given.items()}}
    found, _ = imperative(body.text, names)
    return {
        n: v for n, v in found.items() if n not in (*body.given, "np", "nd") and not callable(v)
    }


def assert_same(made: Any, wanted: Any, close: bool, name: str) -> None:
    """Equal in type, dtype, shape and bits."""
    if isinstance(wanted, nd.NDArray):
        assert type(made) is type(wanted), name
        made, wanted = made.asnumpy(), wanted.asnumpy()
    if not isinstance(wanted, (np.ndarray, np.generic)):
        assert (type(made), made) == (type(wanted), wanted), name
        return
    assert (type(made), made.dtype, made.shape) == (type(wanted), wanted.dtype, wanted.shape), name
    if close:
        np.testing.assert_allclose(made, wanted, rtol=1e-9, atol=1e-9, err_msg=name)
    else:
        np.testing.assert_array_equal(made, wanted, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_as_plain_python(name):
    for body in CASES[name]:
        wanted = bound(body)
        scripted = mx.script(function_of(body.text, body.given, list(wanted)))
        if isinstance(body.made, str):
            with pytest.raises(mx.ScriptError, match=body.made):
                scripted(**body.given)
            continue
        made = scripted(**body.given)
        kinds = [n.op for n in scripted.graph.nodes if n.op in ("cond", "while_loop", "foreach")]
        assert kinds == body.made, body.text
        for key, value in wanted.items():
            assert_same(made[key], value, body.close, key)
