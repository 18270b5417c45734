"""Softmax, norms and the like written out: one kernel along the rows, with the bits of many."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import _core

SOFTMAX = (
    "e = np.exp(x - x.max(axis=-1, keepdims=True))\ny = e / e.sum(axis=-1, keepdims=True)\ndel e\n"
)
# Body, and kernels left.
CELLS = {
    "softmax": SOFTMAX,
    "softmax, keepdims by hand": "e = np.exp(x - x.max(axis=-1)[..., None])\n"
    "y = e / np.expand_dims(e.sum(axis=-1), -1)\n",
    "softmax of scores": "s = x * 0.125 + g\ne = np.exp(s - s.max(axis=-1, keepdims=True))\n"
    "y = e / e.sum(axis=-1, keepdims=True)\n",
    "log-softmax": "z = x - x.max(axis=-1, keepdims=True)\n"
    "y = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))\n",
    "softmax gradient": "y = (g - (g * x).sum(axis=-1, keepdims=True)) * x\n",
    "layer norm": "m = x.mean(axis=-1, keepdims=True)\nd = x - m\n"
    "v = (d * d).mean(axis=-1, keepdims=True)\ny = d / np.sqrt(v + 1e-5) * w + b\n",
    "layer norm with var": "y = (x - x.mean(axis=-1, keepdims=True)) "
    "/ np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * w + b\n",
    "RMS norm": "y = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * w\n",
    "L2": "y = x / np.linalg.norm(x, axis=-1, keepdims=True)\n",
    "standardised": "y = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)\n",
    "variance": "m = x.mean(axis=-1, keepdims=True)\nv = ((x - m) ** 2).mean(axis=-1)\n",
    "between 0 and 1": "lo = x.min(axis=-1, keepdims=True)\n"
    "y = (x - lo) / (x.max(axis=-1, keepdims=True) - lo)\n",
    "cross-entropy": "z = x - x.max(axis=-1, keepdims=True)\n"
    "y = -((z - np.log(np.exp(z).sum(axis=-1, keepdims=True))) * g).sum(axis=-1)\n",
    "product": "y = x * x.prod(axis=-1, keepdims=True)\n",
}
SHAPES = [(40, 2), (64, 9), (100, 33), (20, 300), (3, 5000), (17, 4097), (1, 50), (4, 6, 10)]


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    shell.run("import numpy as np\nfrom jupyter_hybrid import nd, autograd")
    return shell


def given(shape, dtype="float64", seed=0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = {name: rng.normal(size=shape).astype(dtype) for name in "xg"}
    return x | {name: rng.normal(size=shape[-1:]).astype(dtype) for name in "wb"}


def both(shell: Shell, body: str, names: dict[str, np.ndarray], options: str = "") -> int:
    """Kernels with the pass, after comparing every array bit for bit with the pass off."""
    results = []
    for switch in ("--no-reduction", ""):
        for name in "yvmez":
            shell.ns.pop(name, None)
        shell.ns.update({k: v.copy() for k, v in names.items()})
        shell.hybridize(body, f"--view none {options} {switch}")
        results.append(
            {k: np.asarray(shell.ns[k]).tobytes() for k in "xyvm" if shell.ns.get(k) is not None}
        )
        kernels = len(shell.report.kernels)
    assert results[0] == results[1]
    return kernels


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CELLS)
def test_one_kernel_with_the_bits_of_many(shell, name, dtype):
    for i, shape in enumerate(SHAPES):
        names = given(shape, dtype, seed=i)
        assert both(shell, CELLS[name], names) == 1, shape
        plain = {"np": np, **names}
        exec(CELLS[name], plain)
        for key in {"y", "v"} & plain.keys():
            ours = np.asarray(shell.ns[key])
            assert ours.dtype == plain[key].dtype
            scale = 1e-4 if dtype == "float32" else 1e-11
            np.testing.assert_allclose(ours, plain[key], rtol=scale, atol=scale)


def test_one_element_of_a_vector(shell):
    x = np.linspace(-3, 3, 1000)
    assert both(shell, "e = np.exp(x - x.max())\ny = e / e.sum()\ndel e\n", {"x": x}) == 1
    np.testing.assert_allclose(shell.ns["y"].sum(), 1)


@pytest.mark.parametrize("axis", ["(1, 2)", "(-2, -1)", "-1"])
def test_several_trailing_axes(shell, axis):
    body = (
        f"m = x.mean(axis={axis}, keepdims=True)\n"
        f"y = (x - m) / np.sqrt(((x - m) ** 2).mean(axis={axis}, keepdims=True) + 1e-5) * w + b\n"
    )
    assert both(shell, body, given((30, 7, 12))) == 1


def test_special_values_and_integers(shell):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 21))
    x.flat[rng.integers(0, x.size, 200)] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], 200)
    x[7] = -0.0
    x[8], x[9] = np.inf, -np.inf
    for name in CELLS:
        with np.errstate(all="ignore"):
            assert both(shell, CELLS[name], given((60, 21)) | {"x": x}) == 1, name
    whole = rng.integers(-9, 9, (50, 13))
    body = "y = (x - x.min(axis=1, keepdims=True)) * x.sum(axis=1, keepdims=True)\n"
    for dtype in ("int32", "int64"):
        names = {"x": whole.astype(dtype)}
        both(shell, body, names)
        plain = dict(names)
        exec(body, plain)
        np.testing.assert_array_equal(shell.ns["y"], plain["y"])


def test_rows_of_one_element_and_empty_arrays(shell):
    for shape in [(5, 1), (1, 1), (0, 4)]:
        both(shell, SOFTMAX, given(shape))
        assert shell.ns["y"].shape == shape
    shell.ns["x"] = np.ones((4, 0))
    shell.hybridize("y = x - x.sum(axis=1, keepdims=True)\n")
    assert shell.ns["y"].shape == (4, 0)
    error = shell.hybridize("y = x - x.max(axis=1, keepdims=True)\n", fails=True).error
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("view", ["x[::2]", "x[:, ::3]", "x.T", "x[:, 5:25]", "x[::-1, ::-1]"])
def test_strided_inputs(shell, view):
    x = np.random.default_rng(2).normal(size=(90, 90))
    body = f"s = {view}\ne = np.exp(s - s.max(axis=1, keepdims=True))\n"
    body += "y = e / e.sum(axis=1, keepdims=True)\ndel s, e\n"
    both(shell, body, {"x": x})
    s = eval(view, {"x": x})
    e = np.exp(s - s.max(axis=1, keepdims=True))
    np.testing.assert_allclose(shell.ns["y"], e / e.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("columns", [2, 3, 15, 16, 17, 64, 100, 255, 256, 257, 1000, 2049, 5000])
def test_lengths_of_rows(shell, columns):
    for name in ("softmax", "layer norm"):
        for dtype in ("float32", "float64"):
            assert both(shell, CELLS[name], given((21, columns), dtype, columns)) == 1


def test_numbers_of_another_row_are_left_alone(shell):
    x = np.random.default_rng(3).normal(size=(30, 30))
    assert both(shell, "y = x / x.sum(axis=1)\n", {"x": x}) == 2
    np.testing.assert_allclose(shell.ns["y"], x / x.sum(axis=1), rtol=1e-10)
    assert both(shell, "y = x / x.sum(axis=0)\n", {"x": x}) == 2


def test_an_input_given_up_is_overwritten_only_when_all_of_a_row_is_read(shell):
    x = np.random.default_rng(4).normal(size=(50, 40))
    for body in (
        SOFTMAX,
        "t = x * 2\ny = t + t.sum(axis=1, keepdims=True) + x\ndel t\n",
        "y = x * 2\nm = (x - y.max(axis=1, keepdims=True)) / x.sum(axis=1, keepdims=True)\n",
    ):
        plain = {"np": np, "x": x}
        exec(body, plain)
        shell.ns["x"] = x.copy()
        shell.hybridize(body, "--donate x --view none")
        np.testing.assert_allclose(shell.ns["y"], plain["y"], rtol=1e-12)
    shell.ns["x"] = x.copy()
    shell.hybridize(SOFTMAX, "--donate x --view none")
    assert shell.report.bytes_planned == 0


@pytest.mark.alone
def test_modes_and_threads_agree_bit_for_bit(shell):
    mx.random.seed(5)
    shell.run("x = nd.random.normal(shape=(300, 77))\nw = nd.random.normal(shape=(77,))")
    body = (
        "m = nd.mean(x, axis=1, keepdims=True)\nd = nd.broadcast_sub(x, m)\n"
        "v = nd.mean(d * d, axis=1, keepdims=True)\n"
        "y = nd.broadcast_mul(nd.broadcast_div(d, nd.sqrt(v + 1e-5)), w.reshape((1, 77)))\n"
        "e = nd.exp(nd.broadcast_sub(x, nd.max(x, axis=1, keepdims=True)))\n"
        "p = nd.broadcast_div(e, nd.sum(e, axis=1, keepdims=True))\n"
    )
    shell.run("%%imperative\n" + body)
    kept = [shell.ns[n].asnumpy().tobytes() for n in "yp"]
    shell.hybridize(body + "del m, d, v, e\n")
    assert [shell.ns[n].asnumpy().tobytes() for n in "yp"] == kept
    assert len(shell.report.kernels) == 2
    code = (
        "import sys, hashlib, numpy as np, jupyter_hybrid as mx\n"
        "x = mx.nd.array(np.random.default_rng(6).normal(size=(4000, 130)))\n"
        "@mx.hybridize\ndef f(x):\n"
        "    e = mx.nd.exp(x - mx.nd.max(x, axis=1, keepdims=True))\n"
        "    return e / mx.nd.sum(e, axis=1, keepdims=True)\n"
        "print(hashlib.sha256(f(x).asnumpy().tobytes()).hexdigest())\n"
    )
    hashes = [_run(code, threads) for threads in (1, 2)]
    assert hashes[0] == hashes[1]


def _run(code: str, threads: int) -> str:
    code = f"{code}assert mx._core.num_threads() == {threads}\n"
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HYBRID_NUM_THREADS": str(threads)},
    ).stdout


def test_gradients_through_rows(shell):
    mx.random.seed(7)
    shell.run("x = nd.random.normal(shape=(40, 30))\nw = nd.random.normal(shape=(30,))")
    body = (
        "x.attach_grad()\nw.attach_grad()\nwith autograd.record():\n"
        "    e = nd.exp(x - nd.max(x, axis=1, keepdims=True))\n"
        "    p = e / nd.sum(e, axis=1, keepdims=True)\n"
        "    d = x - nd.mean(x, axis=1, keepdims=True)\n"
        "    n = d * nd.rsqrt(nd.mean(d * d, axis=1, keepdims=True) + 1e-5) * w\n"
        "    loss = (p * n).sum()\nloss.backward()\n"
    )
    shell.run("%%imperative\n" + body)
    kept = [shell.ns[n].grad.asnumpy().tobytes() for n in "xw"]
    counts = []
    for switch in ("--no-reduction", ""):
        shell.hybridize(body, f"--view none {switch}")
        assert [shell.ns[n].grad.asnumpy().tobytes() for n in "xw"] == kept
        counts.append(len(shell.report.kernels))
    assert counts[1] < counts[0] / 2


def test_compiled_symbols_and_their_gradient():
    x, g = (mx.sym.Variable(name, shape=(25, 60)) for name in "xg")
    e = mx.sym.exp(mx.sym.broadcast_sub(x, mx.sym.max(x, axis=1, keepdims=True)))
    y = mx.sym.broadcast_div(e, mx.sym.sum(e, axis=1, keepdims=True))
    loss = mx.sym.sum(y * g)
    rng = np.random.default_rng(8)
    values = {k: rng.normal(size=(25, 60)).astype("float32") for k in "xg"}
    heads = [y, loss.grad(x)]
    whole, apart = mx.compile(heads), mx.compile(heads, without=["reduction"])
    for one, other in zip(whole(**values), apart(**values), strict=True):
        assert one.asnumpy().tobytes() == other.asnumpy().tobytes()
    p = whole(**values)[0].asnumpy().astype("float64")
    expected = p * (values["g"] - (values["g"] * p).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(whole(**values)[1].asnumpy(), expected, rtol=1e-3, atol=1e-6)


def test_other_sizes_of_a_named_dimension(shell):
    rng = np.random.default_rng(9)
    for rows in (50, 70, 3, 1):
        shell.ns["x"] = rng.normal(size=(rows, 20))
        shell.hybridize(SOFTMAX, "--dims x:0=n --view none")
        np.testing.assert_allclose(shell.ns["y"].sum(axis=1), np.ones(rows))
        assert len(shell.report.kernels) == 1
    for columns in (5, 1, 300, 9000):
        shell.ns["x"] = rng.normal(size=(20, columns))
        shell.hybridize(SOFTMAX, "--dims x:1=c --view none")
        np.testing.assert_allclose(shell.ns["y"].sum(axis=1), np.ones(20))


def test_every_stage_runs_and_says_what_it_did(shell):
    shell.ns["x"] = np.random.default_rng(10).normal(size=(32, 10))
    shell.hybridize(SOFTMAX, "--view none")
    expected = np.asarray(shell.ns["y"])
    for stage in shell.report.stages:
        np.testing.assert_array_equal(stage.run()["y"].asnumpy(), expected)
    stage = next(s for s in shell.report.stages if s.name == "reduction")
    assert stage.label == "reduction fusion"
    assert {c.action for c in stage.changes} == {"fused"}
    whys = [c.why for c in stage.changes]
    assert any("of each row stays in the kernel" in why for why in whys)
    (kernel,) = shell.report.kernels
    assert kernel.text == "max, sub, exp, sum, div"
    assert "one kernel, row by row" in shell.report.stages[-1].program
    (node,) = [n for n in stage.graph.nodes if n.kind == "fused"]
    assert node.family == "reduce"
    assert [m.op for m in node.members] == ["max", "sub", "exp", "sum", "div"]
    assert shell.report.bytes_planned == 32 * 10 * 8


def test_what_was_left_and_why(shell):
    shell.ns["x"] = np.ones((2, 40000))
    shell.hybridize("y = x - x.max(axis=1, keepdims=True)\n", "--view none")
    stage = next(s for s in shell.report.stages if s.name == "reduction")
    assert [c.action for c in stage.changes] == ["kept"]
    assert "2 rows of 40000 elements" in stage.changes[0].why
    assert not stage.changed


def test_saved_graphs_know_nothing_of_it(tmp_path):
    x = mx.sym.Variable("x")
    e = mx.sym.exp(mx.sym.broadcast_sub(x, mx.sym.max(x, axis=1, keepdims=True)))
    y = mx.sym.broadcast_div(e, mx.sym.sum(e, axis=1, keepdims=True))
    y.save(str(tmp_path / "softmax-symbol.json"))
    again = mx.sym.load(str(tmp_path / "softmax-symbol.json"))
    value = np.random.default_rng(11).normal(size=(9, 8)).astype("float32")
    (ours,), (theirs,) = mx.compile([y])(x=value), mx.compile([again])(x=value)
    assert ours.asnumpy().tobytes() == theirs.asnumpy().tobytes()


def test_the_pass_is_among_the_others():
    names = [p["name"] for p in _core.pass_table()]
    assert names.index("fuse") < names.index("reduction") < names.index("epilogue")
