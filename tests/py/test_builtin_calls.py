"""min, max, sorted, sum and round of elements; NumPy functions of lists; one break a cause."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

BODY = """
import numpy as np
x = np.array([3.0, 1.0, -2.0, 1.0]) * 2
k = np.array([3, 1, -2, 1]) * 2
u = np.array([3, 1, 2, 1], dtype=np.uint8) * 2
a, b, c = min(x[0], x[1], x[2]), max(x), max(k)
d, e = sorted(k), sorted(u, reverse=True)
f, g = min([k[0], k[1]]), max(v * 2 for v in k)
h, i, j = sum(x), sum(k[:2], 5), round(x[0] / 7, 3)
broken = np.array([1.0, np.nan, 0.5]) * 1
l, m, n, o = min(broken), max(broken), min(broken[1], broken[0]), max(broken[0], broken[1])
zeros = np.array([0.0, -0.0]) * 1
p, q = min(zeros), max(zeros[1], zeros[0])
r, s = np.mean([x[0], x[1]]), np.sum([x, x * 2], axis=0)
t, v = np.sqrt([x[0], 4.0]), np.add([x[0], 1], [2, x[1]])
w, y = np.std([x[0], x[1], 2.5]), np.max([k[0], 3])
z, aa = np.maximum.reduce([x, x[::-1], x * 2]), np.repeat(x * 2, [1, 0, 2, 1])
bb = np.repeat(np.outer(x, x), np.array([2, 1, 0, 1]), axis=1)
"""


def test_captured_with_pythons_own_answers():
    wanted, _ = imperative(BODY)
    shell = Shell()
    shell.hybridize(BODY, "--view none")
    assert not shell.report.graph_breaks
    shell.run("")
    for name, value in wanted.items():
        if name == "np":
            continue
        pairs = [(value, shell.ns[name])]
        if isinstance(value, list):
            assert type(shell.ns[name]) is list and len(value) == len(shell.ns[name])
            pairs = list(zip(value, shell.ns[name], strict=True))
        for want, got in pairs:
            got = np.asarray(got)
            assert got.dtype == want.dtype and got.shape == want.shape, name
            np.testing.assert_allclose(got, want, rtol=1e-15)
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


CASES = {
    "several types": ("m = max(x[0], 3)", "a condition reads a value"),
    "a key": ("m = max(x, key=lambda v: -v)", "max is not part of the graph"),
    "floats in order": ("m = sorted(x)", "a condition reads a value"),
    "many elements": ("m = sum(np.arange(5000.0) * 2)", "sum() goes through 5000 elements"),
    "whether any": ("m = any(x > 3)", "a condition reads a value"),
}


@pytest.mark.parametrize(("line", "reason"), CASES.values(), ids=CASES.keys())
def test_what_depends_on_values_reads_them(line, reason):
    body = f"import numpy as np\nx = np.array([1.5, 4.0]) * 2\n{line}"
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    assert reason in [why for _, why in shell.report.graph_breaks]
    assert type(shell.ns["m"]) is type(wanted["m"])
    assert shell.ns["m"] == wanted["m"]


def test_what_operators_getters_ask_of_arrays_is_recorded():
    body = (
        "import operator\nimport numpy as np\nx = np.arange(6.0).reshape(2, 3)\n"
        "y = operator.add(x, 1)\nrow = operator.itemgetter(1)(y)\n"
        "turned = operator.attrgetter('T')(y) * 2\nm = operator.methodcaller('sum', axis=0)(y)\n"
    )
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    assert not shell.report.graph_breaks
    for name in ("y", "row", "turned", "m"):
        np.testing.assert_array_equal(np.asarray(shell.ns[name]), wanted[name])


def test_getters_of_lists_and_of_objects_run_as_they_are():
    body = (
        "import operator\nimport numpy as np\n"
        "class Held:\n    def __init__(self, array):\n        self.array = array\n"
        "    def bump(self):\n        self.array += 10\n"
        "x = np.ones(3)\nheld, rows = Held(x), []\n"
        "y = x * 2\noperator.methodcaller('bump')(held)\nz = x * 2\n"
        "operator.methodcaller('append', 5)(rows)\n"
        "i = (x * 0).sum().astype(int)\nfirst = operator.itemgetter(i)(z)\n"
    )
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    for name in ("y", "z", "rows", "first"):
        np.testing.assert_array_equal(np.asarray(shell.ns[name]), wanted[name])


def test_errors_are_pythons():
    shell = Shell()
    setup = "import numpy as np\nx = np.arange(3.0) * 2\n"
    with pytest.raises(ValueError, match="empty"):
        shell.hybridize(f"{setup}max(x[:0])", "--view none")
    with pytest.raises(ValueError, match="ambiguous"):
        shell.hybridize(f"{setup}max(np.outer(x, x))", "--view none")


def test_one_cause_is_named_once():
    shell = Shell()
    shell.hybridize(
        "import numpy as np\nx = np.arange(4.0) * 2\ny = np.unique(x)\nz = x * 2", "--view none"
    )
    assert shell.report.graph_breaks == [(4, "np.unique is not covered")]
    assert len(shell.report.segments) == 2
