"""Symbols: composing, names, inference, files, evaluation, binding, refusals."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, gluon, nd, sym, util
from jupyter_hybrid.sym import names


def mlp():
    x = sym.var("data")
    x = sym.FullyConnected(x, num_hidden=4, name="fc1")
    x = sym.Activation(x, act_type="relu", name="relu1")
    return sym.FullyConnected(x, num_hidden=2, name="fc2")


def test_names_and_arguments():
    net = mlp()
    assert net.name == "fc2"
    assert net.list_arguments() == ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]
    assert net.list_outputs() == ["fc2_output"]
    assert net.list_auxiliary_states() == []
    assert repr(net) == "<Symbol fc2>"
    internals = net.get_internals()
    assert "relu1_output" in internals.list_outputs()
    assert internals["fc1_output"].list_arguments() == ["data", "fc1_weight", "fc1_bias"]
    assert net.get_children().list_outputs() == ["relu1_output", "fc2_weight", "fc2_bias"]
    assert sym.var("x").get_children() is None
    no_bias = sym.FullyConnected(sym.var("x"), num_hidden=3, no_bias=True, name="f")
    assert no_bias.list_arguments() == ["x", "f_weight"]
    own = sym.FullyConnected(data=sym.var("x"), weight=sym.var("w"), num_hidden=3, name="f")
    assert own.list_arguments() == ["x", "w", "f_bias"]


def test_prefixes():
    with sym.name_prefix("net0_"):
        a = sym.relu(sym.var("x"), name="act")
        b, c = sym.exp(a), sym.exp(a)
    assert (a.name, b.name, c.name) == ("net0_act", "net0_exp0", "net0_exp1")


def test_groups_and_indices():
    a, b = sym.var("a"), sym.var("b")
    group = sym.Group([a + b, a * b])
    assert len(group) == 2 and group.name is None
    assert [len(s) for s in group] == [1, 1]
    assert group[-1].list_outputs() == group[1].list_outputs()
    assert repr(group).startswith("<Symbol group [")
    parts = sym.split(a, num_outputs=3, axis=0, name="cut")
    assert parts.list_outputs() == ["cut_output0", "cut_output1", "cut_output2"]
    found = parts[1].eval(a=nd.arange(6))[0]
    assert found.tolist() == [2, 3]
    with pytest.raises(IndexError):
        group[2]
    with pytest.raises(ValueError, match="nothing"):
        group["nothing"]


def test_operators_evaluate_as_arrays_do():
    x, y = nd.array([1.0, 2.0, 3.0]), nd.array([2.0, 0.5, 3.0])
    for f in (
        lambda a, b: a + b * 2 - b / 3,
        lambda a, b: 1 - a**2 + 2**b,
        lambda a, b: (a > b) + (a >= 2) * (a == b) - (a != b) + (a < 1) + (b <= 2),
        lambda a, b: -abs(a - b) % 2 + 7 % b + 3 / a,
        lambda a, b: a.relu().sum(axis=0) + b.exp(),
    ):
        expected = f(x, y).asnumpy()
        found = f(sym.var("a"), sym.var("b")).eval(a=x, b=y)[0]
        np.testing.assert_array_equal(found.asnumpy(), expected)
    a = sym.var("a")
    for name in ("maximum", "minimum", "power", "subtract"):
        for arguments in ((a, 2), (2, a)):
            values = [x if v is a else v for v in arguments]
            found = getattr(sym, name)(*arguments).eval(a=x)[0]
            np.testing.assert_array_equal(found.asnumpy(), getattr(nd, name)(*values).asnumpy())


def test_compose():
    net = mlp()
    other = net(data=sym.var("image") * 2)
    assert other.list_arguments()[0] == "image"
    assert net.list_arguments()[0] == "data"  # unchanged
    assert net(sym.var("x")).list_arguments()[0] == "x"
    with pytest.raises(MXNetError, match="nothing"):
        net(nothing=sym.var("x"))
    with pytest.raises(TypeError):
        net(data=3)


def test_shape_inference():
    net = mlp()
    arguments, outputs, auxiliary = net.infer_shape(data=(5, 3))
    assert arguments == [(5, 3), (4, 3), (4,), (2, 4), (2,)]
    assert (outputs, auxiliary) == ([(5, 2)], [])
    assert net.infer_shape() == (None, None, None)
    partial = net.infer_shape_partial(data=(0, 3))
    assert partial[0] == [(0, 3), (4, 3), (4,), (2, 4), (2,)] and partial[1] == [(0, 2)]
    assert net.infer_shape((5, 3))[1] == [(5, 2)]
    declared = sym.var("x", shape=(2, 3)) + sym.var("y")
    assert declared.infer_shape(y=(2, 3))[0] == [(2, 3), (2, 3)]
    with pytest.raises(MXNetError, match=r"(?s)fc1.*\(9, 9\)"):
        net.infer_shape(data=(5, 3), fc1_weight=(9, 9))
    with pytest.raises(MXNetError, match="nothing"):
        net.infer_shape(nothing=(1,))


def test_type_inference():
    net = mlp()
    arguments, outputs, _ = net.infer_type(data="float64")
    assert set(arguments) == {np.float64} and outputs == [np.float64]
    assert net.infer_type()[1] == [np.float32]
    cast = sym.cast(sym.var("x"), dtype="int32")
    assert cast.infer_type(x="float32")[1] == [np.int32]


def test_attributes():
    v = sym.var("w", shape=(2, 3), lr_mult=0.5, wd_mult=0, dtype="float64", __mine__="yes")
    assert v.attr("__lr_mult__") == "0.5" and v.attr("__shape__") == "(2, 3)"
    assert v.attr("__dtype__") == "1" and v.attr("nothing") is None
    assert v.list_attr()["__mine__"] == "yes"
    net = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=8, name="conv")
    assert net.attr("kernel") == "(3, 3)" and net.attr_dict()["conv"]["num_filter"] == "8"
    with pytest.raises(ValueError, match="mine"):
        sym.var("w", mine=1)
    with pytest.raises(TypeError):
        sym.var(5)


def test_json_round_trip(tmp_path):
    net = mlp()
    text = net.tojson()
    parsed = json.loads(text)
    assert parsed["attrs"]["mxnet_version"] == ["int", 10901]
    assert [n["op"] for n in parsed["nodes"]].count("FullyConnected") == 2
    again = sym.load_json(text)
    assert again.tojson() == text
    net.save(tmp_path / "net.json")
    assert sym.load(tmp_path / "net.json").list_arguments() == net.list_arguments()
    arrays = {
        n: nd.random.normal(shape=s)
        for n, s in zip(net.list_arguments(), net.infer_shape(data=(5, 3))[0])
    }
    np.testing.assert_array_equal(
        again.eval(**arrays)[0].asnumpy(), net.eval(**arrays)[0].asnumpy()
    )


@pytest.mark.parametrize("name", ["my_mlp", "lenet"])
def test_genuine_models(data, name):
    """Models written by MXNet 1.9.1 give MXNet's outputs."""
    folder = data / "mxnet"
    net = sym.load(folder / f"{name}-symbol.json")
    params = {k.split(":", 1)[1]: v for k, v in nd.load(folder / f"{name}-0000.params").items()}
    x = nd.array(np.load(folder / f"{name}-input.npy"))
    found = net.eval(data=x, **params)[0].asnumpy()
    np.testing.assert_allclose(found, np.load(folder / f"{name}-output.npy"), rtol=1e-5, atol=1e-5)


