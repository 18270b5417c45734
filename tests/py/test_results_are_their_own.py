"""In a cell, too, a result that is its input's value is an array of its own."""

from __future__ import annotations

import pytest
from cells import Shell

SETUP = "from jupyter_hybrid import nd\na = nd.array([1.0, 2.0, 3.0])\nb = nd.zeros(3)\nheld = b"


@pytest.mark.parametrize(
    "body",
    [
        "b = nd.Dropout(a)\nb[:] = 7",
        "b = nd.Dropout(a)\na[:] = 7",
        "b = nd.Dropout(a)\na += 1\nb *= 3",
        "c = a * 2\nb = nd.Dropout(c)\nb[1:] = 7\na = c",
        "nd.Dropout(a, out=b)\na += 1\nb *= 3",
        "nd.reshape(a, shape=(3,), out=b)\na += 1\nb *= 3",
        "nd.slice_axis(a, axis=0, begin=0, end=3, out=b)\nb[:] = 7",
        "nd.BlockGrad(a, out=b)\na += 1\nb *= 3",
        "nd.identity(a, out=b)\na[:] = 7",
    ],
)
def test_writing_one_leaves_the_other(body: str) -> None:
    plain, cell = Shell(), Shell()
    plain.run(SETUP)
    plain.run(body)
    cell.run(SETUP)
    cell.hybridize(body, "--force")
    for name in ("a", "b", "held"):
        assert cell.ns[name].asnumpy().tolist() == plain.ns[name].asnumpy().tolist()
