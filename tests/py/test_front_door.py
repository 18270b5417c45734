"""The symbolic front door: variables, constants, gradients, compile(), updates, files."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import autograd, nd, sym
from jupyter_hybrid.views import spec_of


def classic() -> tuple[sym.Symbol, sym.Symbol, sym.Symbol]:
    a, b = jh.Variable("A"), jh.Variable("B")
    return a, b, b * a + jh.Constant(1)


# Expressions ----------------------------------------------------------------------------------
def test_the_classic_systems_program() -> None:
    a, b, d = classic()
    grad_a, grad_b = d.grad(wrt=[a, b])
    f = jh.compile([grad_a, grad_b])
    x, y = f(A=np.ones(10), B=np.ones(10) * 2)
    assert isinstance(x, nd.NDArray) and x.asnumpy().tolist() == [2.0] * 10
    assert y.asnumpy().tolist() == [1.0] * 10
    assert d.list_arguments() == ["B", "A"]


def test_one_symbol_gives_one_array_and_a_list_a_list() -> None:
    _, _, d = classic()
    assert jh.compile(d)(A=3, B=4).asscalar() == 13
    (only,) = jh.compile([d])(A=3, B=nd.array([4]))
    assert only.asnumpy().tolist() == [13]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_a_constant_broadcasts(shape: tuple[int, ...]) -> None:
    value = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    a = jh.Variable("A")
    f = jh.compile([a * jh.Constant(value), jh.Constant(value) + a, a - jh.Constant(2)])
    given = np.full((2, 3), 5, "float32")
    for got, expected in zip(f(A=given), [given * value, value + given, given - 2], strict=True):
        assert np.array_equal(got.asnumpy(), expected)


def test_a_constant_is_a_copy() -> None:
    value = np.ones(3, "float32")
    array = nd.ones(3)
    f = jh.compile([jh.Variable("A") + jh.Constant(value), jh.Variable("A") + jh.Constant(array)])
    value[:] = 7
    array[:] = 7
    assert [r.asnumpy().tolist() for r in f(A=0)] == [[1, 1, 1], [1, 1, 1]]
    with pytest.raises(TypeError, match="Constant: expected a number or an array, got str"):
        jh.Constant("one")


def test_gradients_are_differentiable_again() -> None:
    x = jh.Variable("x")
    first = (x * x * x).grad(x)
    second = first.grad("x")
    third = second.grad([x])
    values = jh.compile([first, second, third])(x=np.array([1.0, 2.0]))
    assert [v.asnumpy().tolist() for v in values] == [[3, 12], [6, 12], [6, 6]]


def test_gradients_name_what_is_unknown() -> None:
    a, _, d = classic()
    with pytest.raises(jh.MXNetError, match="no argument 'C'; there are B, A"):
        d.grad(["C"])
    with pytest.raises(TypeError, match=r"grad: wrt: expected a variable or its name, got <Symbol"):
        d.grad([a * 2])
    with pytest.raises(jh.MXNetError, match="given no variables"):
        d.grad([])


SCALARS = {
    "sum": lambda f, a, b: f.sum(a * b),
    "mean": lambda f, a, b: f.mean(a * a),
    "max": lambda f, a, b: f.max(a) * f.min(b),
    "prod": lambda f, a, b: f.prod(a + b, axis=1),
    "norm": lambda f, a, b: f.norm(a),
    "kept": lambda f, a, b: f.broadcast_mul(f.sum(a * b, axis=1, keepdims=True), a),
    "dot": lambda f, a, b: f.sum(f.dot(a, f.transpose(b))),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_gradient_needs_no_shapes_before_it_is_compiled(name: str) -> None:
    draw = np.random.RandomState(3)
    given = {n: nd.array(draw.standard_normal((3, 4))) for n in "ab"}
    loss = SCALARS[name](sym, jh.Variable("a"), jh.Variable("b"))
    used = loss.list_arguments()
    grads = jh.compile([*loss.grad(used)])(**{n: given[n] for n in used})
    arrays = [given[n] for n in used]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        expected = SCALARS[name](nd, given["a"], given["b"])
    expected.backward()
    for array, grad in zip(arrays, grads):
        assert grad.asnumpy().tobytes() == array.grad.asnumpy().tobytes()


def test_a_gradient_of_a_gradient_without_shapes_says_where_to_give_them() -> None:
    a = jh.Variable("a")
    with pytest.raises(jh.MXNetError, match=r"as in Variable\('a', shape=\(2, 3\), dtype"):
        (a * a).sum().grad(a).grad(a)
    assert (a * a).sum().grad(a).infer_shape(a=(2, 3))[1] == [(2, 3)]
    b = jh.Variable("b", shape=(2, 2))
    second = (b * b * b).sum().grad(b).grad(b)
    assert jh.compile(second)(b=nd.ones((2, 2))).asnumpy().tolist() == [[6, 6], [6, 6]]


@pytest.mark.parametrize("name", SCALARS)
def test_a_gradient_has_the_dtype_of_what_it_is_run_with(name: str) -> None:
    draw = np.random.RandomState(3)
    given = {n: nd.array(draw.standard_normal((3, 4)), dtype="float64") for n in "ab"}
    loss = sym.cast(SCALARS[name](sym, jh.Variable("a"), jh.Variable("b")), dtype="float32")
    used = loss.list_arguments()
    grads = jh.compile([*loss.grad(used)])(**{n: given[n] for n in used})
    arrays = [given[n] for n in used]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        expected = SCALARS[name](nd, given["a"], given["b"]).astype("float32")
    expected.backward()
    for array, grad in zip(arrays, grads):
        assert grad.dtype == np.float64
        assert grad.asnumpy().tobytes() == array.grad.asnumpy().tobytes()


def test_ones_that_flow_back_are_no_work() -> None:
    x = jh.Variable("x", shape=(3, 4))
    f = jh.compile([(x * x).sum().grad(x)])
    f(x=np.ones((3, 4)))
    assert f.report().stages[-1].graph.num_kernels == 1
    assert "ones" not in f.report().program["plan"]


def test_a_gradient_that_is_written_already_is_not_asked_for() -> None:
    x = jh.Variable("x", shape=(3, 4))
    f = jh.compile([(x * x).grad(x)])
    f(x=np.ones((3, 4)))
    assert "unchanged gradient (the gradient is part of the graph as written)" in str(f.report())


def test_remat_is_kept_only_where_it_saves() -> None:
    weights = [jh.Variable(f"w{i}", shape=(64, 64)) for i in range(16)]
    out = jh.Variable("x", shape=(64, 64))
    for w in weights:
        out = sym.tanh(sym.dot(out, w))
    loss = sym.sum(out)
    bytes_planned = []
    for remat in (None, "sqrt"):
        f = jh.compile([loss, *loss.grad(weights)], remat=remat)
        f(x=np.ones((64, 64)), **{f"w{i}": np.eye(64) for i in range(16)})
        bytes_planned.append(f.report().bytes_planned)
    assert bytes_planned[1] <= bytes_planned[0]
    assert "unchanged remat (it saves nothing here:" in str(f.report())


def test_value_and_gradient_share_their_nodes() -> None:
    a = jh.Variable("a")
    value = sym.exp(a)
    f = jh.compile([value, value.grad(a)])
    assert [n.op for n in f.graph.nodes].count("exp") == 1
    v, g = f(a=np.array([1.0]))
    assert v.asscalar() == g.asscalar()


def test_a_gradient_repeats_the_draw() -> None:
    a = jh.Variable("a")
    dropped = sym.Dropout(a, p=0.5)
    value, gradient = jh.compile([dropped, dropped.grad(a)], training=True)(a=np.ones(64))
    assert np.array_equal(value.asnumpy(), gradient.asnumpy())
    assert set(value.asnumpy().tolist()) == {0.0, 2.0}


# Calling --------------------------------------------------------------------------------------
def test_the_builtin_stays() -> None:
    names: dict = {}
    exec("from jupyter_hybrid import *", names)
    assert "compile" not in names and names["__builtins__"]["compile"] is builtins.compile
    assert jh.compile is not builtins.compile


def test_a_program_a_signature() -> None:
    _, _, d = classic()
    f = jh.compile(d)
    for size in (2, 3, 2, 3):
        assert f(A=np.ones(size), B=1).shape == (size,)
    assert f.num_programs == 2


def test_dtypes() -> None:
    a = jh.Variable("a", dtype="float64")
    assert jh.compile(a * 2)(a=np.ones(2)).dtype == np.float64
    b = jh.Variable("b")
    f = jh.compile(b * 2)
    assert f(b=np.ones(2)).dtype == np.float32  # as nd.array
    assert f(b=nd.ones(2, dtype="int32")).dtype == np.int32
    assert f(b=[[1, 2], [3, 4]]).asnumpy().tolist() == [[2, 4], [6, 8]]
    with pytest.raises(TypeError, match="'b': expected an array or a number, got str"):
        f(b="two")


def test_arguments_are_named() -> None:
    _, _, d = classic()
    f = jh.compile(d)
    with pytest.raises(TypeError, match="no value for A; the arguments are B, A"):
        f(B=1)
    with pytest.raises(TypeError, match="there is no argument 'C'; there are B, A"):
        f(A=1, B=1, C=1)
    with pytest.raises(TypeError, match="expected symbols, got int"):
        jh.compile([1])
    with pytest.raises(jh.MXNetError, match="donate names 'C', the arguments are B, A"):
        jh.compile(d, donate=["C"])


def test_options_and_report() -> None:
    _, _, d = classic()
    f = jh.compile(sym.exp(d) * 2)
    with pytest.raises(jh.MXNetError, match="has not been called yet"):
        f.report()
    assert "exp" in repr(f) and spec_of(f)["stages"]
    f(A=np.ones(3), B=2)
    plain = jh.compile(sym.exp(d) * 2, without=["fuse"])
    plain(A=np.ones(3), B=2)
    kinds = [[n.kind for n in g.stages[-1].graph.nodes] for g in (f, plain)]
    assert "fused" in kinds[0] and "fused" not in kinds[1]
    names = [s["name"] for s in spec_of(f)["stages"]]
    assert names[0] == "written" and names[-1] == "plan" and "fuse" in names
    assert set(f.report().program) == {s.name for s in f.stages}
    assert "exp" in f.report().program["written"]
    few = jh.compile(sym.exp(d), passes=["cse"])
    few(A=1, B=1)
    assert {s.name for s in few.stages if s.why_skipped == "not in the list of passes"} >= {"fuse"}


def test_a_donated_argument_is_overwritten() -> None:
    x = jh.Variable("x")
    f = jh.compile(sym.exp(x) * 3, donate=[x])
    given = nd.array([0.0, 1.0])
    expected = (nd.exp(given) * 3).asnumpy()
    assert np.array_equal(f(x=given).asnumpy(), expected)
    assert f.report().bytes_planned == 0


# Updates --------------------------------------------------------------------------------------
def regression() -> tuple[dict[str, nd.NDArray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    params = {"w": nd.array(rng.normal(size=(3, 4))), "b": nd.zeros(3)}
    return params, rng.normal(size=(5, 4)), rng.normal(size=(5, 3))


def step_of(params: dict[str, nd.NDArray], **options: object) -> sym.Function:
    shapes = {"x": (5, 4), "y": (5, 3), "w": (3, 4), "b": (3,)}
    x, y, w, b = (jh.Variable(n, shape=s) for n, s in shapes.items())
    out = sym.FullyConnected(x, w, b, num_hidden=3)
    loss = sym.mean(sym.square(out - y))
    gw, gb = loss.grad([w, b])
    return jh.compile([loss], [(w, w - 0.1 * gw), (b, b - 0.1 * gb)], params, **options)


@pytest.mark.parametrize("options", [{}, {"passes": []}, {"without": ["plan"]}, {"fast": True}])
def test_a_step_equals_the_imperative_one(options: dict) -> None:
    params, x, y = regression()
    step = step_of(params, **options)
    w, b = params["w"].copy(), params["b"].copy()
    for _ in range(3):
        w.attach_grad()
        b.attach_grad()
        with jh.autograd.record():
            out = nd.FullyConnected(nd.array(x), w, b, num_hidden=3)
            loss = nd.mean(nd.square(out - nd.array(y)))
        loss.backward()
        w, b = w - 0.1 * w.grad, b - 0.1 * b.grad
        (got,) = step(x=x, y=y)
        close = np.allclose if options.get("fast") else np.array_equal
        assert close(got.asnumpy(), loss.asnumpy())
        assert close(params["w"].asnumpy(), w.asnumpy())
        assert close(params["b"].asnumpy(), b.asnumpy())
    assert step.num_programs == 1


def test_an_update_takes_no_memory() -> None:
    """The new weight is computed in the old one's memory: only its gradient is made."""
    w = jh.Variable("w")
    array = nd.ones((64, 64))
    memory = array.asnumpy  # the object stays, and so does what it stands for
    f = jh.compile([], [(w, w * 0.5 + 1)], {"w": array})
    assert f() == []
    assert memory().tolist() == np.full((64, 64), 1.5).tolist()
    assert f.report().bytes_planned == 0 and not f.report().plan.commits
    params, x, y = regression()
    step = step_of(params)
    step(x=x, y=y)
    assert not step.report().plan.commits