OLD = """{"nodes": [
 {"op": "null", "name": "x", "inputs": [], "attr": {"lr_mult": "0.5", "__shape__": "(2, 3)"}},
 {"op": "null", "name": "w", "inputs": []},
 {"op": "FullyConnected", "name": "fc", "inputs": [[0, 0], [1, 0]], "attr": {"ctx_group": "a"},
  "param": {"no_bias": "True", "num_hidden": "4", "weight_wd_mult": "2"}},
 {"op": "null", "name": "bn_gamma", "inputs": []},
 {"op": "null", "name": "bn_beta", "inputs": []},
 {"op": "BatchNorm", "name": "bn", "param": {"eps": "0.001"}, "inputs": [[2, 0], [3, 0], [4, 0]]},
 {"op": "SoftmaxOutput", "name": "out", "param": {}, "inputs": [[5, 0]]}
], "arg_nodes": [0, 1, 3, 4], "heads": [[6, 0]]}"""


def test_graphs_from_before_versions_were_written():
    """They have "param" and "attr", factors without underscores, and neither states nor labels."""
    net = sym.load_json(OLD)
    assert net.list_arguments() == ["x", "w", "bn_gamma", "bn_beta", "out_label"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    attributes = net.attr_dict()
    assert attributes["x"]["__lr_mult__"] == "0.5" and attributes["w"]["__wd_mult__"] == "2"
    assert attributes["fc"]["__ctx_group__"] == "a"
    assert net.infer_shape(x=(2, 3))[0] == [(2, 3), (4, 3), (4,), (4,), (2,)]
    assert sym.load_json(net.tojson()).list_arguments() == net.list_arguments()
    with pytest.raises(MXNetError, match="BatchNorm takes 5 inputs, given 3"):
        sym.load_json(OLD.replace('"heads"', '"attrs": {"mxnet_version": ["int", 905]}, "heads"'))


def test_constants_go_to_the_parameters():
    graph_of = sym.var("x")
    assert graph_of._constants() == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "not json",
        '{"nodes": 5}',
        '{"nodes": [{"op": "null"}], "heads": [[0, 0, 0]]}',
        '{"nodes": [{"op": "null", "name": "x", "inputs": []}], "heads": [[9, 0, 0]]}',
        '{"nodes": [{"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}], "heads": [[0, 0, 0]]}',
        '{"nodes": [{"op": "NoSuchOp", "name": "r", "inputs": []}], "heads": [[0, 0, 0]]}',
        '{"nodes": [' + "[" * 100_000,
    ],
)
def test_bad_json_is_refused(text):
    with pytest.raises(MXNetError):
        sym.load_json(text)


