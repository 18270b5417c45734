"""The rewrites inside a pass, as the picture of a cell tells them."""

from __future__ import annotations

from cells import Shell

from jupyter_hybrid.views import spec_of


def test_rewrites_of_a_cell_in_parts_are_numbered_through():
    shell = Shell()
    shell.hybridize(
        "import numpy as np\n"
        "a = np.ones((3, 4)) * 2\n"
        "b = (a * 1).T.T + 1\n"
        "print(b.sum())\n"
        "c = np.exp((b * 1) - 3)\n"
        "print(c.sum())\n"
    )
    assert len(shell.report.segments) == 2
    spec = spec_of(shell.report)
    stages = {stage["name"]: stage for stage in spec["stages"]}
    told = [(c["step"], c["rule"], c["line"]) for c in stages["simplify"]["changes"]]
    assert told == [(0, "x * 1 -> x", 4), (1, "transpose(transpose(x)) -> x", 4),
                    (2, "x * 1 -> x", 6)]  # fmt: skip
    # A kernel is one rewrite, however many operators go into it.
    kernels = {(c["step"], c["into"]) for c in stages["fuse"]["changes"]}
    assert len(kernels) == len(dict(kernels)) < len(stages["fuse"]["changes"])
