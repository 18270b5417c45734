"""Random functions, scripted: values, types, files and gradients as of the function itself.

One program of a function is run with several values of the same shapes, so that its graph really
branches. A function may be refused; then by name. ``-m slow`` has many more.
"""

from __future__ import annotations

import linecache
import os

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, nd
from tests.corpus.scripts import Writer

_INPUTS = 4
_MORE = int(os.environ.get("HYBRID_SCRIPTS", "60"))
_FIRST = int(os.environ.get("HYBRID_SCRIPTS_FROM", "1000"))


def made(source: str, seed: int):
    name = f"<script program {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"nd": nd, "np": np}
    exec(compile(source, name, "exec"), names)
    return names["program"]


def inputs_of(seed: int, face: str) -> list[tuple]:
    """Arguments, made anew: a function may not write them, but may hand them through."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(-1, 3))
    found = []
    for _ in range(_INPUTS):
        arrays = [np.round(rng.uniform(-2, 2, s) * 4) / 4 for s in ((2,), (2,), (3, 2))]
        made = [nd.array(x) if face == "nd" else x for x in arrays]
        found.append((*made, k))
    return found


def compare(made, wanted, source: str, face: str) -> None:
    for x, y in zip(made, wanted, strict=True):
        assert type(x) is type(y), source
        a, b = (np.asarray(v.asnumpy() if type(v) is nd.NDArray else v) for v in (x, y))
        assert (a.shape, a.dtype) == (b.shape, b.dtype), source
        if face == "nd":
            np.testing.assert_array_equal(a, b, err_msg=source)
        else:  # NumPy's own tanh rounds otherwise
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=source)


def result_of(function, arguments):
    """What it returns, read; an error of the values themselves as such."""
    try:
        result = function(*arguments)
        for value in result:
            if type(value) is nd.NDArray:
                value.asnumpy()
    except (IndexError, ValueError, ZeroDivisionError, OverflowError, UnboundLocalError) as error:
        return error
    return result


def gradients(function, arguments) -> list:
    arrays = [nd.array(a.asnumpy()) for a in arguments[:3]]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        a, b, c, _, _ = function(*arrays, arguments[3])
        loss = ((a * 2).sum() + (b * 3).sum() * 2) + (c * 4).sum() * 3
    loss.backward()
    return [array.grad.asnumpy() for array in arrays]


def check(seed: int, face: str, folder) -> str:
    """Why the program was refused; "" when all agrees."""
    source = Writer(seed, face).program()
    function = made(source, seed)
    wanted = [result_of(function, x) for x in inputs_of(seed, face)]
    try:
        scripted = mx.script(unroll=(3, 20, 200)[seed % 3])(function)
        for x, right in zip(inputs_of(seed, face), wanted, strict=True):
            try:
                got = scripted(*x)
                compare_or_raise(got, right, source, face)
            except mx.ScriptError:
                raise
            except mx.MXNetError as error:  # an index beyond, a division by zero, a huge int
                assert isinstance(right, Exception) or "exact_int" in str(error), source
                return str(error)
    except mx.ScriptError as error:
        assert "__jupyter" not in error.reason
        return error.reason
    assert scripted.num_programs == 1
    scripted.save(str(folder / "program"))
    loaded = mx.load(str(folder / "program"))
    paths = set(getattr(loaded, "arguments", ()))
    for x, right in zip(inputs_of(seed, face), wanted, strict=True):
        if not isinstance(right, Exception):
            given = {n: v for n, v in zip("abm", x) if n in paths}
            compare_or_raise(loaded(**given), right, source, face)
    if face == "nd":
        check_gradients(function, scripted, seed, source)
    return ""


def compare_or_raise(got, right, source: str, face: str) -> None:
    if not isinstance(right, Exception):  # what nobody reads may not raise in a graph
        compare(got, right, source, face)


def check_gradients(function, scripted, seed: int, source: str) -> None:
    for x in inputs_of(seed, "nd"):
        try:
            wanted = gradients(function, x)
        except (mx.MXNetError, IndexError, ValueError, ZeroDivisionError, UnboundLocalError):
            continue  # written in place, or nothing on the tape
        for a, b in zip(gradients(scripted, x), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=source)


@pytest.mark.parametrize("face", ["nd", "np"])
def test_random_functions(face, tmp_path):
    refused = [r for seed in range(14) if (r := check(seed, face, tmp_path))]
    assert len(refused) <= 8, refused


@pytest.mark.slow
@pytest.mark.parametrize("face", ["nd", "np"])
@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _MORE))
def test_many_random_functions(seed, face, tmp_path):
    check(seed, face, tmp_path)