def test_a_size_of_0_in_a_file_follows_from_the_use():
    """MXNet writes an RNN's first state as _zeros of shape (0, hidden): the batch is not known."""
    x, state = sym.var("x"), sym.zeros(shape=(0, 3))
    weights = sym.var("w", shape=(4, 3)), sym.var("u", shape=(4, 2))
    hidden = sym.FullyConnected(state + 1, weights[0], num_hidden=4, no_bias=True)
    out = hidden + sym.FullyConnected(x, weights[1], num_hidden=4, no_bias=True)
    net = sym.load_json(out.tojson())
    assert json.loads(net.tojson()) == json.loads(out.tojson())
    w, u = np.arange(12.0).reshape(4, 3), np.ones((4, 2))
    for batch in (1, 5):
        x = np.arange(2.0 * batch).reshape(batch, 2)
        (found,) = net.eval(x=nd.array(x), w=nd.array(w), u=nd.array(u))
        np.testing.assert_allclose(found.asnumpy(), np.ones((batch, 3)) @ w.T + x @ u.T)
    with pytest.raises(MXNetError, match="shape"):
        sym.load_json(state.tojson()).eval()


@pytest.mark.parametrize(
    "draw", [sym.random.normal, sym.random.gamma, sym.random_uniform, sym.ones]
)
@pytest.mark.parametrize(
    "use",
    [
        lambda r, x: r + x,
        lambda r, x: x * r,
        lambda r, x: sym.exp(r * 2 + 1) - x,
        lambda r, x: sym.where(x, r, x),
        lambda r, x: sym.FullyConnected(x, r, num_hidden=2, no_bias=True),
    ],
)
def test_without_a_shape_the_use_decides(draw, use):
    r = draw(shape=()) if draw is sym.ones else draw()
    out = sym.Group([use(r, sym.var("x")), r])
    for net in (out, sym.load_json(out.tojson())):
        _, drawn = net.eval(x=nd.ones((2, 3)))
        assert drawn.shape == (2, 3)
        assert (draw is sym.ones) == (len(set(drawn.asnumpy().ravel())) == 1)
    assert net.infer_shape(x=(2, 3))[1] == [(2, 2) if "Fully" in out.tojson() else (2, 3), (2, 3)]


def test_without_a_shape_and_a_use_it_is_one_number():
    assert sym.random.normal().eval()[0].shape == (1,)
    assert (sym.random.randint(0, 5) * 2).infer_shape()[1] == [(1,)]
    assert sym.random.normal(shape=(1,)).infer_shape()[1] == [(1,)]


def test_sizes_that_go_back_through_a_transposition():
    known, open_ = sym.ones(shape=[2, 3]), sym.ones(shape=[-1, -1])
    (found,) = (known + sym.transpose(open_)).eval()
    assert found.shape == (2, 3)
    with pytest.raises(MXNetError, match="shape"):
        sym.ones(shape=(-1, 3)).eval()


