"""Results of arrays that are not in C order lie in memory as NumPy lays them out."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
a = np.arange(12.0).reshape(3, 4)
f = np.asfortranarray(a)
t = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
column = np.asfortranarray(np.arange(3.0).reshape(3, 1))
"""
CAPTURED = """
f + 1
a.T + 1
np.sqrt(f) + f
t * 2
f + a
a + f
f * f[0]
-t
f == 2
np.where(f > 2, f, 0)
np.zeros_like(a.T)
np.empty_like(f) * 0
np.ones_like(t)
np.full_like(f, 2)
f.astype(np.float32)
np.array(f)
np.array(f + 1)
np.copy(t)
f.copy()
f[::2] + 1
f[::-1] + 1
a[:, ::2].T + 1
t[None] + 1
np.broadcast_to(f, (2, 3, 4)) + 1
np.concatenate([f, f])
np.stack([f, f])
t.sum(0)
t.max(1, keepdims=True)
t.mean((0, 1))
np.round(f, 1)
f.clip(1, 3)
f.cumsum(0)
np.sort(f, 0)
np.roll(f, 1, 0)
np.pad(f, 1)
np.diff(f, axis=0)
np.gradient(f, axis=0)
np.swapaxes(t + 1, 0, 1)
(t + 1).transpose(1, 0, 2)
(f * 1j).real
np.add(f, 1, order="C")
column + 1
column + f
(f + 1).flags.f_contiguous
(f + 1).strides
(f + 1)[::2].strides
f @ f.T
f.T @ np.ones((3, 2))
np.matmul(t, np.ones((3, 5)))
np.maximum(f, a)
(f + 1).copy('F')
np.add(a, 1, order='F')
np.add(f, 1, order='A')
(a + 1).reshape(4, 3, order="F")
(f + 1).reshape(4, 3, order="F")
(f + 1).reshape(-1, order="F")
""".strip().splitlines()


def run(expression: str) -> tuple[Shell, object, object]:
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(f"g = {expression}")
    shell.run("g = g")  # a deferred value becomes an array
    return shell, shell.ns["g"], imperative(f"{SETUP}\ng = {expression}")[0]["g"]


@pytest.mark.parametrize("expression", CAPTURED)
def test_the_layout_is_numpys(expression):
    shell, got, wanted = run(expression)
    assert not shell.report.graph_breaks
    if isinstance(wanted, np.ndarray):
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides
    assert type(got) is type(wanted)


@pytest.mark.parametrize(
    "expression",
    [
        "(f + 1).ravel('K')",
        "(f + 1).ravel('A')",
        "(f + 1).reshape(-1, order='A')",
        "(f + 1).tobytes('A')",
    ],
)
def test_functions_that_read_the_layout_are_numpys_own(expression):
    shell, got, wanted = run(expression)
    assert shell.report.graph_breaks
    np.testing.assert_array_equal(got, wanted)
    assert getattr(got, "strides", None) == getattr(wanted, "strides", None)


def test_a_result_in_fortran_order_is_written_and_viewed():
    body = "g = f + 1\nv = g.T\nv[0] = 7\nw = g.reshape(-1)\nw[0] = -1\ng += 1"
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(body)
    plain, _ = imperative(SETUP + body)
    for name in "gvw":
        np.testing.assert_array_equal(shell.ns[name], plain[name])
        assert shell.ns[name].strides == plain[name].strides
    assert np.shares_memory(shell.ns["v"], shell.ns["g"])
    assert not np.shares_memory(shell.ns["w"], shell.ns["g"])


def test_a_cell_run_again_keeps_the_layout():
    shell = Shell()
    shell.run(SETUP)
    for _ in range(4):
        shell.hybridize("g = f * 2\ng")
        assert shell.ns["g"].flags.f_contiguous