def test_all_new_values_come_from_the_old_ones() -> None:
    a, b = jh.Variable("a"), jh.Variable("b")
    arrays = {"a": nd.array([1.0, 2.0]), "b": nd.array([10.0, 20.0])}
    swap = jh.compile([a, a + b], [(a, b), (b, a)], arrays)
    old, total = swap()
    assert old.asnumpy().tolist() == [1, 2] and total.asnumpy().tolist() == [11, 22]
    assert arrays["a"].asnumpy().tolist() == [10, 20]
    assert arrays["b"].asnumpy().tolist() == [1, 2]
    assert old.asnumpy().tolist() == [1, 2]
    mixed = jh.compile([], [(a, a + b), (b, a * b)], arrays)
    mixed()
    assert arrays["a"].asnumpy().tolist() == [11, 22]
    assert arrays["b"].asnumpy().tolist() == [10, 40]


def test_what_reads_the_old_value_later_gets_it() -> None:
    """A product can't be computed over its operand: the new value waits in a buffer."""
    w = jh.Variable("w")
    array = nd.array([[1.0, 1.0], [1.0, 0.0]])
    f = jh.compile(sym.exp(w), [(w, sym.dot(w, w))], {"w": array})
    for power in ([[2, 1], [1, 1]], [[5, 3], [3, 2]]):
        f()
        assert array.asnumpy().tolist() == power
    assert len(f.report().plan.commits) == 1