def test_arange_goes_on_as_far_as_its_use_wants():
    numbers = sym.arange(start=1, step=2, repeat=2, infer_range=True)
    net = sym.elemwise_add(numbers, sym.var("x"))
    for loaded in (net, sym.load_json(net.tojson())):
        (found,) = loaded.eval(x=nd.zeros((5,)))
        assert found.asnumpy().tolist() == [1, 1, 3, 3, 5]
    assert sym.arange(3, infer_range=False).eval()[0].shape == (3,)


def test_names_without_attributes_take_any_as_in_mxnet():
    x = nd.ones((2, 2))
    assert nd.broadcast_mul(x, x, axis=-1).shape == (2, 2)
    assert nd.zeros_like(x, dtype="int32").dtype == np.float32
    assert sym.relu(sym.var("x"), foo=1).eval(x=x)[0].shape == (2, 2)
    with pytest.raises(MXNetError, match="foo"):
        nd.softmax(x, foo=1)


def test_attributes_of_an_operator_are_kept_as_text():
    net = sym.FullyConnected(
        sym.var("x"), num_hidden=2, name="f", attr={"__init__": mx.init.Xavier(), "k": 3}
    )
    assert net.attr_dict()["f"]["k"] == "3"
    block = gluon.SymbolBlock([net], [sym.var("x")])
    block.initialize()
    assert block(nd.ones((1, 4))).shape == (1, 2)


