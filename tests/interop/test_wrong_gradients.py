"""Where MXNet 1.9.1's gradients are wrong: ours agree with finite differences, its do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from case import Run
from differences import WRONG
from drawn import Drawn
from families import families
from packed import FOLDER, read

import jupyter_hybrid as mx

CASES = {c.name: (family, c) for family, cases in families().items() for c in cases}
STEP = 1e-4


def slopes(run: Run) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """From the left and from the right: of the outputs' sum, weighted by the case's heads."""
    inputs = [x.array(f"{run.name} {i}") for i, x in enumerate(run.inputs)]

    def total(arrays: list[np.ndarray]) -> float:
        given = tuple(Drawn("given", a.shape, dtype="float64", values=a) for a in arrays)
        found = replace(run, inputs=given)(mx)
        outputs = [found[key] for key in sorted(found) if key.startswith("out")]
        heads = [
            Drawn("real", out.shape, dtype=out.dtype.name).array(f"{run.name} head{i}")
            for i, out in enumerate(outputs)
        ]
        return sum(float((h.astype(float) * out).sum()) for h, out in zip(heads, outputs))

    middle = total(inputs)
    left, right = ([np.zeros(x.shape) for x in inputs] for _ in range(2))
    for i, array in enumerate(inputs):
        for place in np.ndindex(array.shape):
            for step, into in ((-STEP, left), (STEP, right)):
                moved = [x.copy() for x in inputs]
                moved[i][place] += step
                into[i][place] = (total(moved) - middle) / step
    return left, right


@pytest.mark.parametrize("name", sorted(WRONG))
def test_finite_difference(name):
    family, case = CASES[name]
    assert isinstance(case.run, Run)
    run = replace(case.run, inputs=tuple(x.of("float64") for x in case.run.inputs))
    theirs, ours = read(FOLDER / f"{family}.npz")[name], run(mx)
    apart = False
    for i, (left, right) in enumerate(zip(*slopes(run))):
        smooth = np.abs(left - right) < 0.05  # no kink between them
        assert smooth.any()
        slope = (left + right) / 2
        np.testing.assert_allclose(ours[f"grad{i}"][smooth], slope[smooth], atol=2e-3)
        apart |= not np.allclose(theirs[f"grad{i}"][smooth], slope[smooth], atol=1e-2)
    assert apart, "MXNet is right: strike it from differences.py"