def test_a_parameter_that_nothing_reads() -> None:
    x, last = jh.Variable("x"), jh.Variable("last")
    kept = nd.zeros(3)
    f = jh.compile([], [(last, sym.exp(x))], {last: kept})
    f(x=np.arange(3))
    assert np.array_equal(kept.asnumpy(), nd.exp(nd.arange(3)).asnumpy())
    with pytest.raises(jh.MXNetError, match=r"float32 \(3,\), expected float32 \(4,\)"):
        f(x=np.arange(4))
    assert f.report().bytes_planned == 0


def test_a_window_is_updated_in_its_place() -> None:
    whole = nd.zeros((4, 3))
    w = jh.Variable("w")
    jh.compile([], [(w, w + 1)], {w: whole[1:3]})()
    assert whole.asnumpy().sum(axis=1).tolist() == [0, 3, 3, 0]


def test_parameters_that_share_memory() -> None:
    whole = nd.arange(4)
    a, b = jh.Variable("a"), jh.Variable("b")
    jh.compile([], [(a, a + b)], {a: whole[0:2], b: whole[1:3]})()
    assert whole.asnumpy().tolist() == [1, 3, 2, 3]
    f = jh.compile([], [(a, a + b)], {a: whole, b: whole})
    with pytest.raises(jh.MXNetError, match="'a' is updated, and 'b' is the same array"):
        f()


