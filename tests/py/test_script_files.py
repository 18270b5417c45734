"""Scripted functions as files: run without their source, and refused when they are damaged."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, native, nd
from jupyter_hybrid.gluon import nn

TABLE = nd.array([0.5, 1.5])


def program(x, p, limit=3):
    count = 0
    for i in range(12):
        if x[i % 2] > limit:
            break
        if x.sum() < 0:
            x = -x
            continue
        x = x * p["w"] + TABLE
        count += 1
    while x.sum() > 10:
        x = x / 2
    if x.sum() > 6:
        return x, {"n": count, "big": True}
    return x + 1, {"n": count, "big": False}


def arguments(seed=0):
    rng = np.random.default_rng(seed)
    return nd.array(rng.standard_normal(2)), {"w": nd.array(rng.random(2) + 0.5)}


def result_of(made):
    return made[0].asnumpy().tolist(), made[1]


def test_a_loaded_script_gives_what_the_function_gives(tmp_path):
    scripted = mx.script(program)
    scripted(*arguments())
    scripted.save(str(tmp_path / "model"))
    loaded = mx.load(tmp_path / "model")
    for seed in range(8):
        assert result_of(loaded(*arguments(seed))) == result_of(program(*arguments(seed)))
    assert loaded.arguments == ["x", "p_w"]
    assert "while_loop" in loaded.code
    assert repr(loaded) == "<scripted program of (x, p_w)>"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model-0000.params", "model-symbol.json"]
    names = list(nd.load(str(tmp_path / "model-0000.params")))
    assert names
    assert all(n.startswith("arg:_const") for n in names)


def test_it_runs_in_another_process_without_the_source(tmp_path):
    scripted = mx.script(program)
    scripted(*arguments())
    scripted.save(str(tmp_path / "model"))
    code = (
        "import sys, numpy as np, jupyter_hybrid as mx\n"
        "rng = np.random.default_rng(5)\n"
        "x, w = mx.nd.array(rng.standard_normal(2)), mx.nd.array(rng.random(2) + 0.5)\n"
        "y, rest = mx.load(sys.argv[1])(x, {'w': w})\n"
        "print(y.asnumpy().tolist(), rest)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wanted = result_of(program(*arguments(5)))
    assert ran.stdout.strip() == f"{wanted[0]} {wanted[1]}"


def test_saving_again_what_was_loaded_changes_nothing(tmp_path):
    scripted = mx.script(program)
    scripted(*arguments())
    scripted.save(str(tmp_path / "a"))
    symbol = mx.load(tmp_path / "a").symbol
    again = mx.sym.load_json(symbol._tojson_native())
    assert (
        json.loads(again._tojson_native())["nodes"] == json.loads(symbol._tojson_native())["nodes"]
    )


def test_numpy_functions_and_python_numbers(tmp_path):
    def norm(x, tolerance):
        n = 0
        while np.abs(x).max() > tolerance:
            x = x * 0.5 - x.mean()
            n += 1
        return x, n, x.std(), [n > 3]

    x = np.random.default_rng(1).standard_normal((3, 4))
    scripted = mx.script(norm)
    scripted(x, 0.01)
    scripted.save(str(tmp_path / "norm"))
    loaded = mx.load(tmp_path / "norm")
    for made, first, wanted in zip(loaded(x), scripted(x, 0.01), norm(x, 0.01), strict=True):
        assert type(made) is type(first) is type(wanted)
        np.testing.assert_array_equal(made, first)
        np.testing.assert_allclose(made, wanted, rtol=1e-12)  # NumPy adds in another order
    with pytest.raises(TypeError, match=r"saved with an ndarray of float64 \(3, 4\)"):
        loaded(x.astype("float32"))
    with pytest.raises(TypeError, match="NDArray"):
        loaded(nd.array(x))
    with pytest.raises(TypeError, match="there is no x"):
        loaded()


class Net(gluon.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.a, self.b = nn.Dense(4), nn.Dense(2)

    def forward(self, x):
        x = self.a(x)
        while (x * x).sum() > 1:
            x = x * 0.5
        return self.b(x) if x.sum() > 0 else -self.b(x)


def test_the_parameters_of_a_block_are_the_files(tmp_path):
    net = Net(prefix="net_")
    net.initialize(mx.init.Xavier())
    scripted = mx.script(net)
    x = nd.array(np.random.default_rng(2).standard_normal((3, 5)))
    wanted = net(x).asnumpy()
    np.testing.assert_array_equal(scripted(x).asnumpy(), wanted)
    scripted.save(str(tmp_path / "net"))
    loaded = mx.load(tmp_path / "net")
    np.testing.assert_array_equal(loaded(x).asnumpy(), wanted)
    assert set(loaded.params) == set(net.collect_params())


def test_symbols_with_loops_are_read_and_written(tmp_path):
    x, s, w = mx.sym.var("x"), mx.sym.var("s"), mx.sym.var("w")
    rows, last = mx.sym.contrib.foreach(lambda row, c: (row * w + c, c + row), x, s)
    outs, after = mx.sym.contrib.while_loop(
        lambda i, v: i < 5, lambda i, v: (v * 2, [i + 1, v * w]), [last.sum(), last], 8
    )
    pick = mx.sym.contrib.cond(after[1].sum() > 3, lambda: after[1] + w, lambda: after[1] - w)
    group = mx.sym.Group([rows, outs[0] if isinstance(outs, list) else outs, pick])
    text = group.tojson()
    for name in ("_foreach", "_while_loop", "_cond", "subgraphs", "in_data_locs"):
        assert f'"{name}"' in text
    again = mx.sym.load_json(text)
    assert again.list_arguments() == group.list_arguments()
    arrays = {
        "x": nd.array(np.arange(6).reshape(3, 2) / 10),
        "s": nd.array([0.5, 0.25]),
        "w": nd.array([1.5, 0.5]),
    }
    for made, wanted in zip(again.eval(**arrays), group.eval(**arrays), strict=True):
        np.testing.assert_array_equal(made.asnumpy(), wanted.asnumpy())
    assert mx.sym.load_json(again.tojson()).tojson() == again.tojson()


# Damage -----------------------------------------------------------------------------------------
@pytest.fixture
def files(tmp_path):
    scripted = mx.script(program)
    scripted(*arguments())
    scripted.save(str(tmp_path / "model"))
    return tmp_path / "model-symbol.json", tmp_path / "model-0000.params"


def test_missing_and_truncated_files(files):
    graph, params = files
    prefix = graph.parent / "model"
    text = graph.read_text()
    for size in (10, len(text) // 3, len(text) - 20):
        graph.write_text(text[:size])
        with pytest.raises(mx.MXNetError, match=r"symbol\.json"):
            mx.load(prefix)
    graph.write_text(text)
    content = params.read_bytes()
    params.write_bytes(content[: len(content) // 2])
    with pytest.raises(mx.MXNetError, match=r"\.params"):
        mx.load(prefix)
    params.unlink()
    with pytest.raises(FileNotFoundError, match="constants"):
        mx.load(prefix)
    graph.unlink()
    with pytest.raises(FileNotFoundError, match="there is no"):
        mx.load(prefix)


def _edit(graph, change):
    document = json.loads(graph.read_text())
    change(document)
    graph.write_text(json.dumps(document))
    with pytest.raises(mx.MXNetError) as caught:
        mx.load(str(graph).removesuffix("-symbol.json"))
    return str(caught.value)


def _control(document, op):
    return next(n for n in document["nodes"] if n["op"] == op)


def test_corrupt_subgraphs_are_refused(files):
    graph, _ = files
    text = graph.read_text()
    changes = {
        "subgraphs": lambda d: _control(d, "_while_loop").pop("subgraphs"),
        "expected 2 subgraphs": lambda d: _control(d, "_while_loop")["subgraphs"].pop(),
        "func_var_locs": lambda d: _control(d, "_while_loop")["attrs"].update(
            func_var_locs="(99,)"
        ),
        "refers to input": lambda d: _control(d, "_while_loop")["attrs"].update(
            func_input_locs="(77, 78, 79)"
        ),
        "no attribute": lambda d: _control(d, "_cond")["attrs"].pop("then_input_locs"),
        "heads": lambda d: _control(d, "_cond")["subgraphs"][1].pop("heads"),
        "max_iterations": lambda d: _control(d, "_while_loop")["attrs"].update(
            max_iterations="many"
        ),
    }
    for reason, change in changes.items():
        graph.write_text(text)
        assert reason in _edit(graph, change)


def test_a_corrupt_signature_is_refused(files):
    graph, _ = files
    text = graph.read_text()

    def signature(change):
        def edit(document):
            saved = json.loads(document["attrs"]["jupyter_hybrid_script"][1])
            change(saved)
            document["attrs"]["jupyter_hybrid_script"][1] = json.dumps(saved)

        return edit

    for change in (
        lambda s: s.pop("arguments"),
        lambda s: s.update(result={"nd": 99}),
        lambda s: s.update(result={"other": 0}),
        lambda s: s.update(result=3),
        lambda s: s["arguments"].pop(),
        lambda s: s["arguments"][0].pop(),
    ):
        graph.write_text(text)
        assert "load: " in _edit(graph, signature(change))
    graph.write_text(text)
    assert "corrupt" in _edit(
        graph, lambda d: d["attrs"].update(jupyter_hybrid_script=["str", "{"])
    )


def test_a_result_that_no_file_can_hold(tmp_path):
    marker = object()

    def f(x):
        return x + 1, marker

    scripted = mx.script(f)
    with pytest.raises(mx.MXNetError, match="has not been called"):
        scripted.save(str(tmp_path / "f"))
    assert scripted(nd.array([1.0]))[1] is marker
    with pytest.raises(mx.MXNetError, match="object made outside"):
        scripted.save(str(tmp_path / "f"))


def test_hybrid_run_gives_the_same_without_python(tmp_path):
    try:
        command = native.program()
    except FileNotFoundError:
        pytest.skip("hybrid-run is not installed beside this core")

    def only_arrays(x, w):
        while (x * x).sum() > 1:
            if x.max() > 2:
                x = x / 2
                continue
            x = x * w + TABLE * 0.1
        return x, (x.sum() > 0) * 2

    rng = np.random.default_rng(3)
    x, w = nd.array(rng.standard_normal(2) * 4), nd.array(rng.random(2) * 0.5)
    scripted = mx.script(only_arrays)
    wanted = [a.asnumpy() for a in scripted(x, w)]
    scripted.save(str(tmp_path / "m"))
    for name, array in (("x", x), ("w", w)):
        np.save(tmp_path / f"{name}.npy", array.asnumpy())
    words = [command, "m-symbol.json", "m-0000.params", "x=x.npy", "w=w.npy"]
    words += ["-o", "out.npy"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for i, array in enumerate(wanted):
        np.testing.assert_array_equal(np.load(tmp_path / f"out-{i}.npy"), array)


def handed_through(a, b):
    c = b * 2
    return {"a": a, "rest": (c, 7, None, c, b.sum() > 0, a)}


def test_results_that_are_handed_through_are_outputs_of_the_file(tmp_path):
    scripted = mx.script(handed_through)
    scripted(nd.array([1.0]), nd.array([2.0]))
    scripted.save(str(tmp_path / "model"))
    loaded = mx.load(tmp_path / "model")
    assert len(loaded.symbol.list_outputs()) == 6  # None is no array; in the result's order
    assert len(loaded.graph.outputs) == 2  # and not copied where the source is called
    a, b = nd.array([5.0]), nd.array([-3.0])
    made = loaded(a=a, b=b)
    assert made["a"] is a
    assert made["rest"][5] is a
    assert made["rest"][0] is made["rest"][3]
    assert made["rest"][0].asscalar() == -6
    assert made["rest"][1:3] == (7, None)
    values = mx.compile(loaded.symbol)(a=a, b=b)
    assert [v.asnumpy().item() for v in values] == [5, -6, 7, -6, 0, 5]


def test_a_result_of_arguments_alone_can_be_saved(tmp_path):
    scripted = mx.script(lambda_free)
    scripted(nd.array([1.0]), nd.array([2.0]))
    scripted.save(str(tmp_path / "model"))
    a, b = nd.array([5.0]), nd.array([-3.0])
    made = mx.load(tmp_path / "model")(a, b)
    assert made[0] is b
    assert made[1] is a


def lambda_free(a, b):
    return b, a
