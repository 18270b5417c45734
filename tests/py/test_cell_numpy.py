"""NumPy cells under %%hybridize: bindings, bytes, deferred names, in-place writes, breaks."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid.capture import program_cache
from jupyter_hybrid.capture.deferred import DeferredNames
from jupyter_hybrid.views.schema import MIME

FOUR_LINES = """import numpy as np
a = np.ones(10)
b = np.ones(10) * 2
c = b * a
d = c + 1
"""


@pytest.fixture
def shell() -> Shell:
    return Shell()


def test_four_lines_without_flags(shell):
    shell.hybridize(FOUR_LINES)
    report = shell.report
    assert report.bytes_imperative == 320
    assert type(shell.ns["d"]) is np.ndarray
    np.testing.assert_array_equal(shell.ns["d"], np.full(10, 3.0))
    separate = {tuple(k.lines) for k in report.kernels_of(report.stages[0].graph)}
    assert {(5,), (6,)} <= separate
    (together,) = [k for k in report.kernels if {5, 6} <= set(k.lines)]
    assert len(together.nodes) >= 2
    deferred = dict(report.deferred)
    assert "80 bytes" in deferred["c"]
    read = shell.run("x = c")
    assert read.out == ""  # nobody asked for words among the cell's own output
    assert f"{deferred['c']}; computed in cell " in repr(report)
    assert type(shell.ns["c"]) is np.ndarray
    np.testing.assert_array_equal(shell.ns["c"], np.full(10, 2.0))
    assert shell.run("x = c").out == ""


def test_four_lines_planned_bytes(shell):
    shell.hybridize(FOUR_LINES, "--out d --passes plan")
    assert shell.report.bytes_planned == 160
    assert shell.report.bytes_imperative == 320
    np.testing.assert_array_equal(shell.ns["d"], np.full(10, 3.0))
    failed = shell.run("print(c)", fails=True)
    assert "c was planned away; add it to --out" in str(failed.error)


def test_proxy_answers_the_array_protocols_where_a_name_can_not_be_rebound(shell):
    shell.hybridize(FOUR_LINES)
    proxy = shell.ns["c"]
    assert isinstance(proxy, np.ndarray)
    np.testing.assert_array_equal(np.asarray(proxy), np.full(10, 2.0))
    np.testing.assert_array_equal(proxy + 1, np.full(10, 3.0))


CELLS = {
    "arithmetic": "x = np.ones((3, 4)) * 3\ny = -(x ** 2 - 1) / 2 + 1.5\n",
    "integers": "i = np.zeros(5, dtype=int) + 7\nj = i / 2\nk = i * 2 - 3\n",
    "promotion": "x = np.ones(3, 'float32')\ny = x * 2.5\nz = x + np.ones(3)\n",
    "comparison": "x = np.full(4, 2.0)\nm = x > 1\nw = np.where(m, x, 0.0)\n",
    "reductions": (
        "x = np.ones((3, 4)) * 2\ns = x.sum()\nt = x.mean(axis=0)\n"
        "u = np.max(x, axis=1, keepdims=True)\nv = x.std()\nw = x.argmax(axis=1)\n"
    ),
    "slices": (
        "x = np.ones((4, 5)) * 2\ny = x[1:3, ::2]\nz = x[0]\nv = x[1, 2]\nw = x[..., None] + 1\n"
    ),
    "shapes": (
        "x = np.ones((2, 3)) * 5\ny = x.reshape(3, 2).T\nz = x.ravel()\n"
        "w = np.concatenate([x, x * 2], axis=1)\nq = np.stack([z, z + 1])\n"
    ),
    "products": "x = np.ones((2, 3))\ny = x @ x.T\nz = x.dot(np.ones(3))\n",
    "augmented": "x = np.ones(4)\nx += 2\nx *= x\ny = x - 1\n",
    "item assignment": "x = np.zeros((3, 3))\nx[1] = 5\nx[:, 2] = 7.0\ny = x * 2\n",
    "views alias": "x = np.zeros(6)\nv = x[2:4]\nv += 3\nx[3] = 9\ny = v * 1\n",
    "print": "x = np.ones(3) * 2\nprint('sum', x.sum())\ny = x + 1\nprint(y)\n",
    "branch": ("x = np.ones(3)\nif x.sum() > 2:\n    y = x * 10\nelse:\n    y = x\n"),
    "loop": "x = np.ones(3)\nfor i in range(4):\n    x = x * 2 + i\n",
    "function": ("def f(x, k=2):\n    return np.exp(x) * k\ny = f(np.zeros(3))\nz = f(y, k=3)\n"),
    "containers": ("x = np.ones(2)\nparts = [x * i for i in range(3)]\nd = {'a': x + 1, 'b': 2}\n"),
    "not covered": "x = np.ones((2, 2)) * 3\ny = np.linalg.inv(x + np.eye(2))\n",
    "boolean mask": "x = np.full(5, 2.0)\nx[0] = -1\ny = x[x > 0]\n",
    "scalars": "x = np.ones(3)\ns = float(x.sum())\nt = int(x[0])\nn = len(x)\n",
    "class": (
        "class Scale:\n    def __init__(self, k):\n        self.k = k\n"
        "    def __call__(self, x):\n        return x * self.k\n"
        "y = Scale(3)(np.ones(2))\ndel Scale\n"
    ),
}


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("passes", ["", "--no-fuse", "--passes plan"])
def test_equals_plain_numpy(shell, name, passes):
    body = "import numpy as np\n" + CELLS[name]
    wanted, text = imperative(body)
    result = shell.hybridize(body, passes + " --view none")
    assert result.out == text
    for key, value in wanted.items():
        if key == "np" or callable(value):
            continue
        got = shell.ns[key]
        _equal(key, got, value)


def _equal(key, got, value):
    if isinstance(value, (list, tuple)):
        assert len(got) == len(value)
        for g, v in zip(got, value, strict=True):
            _equal(key, g, v)
    elif isinstance(value, dict):
        for k in value:
            _equal(key, got[k], value[k])
    else:
        g = np.asarray(got)
        assert g.dtype == np.asarray(value).dtype, key
        np.testing.assert_allclose(g, value, rtol=1e-15, atol=0, err_msg=key)


def test_existing_arrays_are_read_in_place_and_written_back(shell):
    x = np.arange(6.0)
    shell.ns["x"], shell.ns["np"] = x, np
    shell.hybridize("y = x * 2\nx[1:3] = 0\nz = x + y\n")
    assert shell.ns["x"] is x
    np.testing.assert_array_equal(x, [0, 0, 0, 3, 4, 5])
    np.testing.assert_array_equal(shell.ns["y"], [0, 2, 4, 6, 8, 10])
    np.testing.assert_array_equal(shell.ns["z"], [0, 2, 4, 9, 12, 15])


def test_overlapping_existing_arrays_stay_right(shell):
    x = np.arange(6.0)
    shell.ns["x"], shell.ns["v"] = x, x[2:]
    shell.hybridize("a = v + 0\nx[2] = 50\nb = v * 1\n")
    np.testing.assert_array_equal(shell.ns["a"], [2, 3, 4, 5])
    np.testing.assert_array_equal(shell.ns["b"], [50, 3, 4, 5])


def test_deferred_value_survives_an_overwritten_input(shell):
    x = np.ones(3)
    shell.ns["x"] = x
    shell.hybridize("h = x * 2\ny = h + 1\n")
    x[:] = 100
    np.testing.assert_array_equal(np.asarray(shell.ns["h"]), [2, 2, 2])


def test_random_draws_are_numpys_own_stream(shell):
    body = "import numpy as np\nnp.random.seed(3)\nx = np.random.rand(4)\ny = x * 2\n"
    wanted, _ = imperative(body)
    shell.hybridize(body)
    np.testing.assert_array_equal(shell.ns["y"], wanted["y"])


def test_breaks_name_line_and_reason(shell):
    shell.hybridize("import numpy as np\nx = np.ones(3)\nprint(x)\ny = np.unique(x)\n")
    breaks = shell.report.graph_breaks
    assert (4, "print shows a value") in breaks
    assert any(line == 5 and "np.unique" in reason for line, reason in breaks)


def test_error_keeps_earlier_bindings_and_points_at_the_line(shell):
    failed = shell.hybridize(
        "import numpy as np\na = np.ones(3)\nb = a + np.ones(4)\nc = 1\n", fails=True
    )
    assert "broadcast" in str(failed.error)
    np.testing.assert_array_equal(np.asarray(shell.ns["a"]), np.ones(3))
    assert "c" not in shell.ns
    traceback = failed.error.__traceback__
    lines = []
    while traceback is not None:
        lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    assert 4 in lines


def test_donated_input_is_unbound(shell):
    shell.run("import numpy as np\nx = np.ones(1000)")
    shell.hybridize("y = x * 2 + 1\n", "--donate x")
    assert "x" not in shell.ns
    np.testing.assert_array_equal(shell.ns["y"], np.full(1000, 3.0))


def test_donation_is_refused_when_somebody_else_sees_the_array(shell):
    shell.run("import numpy as np\nx = np.ones(10)\nkeep = [x]")
    failed = shell.hybridize("y = x * 2\n", "--donate x", fails=True)
    assert "'x' has 1 other reference" in str(failed.error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--out q", "'q' is not an array that this cell assigned"),
        ("--nonsense", "unknown option '--nonsense'"),
        ("--passes wrong", "unknown pass 'wrong'"),
        ("--no-nothing", "unknown pass 'nothing'"),
        ("--view picture", "expected one of graph, memory, program, none"),
        ("--out", "--out needs a value"),
    ],
)
def test_bad_options_are_named(shell, options, message):
    failed = shell.hybridize("import numpy as np\ny = np.ones(2) + 1\n", options, fails=True)
    assert message in str(failed.error)


def test_second_run_finds_its_program(shell):
    program_cache.clear()
    shell.hybridize(FOUR_LINES)
    assert not shell.report.cached
    shell.hybridize(FOUR_LINES)
    assert shell.report.cached


def test_every_stage_can_be_run(shell):
    shell.hybridize(FOUR_LINES)
    for stage in shell.report.stages:
        np.testing.assert_array_equal(stage.run()["d"].asnumpy(), np.full(10, 3.0))


def test_report_prints_well(shell):
    shell.hybridize(FOUR_LINES)
    text = repr(shell.report)
    assert "320 imperative" in text and "deferred  c" in text and "operation folding" in text


def test_only_names_that_a_cell_reads_are_computed_for_it(shell):
    shell.hybridize(FOUR_LINES)
    earlier = {d.name: d for d in shell.report.deferred_names}
    shell.run("c = 5")
    assert not earlier["b"].read_in and not earlier["c"].read_in
    shell.run("e = b * 2")
    assert earlier["b"].read_in and not earlier["c"].read_in


@pytest.mark.parametrize("options", ["", "--out e"])
def test_the_report_of_the_cell_that_reads_a_deferred_name_tells_its_price(shell, options):
    shell.hybridize(FOUR_LINES)
    where = f"cell {len(shell.ip.history_manager.input_hist_parsed)}"
    assert not shell.report.computed
    made = shell.hybridize("e = c * 2", options)
    (read,) = shell.report.computed
    assert (read.name, read.where) == ("c", where) and "80 bytes" in read.cost
    assert f"computed  c of {where}: {read.cost}\n" in repr(shell.report) + "\n"
    assert made.out == ""
    (shown,) = [o for o in made.shown if MIME in o.data]
    assert f"computed c of {where} first: {read.cost}" in shown.data[MIME]["notes"]
    for _ in range(2):  # the second one is skipped
        shell.hybridize("e = c * 2", options)
        assert not shell.report.computed


def test_what_a_plain_cell_has_read_is_not_the_next_ones(shell):
    shell.hybridize(FOUR_LINES)
    shell.run("e = c + b")
    shell.hybridize("f = e * 2")
    assert not shell.report.computed


def test_a_refused_donation_changes_nothing_and_can_be_repeated(shell):
    shell.run("import numpy as np\nx = np.ones(3)\nother = x")
    failed = shell.hybridize("z = x * 2\n", "--donate x", fails=True)
    assert "'x' has 1 other reference" in str(failed.error)
    failed = shell.hybridize("z = x * 2\n", "--donate x missing", fails=True)
    assert type(shell.ns["x"]) is np.ndarray
    shell.run("del other")
    shell.hybridize("z = x * 2\n", "--donate x")
    assert "x" not in shell.ns
    np.testing.assert_array_equal(shell.ns["z"], [2, 2, 2])


def test_a_planned_away_nd_value_is_missing_in_every_use(shell):
    shell.run("from jupyter_hybrid import nd\nx = nd.ones((3,))")
    shell.hybridize("y = x * 2\nz = y + 1\n", "--out z")
    for use in ("print(y + 1)", "y.asnumpy()", "nd.sum(y)"):
        failed = shell.run(use, fails=True)
        assert "y was planned away; add it to --out" in str(failed.error)


def test_a_view_of_a_base_written_later_belongs_to_the_graph(shell, monkeypatch):
    shell.run("import numpy as np\nx = np.arange(6.0)")
    late: list = []
    original = DeferredNames.materialize
    monkeypatch.setattr(
        DeferredNames, "materialize", lambda self, arrays: late.append(original(self, arrays))
    )
    shell.hybridize("y = x * 2\nview = y[1:4]\nkept = [y[::2]]\ny += 1\n")
    assert not late
    np.testing.assert_array_equal(shell.ns["view"], np.arange(6.0)[1:4] * 2 + 1)
    np.testing.assert_array_equal(shell.ns["kept"][0], np.arange(6.0)[::2] * 2 + 1)
    assert np.shares_memory(shell.ns["view"], shell.ns["kept"][0])