def test_a_shape_or_dtype_that_does_not_fit() -> None:
    w, x = jh.Variable("w"), jh.Variable("x")
    array = nd.ones(3)
    f = jh.compile([], [(w, w * x)], {w: array})
    with pytest.raises(jh.MXNetError, match=r"update of 'w'.*\(3,\).*given float32 \(2, 3\)"):
        f(x=np.ones((2, 3)))
    g = jh.compile([], [(w, sym.cast(w, dtype="float64"))], {w: array})
    with pytest.raises(jh.MXNetError, match=r"update of 'w'.*float32.*float64"):
        g()
    assert array.asnumpy().tolist() == [1, 1, 1]


def test_wrong_updates_are_named() -> None:
    w, x = jh.Variable("w"), jh.Variable("x")
    array = nd.ones(3)
    with pytest.raises(jh.MXNetError, match="'w' is updated, so its array has to be given"):
        jh.compile([x], [(w, w + 1)])
    with pytest.raises(jh.MXNetError, match="'w' is updated twice"):
        jh.compile([], [(w, w + 1), ("w", w + 2)], {w: array})
    with pytest.raises(TypeError, match="new value of 'w' is a NDArray, expected a Symbol"):
        jh.compile([], [(w, array)], {w: array})
    with pytest.raises(TypeError, match="updates: expected a variable or its name"):
        jh.compile([], [(w + 1, w)], {w: array})
    with pytest.raises(jh.MXNetError, match="params names 'v'; the variables are w"):
        jh.compile([w * 2], params={"v": array})
    with pytest.raises(TypeError, match="'w' is a parameter"):
        jh.compile([w * x], params={w: array})(w=array, x=1)
    with pytest.raises(TypeError, match="parameter 'w' is a ndarray, expected an NDArray"):
        jh.compile([w], params={w: np.ones(3)})