def test_a_hybridized_block_draws_for_each_element():
    class Noisy(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x + F.random.normal()

    block = Noisy()
    block.hybridize()
    assert len(set(block(nd.ones((4, 5))).asnumpy().ravel())) == 20


def test_truncated_json_is_refused():
    text = mlp().tojson()
    for size in range(0, len(text.rstrip()) - 1, 7):
        with pytest.raises(MXNetError):
            sym.load_json(text[:size])


def test_names_with_markup_stay_text():
    name = '<img src=x onerror="alert(1)">'
    net = sym.exp(sym.var(name), name=name + "2")
    assert sym.load_json(net.tojson()).list_arguments() == [name]
    assert net.graph().nodes[0].name == name


def test_simple_bind_forward_backward():
    net = mlp()
    executor = net.simple_bind(mx.cpu(), data=(5, 3))
    for name, array in executor.arg_dict.items():
        array[:] = nd.random.normal(shape=array.shape)
        assert executor.grad_dict[name].shape == array.shape
    x = nd.random.normal(shape=(5, 3))
    outputs = executor.forward(is_train=True, data=x)
    executor.backward(nd.ones((5, 2)))
    arrays = {n: a.copy() for n, a in executor.arg_dict.items()}
    for a in arrays.values():
        a.attach_grad()
    with mx.autograd.record():
        h = nd.FullyConnected(
            arrays["data"], arrays["fc1_weight"], arrays["fc1_bias"], num_hidden=4
        ).relu()
        y = nd.FullyConnected(h, arrays["fc2_weight"], arrays["fc2_bias"], num_hidden=2)
    y.backward()
    np.testing.assert_array_equal(outputs[0].asnumpy(), y.asnumpy())
    assert executor.output_dict["fc2_output"] is outputs[0]
    for name, array in arrays.items():
        np.testing.assert_array_equal(
            executor.grad_dict[name].asnumpy(), array.grad.asnumpy(), err_msg=name
        )
    first = {n: g.copy() for n, g in executor.grad_dict.items()}
    executor.forward(is_train=False)  # keeps nothing: backward() runs the program once more
    executor.backward({"fc2_output": nd.ones((5, 2))})
    for name, grad in first.items():
        np.testing.assert_array_equal(executor.grad_dict[name].asnumpy(), grad.asnumpy())
    with pytest.raises(TypeError, match="nothing"):
        executor.forward(nothing=x)
    executor.copy_params_from({"fc1_bias": nd.ones(4)})
    assert executor.arg_dict["fc1_bias"].tolist() == [1, 1, 1, 1]


def test_bind_to_arrays_of_ones_own():
    a, b = sym.var("a"), sym.var("b")
    x, y, g = nd.array([1.0, 2.0]), nd.array([3.0, 4.0]), nd.array([100.0, 100.0])
    executor = (a * b).bind(mx.cpu(), [x, y], args_grad={"a": g}, grad_req="add")
    executor.forward(is_train=True)
    executor.backward()
    assert g.tolist() == [103, 104] and executor.grad_arrays[1] is None and x.grad is None
    x[:] = 5  # the executor sees it
    assert executor.forward()[0].tolist() == [15, 20]
    with pytest.raises(MXNetError, match="no array for b"):
        (a * b).bind(mx.cpu(), {"a": x})
    other = (a * b).bind(mx.cpu(), {"a": x, "b": y, "nothing": x})  # what it lacks is left
    assert other.outputs[0].tolist() == [15, 20]
    smaller = other.reshape(a=(1,), b=(1,))
    smaller.arg_dict["a"][:] = 2
    assert smaller.outputs[0].tolist() == [6] and x.tolist() == [2, 5]
    with pytest.raises(ValueError, match="grow"):
        other.reshape(a=(3,), b=(3,))
    assert other.reshape(allow_up_sizing=True, a=(3,), b=(3,)).arg_arrays[0].shape == (3,)
    with pytest.raises(ValueError, match="partial_shaping"):
        mlp().simple_bind(mx.cpu(), data=(5, 3)).reshape(data=(5, 2))
    with pytest.raises(MXNetError, match="grad_req"):
        (a * b).bind(mx.cpu(), [x, y], grad_req="sometimes")
    with pytest.raises(MXNetError, match="fc2_weight"):
        mlp().simple_bind(mx.cpu())


def test_gradients_as_symbols():
    """d = b * a + 1 has value 3 and gradients {a: 2, b: 1} at a = 1, b = 2."""
    a, b = sym.var("a"), sym.var("b")
    d = b * a + 1
    x, y = nd.array([1.0]), nd.array([2.0])
    gradient = d.grad(["a", "b"])
    assert [g.asscalar() for g in _evaluate(gradient, a=x, b=y)] == [2, 1]
    assert d.eval(a=x, b=y)[0].asscalar() == 3
    with pytest.raises(MXNetError, match="nothing"):
        d.grad(["nothing"])


def _evaluate(symbol, **arrays):
    return symbol.eval(**{n: arrays[n] for n in symbol.list_arguments()})


def test_two_variables_of_one_name_cannot_be_bound():
    with pytest.raises(MXNetError, match="x"):
        (sym.var("x") + sym.var("x")).eval(x=nd.ones(1))


def test_random_symbols_draw_anew_every_run():
    executor = sym.random.normal(shape=(4,)).bind(mx.cpu())
    first, second = (executor.forward()[0].tolist() for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    ("use", "rewrite"),
    [
        (lambda a: a.asnumpy(), "outside of hybrid_forward"),
        (lambda a: a.asscalar(), "outside of hybrid_forward"),
        (lambda a: bool(a), "F.where"),
        (lambda a: float(a), "Symbol"),
        (lambda a: a.__setitem__(0, 1), "F.where"),
        (lambda a: a.__iadd__(1), "a = a + b"),
        (lambda a: np.asarray(a), "F"),
    ],
)
def test_what_needs_a_value_names_the_line_and_the_rewrite(use, rewrite):
    with pytest.raises(MXNetError) as error:
        use(sym.var("hidden"))
    text = str(error.value)
    assert "hidden" in text and rewrite in text and "test_symbol.py" in text


def test_the_graph_of_a_symbol():
    graph = mlp().graph()
    assert [n.op for n in graph.nodes if n.kind == "op"] == [
        "FullyConnected",
        "Activation",
        "FullyConnected",
    ]
    assert [graph.node(i).name for i in graph.inputs] == mlp().list_arguments()
    assert "FullyConnected" in str(graph)
    rows = graph.to_dict()
    assert json.loads(json.dumps(rows))["outputs"] == [[graph.outputs[0][0], 0]]
    assert _core.sym_from_graph(graph).tojson() == mlp().tojson()


def test_open_sizes_are_equal_in_sums():
    a, b = sym.var("a", shape=(0, 10)), sym.var("b", shape=(12, 0))
    assert (a + b).infer_shape()[0] == [(12, 10), (12, 10)]
    c = sym.var("c", shape=(2, 3)) + sym.var("d")
    assert c.infer_shape()[0] == [(2, 3), (2, 3)]
    assert c.infer_shape(c=(5, 6))[1] == [(5, 6)]  # what is given counts
    assert (sym.var("v") + sym.var("w", shape=(1,))).infer_shape() == (None, None, None)
    joined = sym.concat(a, sym.var("e", shape=(0, 5)), dim=1) + sym.var("f", shape=(2, 0))
    assert joined.infer_shape()[0] == [(2, 10), (2, 5), (2, 15)]
    part = sym.split(sym.var("g", shape=(0, 15, 0)), num_outputs=3)[1] + sym.ones((3, 5, 2))
    assert part.infer_shape()[0] == [(3, 15, 2)]
    with mx.util.np_shape():
        assert sym.exp(sym.var("x")).infer_shape_partial()[0] == [None]
        assert sym.transpose(sym.var("x")).infer_shape_partial(x=(-1, 3))[1] == [(3, -1)]
    cast = sym.cast(sym.var("x"), "float16")
    assert cast.infer_type_partial() == ([None], [np.float16], [])


def test_attributes_pickles_and_what_symbols_lack():
    data = sym.var("data", attr={"mood": "angry", "wd_mult": "2"})
    net = sym.FullyConnected(data, num_hidden=2, name="fc", lr_mult=1, attr={"__mood__": "calm"})
    assert data.attr("wd_mult") == "2" and data.attr("mood") == "angry"
    listed = net.list_attr()
    assert listed["lr_mult"] == listed["__lr_mult__"] == "1"
    assert net.attr_dict()["fc_weight"]["__mood__"] == "calm"
    again = pickle.loads(pickle.dumps(net))
    assert again.tojson() == net.tojson()
    parts = sym.split(data, num_outputs=3, name="s")
    assert parts.get_children().list_outputs() == ["data"]
    assert net.astype("int8").infer_type(data="float32")[1] == [np.int8]
    assert net.as_nd_ndarray() is net
    for call in (net.copy, net.detach, net.backward, net.__bool__):
        with pytest.raises(mx.base.NotImplementedForSymbol):
            call()
    with pytest.raises(NotImplementedError, match="np"):
        net.as_np_ndarray()
    with pytest.raises(MXNetError, match="backend"):
        net.optimize_for("some")
    executor = sym.var("x", dtype="float64").exp().bind(mx.cpu(), [nd.zeros(2)])
    assert executor.outputs[0].dtype is np.float32  # the arrays decide
    assert nd.zeros(2, dtype="half").dtype is np.float16


def test_both_choices_of_tojson_hold_together():
    net = sym.amp_cast(sym.var("x"), dtype="float16")
    with util.np_shape():
        kept, left_out = net.tojson(remove_amp_cast=False), net.tojson()
    assert "amp_cast" in kept and "amp_cast" not in left_out
    assert "is_np_shape" in kept and "is_np_shape" in left_out
    assert "is_np_shape" not in net.tojson()


@pytest.mark.parametrize(
    "text, name",
    [
        *[("a + b", "_plus0"), ("a - b", "_minus0"), ("a % b", "_mod0"), ("a == b", "_equal0")],
        *[("a + 1", "_plusscalar0"), ("1 - a", "_rminusscalar0"), ("2 / a", "_rdivscalar0")],
        *[("2 ** a", "_rpower_scalar0"), ("a > 1", "_greater_scalar0"), ("-a", "_mulscalar0")],
        *[("sym.maximum(1, a)", "_maximumscalar0"), ("sym.pow(2, a)", "_rpowerscalar0")],
        *[("sym.broadcast_add(a, b)", "broadcast_add0"), ("sym.zeros((1,))", "_zeros0")],
        *[("sym.random.uniform()", "_random_uniform0"), ("sym.random.shuffle(a)", "_shuffle0")],
        *[("sym.split(a, num_outputs=2)", "split0"), ("a.__rdiv__(2)", "_rdivscalar0")],
    ],
)
def test_nodes_without_a_name_are_called_as_mxnet_calls_them(text, name):
    with names.NameManager():
        assert eval(text, {"a": sym.var("a"), "b": sym.var("b"), "sym": sym}).name == name
    with names.Prefix("net_"):
        assert eval(text, {"a": sym.var("a"), "b": sym.var("b"), "sym": sym}).name == "net_" + name


def test_inputs_that_are_only_counted_become_variables():
    joined = sym.concat(num_args=2, dim=0, name="both")
    assert joined.list_arguments() == ["both_arg0", "both_arg1"]
    found = joined.eval(both_arg0=nd.zeros((1,)), both_arg1=nd.ones((1,)))[0]
    assert found.asnumpy().tolist() == [0, 1]


def test_hidden_outputs_count_in_two_names():
    """As in MXNet 1.9.1."""
    data, label = sym.var("data"), sym.var("label")
    assert sym.CTCLoss(data, label, name="c").list_outputs() == ["c_output0"]
    assert sym.contrib.box_nms(data, name="n").list_outputs() == ["n_output0"]