@pytest.mark.parametrize("size", [3, 200_000])
@pytest.mark.parametrize("kind", ["threaded", "naive"])
def test_a_step_that_fails_changes_nothing(size: int, kind: str) -> None:
    """A kernel fails on its values, on the caller or in the queue; the parameter is as it was."""
    w, v, i = jh.Variable("w"), jh.Variable("v"), jh.Variable("i")
    arrays = {"w": nd.ones(size), "v": nd.zeros(size)}
    chosen = sym.Embedding(i, jh.Constant(np.eye(4)), input_dim=4, output_dim=4)
    f = jh.compile([chosen], [(w, w + 1), (v, v + sym.sum(chosen))], arrays)
    with jh.engine.using(kind=kind):
        f(i=[1, 2])[0].wait_to_read()
        assert [a.asnumpy()[-1] for a in arrays.values()] == [2, 2]
        with pytest.raises(jh.MXNetError, match="Embedding"):
            f(i=[1, 7])[0].wait_to_read()
        assert [a.asnumpy()[-1] for a in arrays.values()] == [2, 2]
        f(i=[3])[0].wait_to_read()
        assert [set(a.asnumpy().tolist()) for a in arrays.values()] == [{3.0}, {3.0}]
        with pytest.raises(jh.MXNetError, match="Embedding"):  # read by nobody: waitall tells
            f(i=[7])
            jh.waitall()
    assert not f.report().plan.commits


# Files ----------------------------------------------------------------------------------------
def test_a_graph_is_saved_and_loaded(tmp_path: Path) -> None:
    _, _, d = classic()
    d = d * jh.Constant(np.arange(3))
    d.save(str(tmp_path / "mygraph"))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "mygraph-0000.params",
        "mygraph-symbol.json",
    ]
    again = jh.load(tmp_path / "mygraph")
    given = {"A": np.array([1.0, 2.0, 3.0]), "B": 2}
    assert again.list_arguments() == d.list_arguments()
    assert np.array_equal(jh.compile(again)(**given).asnumpy(), jh.compile(d)(**given).asnumpy())


def test_a_graph_without_constants_is_one_file(tmp_path: Path) -> None:
    (jh.Variable("A") * jh.Constant(2)).save(tmp_path / "g")
    (jh.Variable("A") * 2).save(tmp_path / "g")  # what was there goes
    assert [p.name for p in tmp_path.iterdir()] == ["g-symbol.json"]
    assert jh.compile(jh.load(tmp_path / "g"))(A=4).asscalar() == 8


def test_missing_and_corrupt_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no .*none-symbol.json"):
        jh.load(tmp_path / "none")
    (jh.Variable("A") * jh.Constant(2)).save(tmp_path / "g")
    params, graph = tmp_path / "g-0000.params", tmp_path / "g-symbol.json"
    content = params.read_bytes()
    params.write_bytes(content[: len(content) // 2])
    with pytest.raises(jh.MXNetError, match=r"g-0000.params"):
        jh.load(tmp_path / "g")
    nd.save(str(params), {"arg:other": nd.ones(1)})
    with pytest.raises(jh.MXNetError, match="has no _const0"):
        jh.load(tmp_path / "g")
    params.unlink()
    with pytest.raises(FileNotFoundError, match=r"has constants, but there is no .*params"):
        jh.load(tmp_path / "g")
    graph.write_text(graph.read_text()[:50])
    with pytest.raises(jh.MXNetError, match=r"g-symbol.json"):
        jh.load(tmp_path / "g")


# Named outputs, remat ---------------------------------------------------------------------------
def test_a_dict_gives_a_dict_and_names_its_values() -> None:
    a, b = jh.Variable("A", shape=(2,)), jh.Variable("B", shape=(2,))
    d = b * a + 1
    grad_a, grad_b = d.grad([a, b])
    f = jh.compile({"D": d, "gA": grad_a, "gB": grad_b, "B": b, "again": grad_a})
    made = f(A=[1, 3], B=[2, 5])
    assert {k: v.asnumpy().tolist() for k, v in made.items()} == {
        "D": [3, 16], "gA": [2, 5], "gB": [1, 3], "B": [2, 5], "again": [2, 5],
    }  # fmt: skip
    assert f.arguments == ["B", "A"]
    for text in (f.report().program["written"], f.report().program["plan"]):
        assert all(f"\n{line} = " in "\n" + text.replace("  ", "") for line in ("D", "gA", "gB"))
        assert "_output" not in text and "again" not in text
    stages = spec_of(f)["stages"]
    assert {"gA = · * B", "gB = · * A"} <= {n["label"] for n in stages[0]["graph"]["nodes"]}
    kernel = stages[-1]["graph"]["nodes"][-1]
    assert kernel["name"] == "gB, gA"
    assert spec_of(f.report())["stages"][0]["graph"]["nodes"][0]["name"] == "A"


def test_names_of_outputs_are_checked() -> None:
    a, _, d = classic()
    with pytest.raises(TypeError, match="expected names as keys, got int"):
        jh.compile({1: d})  # type: ignore[dict-item]
    with pytest.raises(jh.MXNetError, match="'both' has 2 outputs, expected 1"):
        jh.compile({"both": sym.Group([a, d])})
    with pytest.raises(TypeError, match="expected symbols, got int"):
        jh.compile({"one": 1})  # type: ignore[dict-item]


def test_updates_beside_named_outputs() -> None:
    w, x = jh.Variable("w"), jh.Variable("x")
    loss = (w * x - 6) ** 2
    weight = nd.array([0])
    step = jh.compile({"loss": loss}, [(w, w - 0.1 * loss.grad(w))], {"w": weight})
    assert step(x=1)["loss"].asscalar() == 36
    assert weight.asscalar() == np.float32(1.2)


def test_remat_computes_again_bit_for_bit() -> None:
    x = jh.Variable("x", shape=(64, 8))
    weights = [jh.Variable(f"w{i}", shape=(8, 8)) for i in range(25)]
    out = x
    for w in weights:
        out = sym.tanh(sym.FullyConnected(out, w, num_hidden=8, no_bias=True))
    loss = sym.mean(out)
    rng = np.random.default_rng(3)
    given = {f"w{i}": rng.normal(size=(8, 8)) for i in range(25)}
    found = []
    for remat in (None, "sqrt"):
        f = jh.compile([loss, *loss.grad(weights)], remat=remat)
        values = f(x=np.linspace(-1, 1, 512).reshape(64, 8), **given)
        found.append(([v.asnumpy().tobytes() for v in values], f.report().bytes_planned))
    assert found[0][0] == found[1][0]
    assert found[1][1] < 0.75 * found[0][1]
    with pytest.raises(jh.MXNetError, match="remat: expected 'sqrt' or a budget in bytes"):
        jh.compile(loss, remat="cube")(x=np.ones((64, 8)), **given)
