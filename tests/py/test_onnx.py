"""ONNX: every operator through onnxruntime and back, genuine nets, idioms, untrusted files."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import op_samples
import pytest

from jupyter_hybrid import MXNetError, _core, autograd, gluon, init, nd, sym
from jupyter_hybrid.compat.onnx import export_model, import_model, import_to_gluon
from jupyter_hybrid.gluon import nn

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
ort = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from test_ops import INTERNAL, SAMPLES

ort.set_default_logger_severity(4)


def array(values):
    made = nd.array(values, dtype=values.dtype)
    return made if made.shape == values.shape else made.reshape(values.shape)


def run(path, feed):
    """onnxruntime's outputs; the reference's where onnxruntime has no kernel for the dtype."""
    try:
        return ort.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, feed)
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error) or all(
            a.dtype not in (np.float64, np.uint8) for a in feed.values()
        ):
            raise
        return ReferenceEvaluator(str(path)).run(None, feed)


def back(path, feed):
    """Our own outputs of the model read again."""
    symbol, params, auxiliary = import_model(path)
    assert list(auxiliary) == symbol.list_auxiliary_states()
    given = {n: array(a) for n, a in feed.items() if n in symbol.list_arguments()}
    return [o.asnumpy() for o in symbol.eval(**given, **params, **auxiliary)]


def same(found, expected, tolerance=1e-5):
    for got, want in zip(found, expected, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 0.1)


def both_ways(symbol, feed, path, params=None, tolerance=1e-5, **options):
    """Export, the checker, onnxruntime and the import: all as we compute it."""
    states = symbol.list_auxiliary_states()
    params = {**(params or {}), **{n: feed[n] for n in states if n in feed}}
    feed = {n: a for n, a in feed.items() if n not in states}
    given = {n: array(a) for n, a in {**feed, **params}.items()}
    expected = [o.asnumpy() for o in symbol.eval(**{n: given[n] for n in symbol.list_inputs()})]
    names = [n for n in symbol.list_arguments() if n in feed]
    shapes, types = [feed[n].shape for n in names], [feed[n].dtype for n in names]
    export_model(symbol, params, shapes, types, path, **options)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    inputs = {i.name for i in onnx.load(path).graph.input}
    feed = {n: a for n, a in feed.items() if n in inputs}
    same(run(path, feed), expected, tolerance)
    same(back(path, feed), expected, tolerance)
    return expected


# Every operator -----------------------------------------------------------------------------------
#: Operators that are not written, and why; nothing else of the op table may be missing.
REFUSED = {
    **dict.fromkeys(
        ["conv_grad_data", "conv_grad_weight", "pool_avg_grad", "pool_max_grad"], "gradient"
    ),
    **dict.fromkeys(["pad_grad", "adaptive_pool_grad", "bilinear_resize_grad"], "gradient"),
    **dict.fromkeys(["deformable_grad", "modulated_deformable_grad"], "gradient"),
    **dict.fromkeys(["pool_max_select", "take_grad", "take_along_axis_grad"], "gradient"),
    **dict.fromkeys(["softmax_grad", "log_softmax_grad", "batch_norm_grad"], "gradient"),
    **dict.fromkeys(["cumprod", "cummax", "cummin", "linear_recurrence"], "no ONNX operator"),
    **dict.fromkeys(["correlate", "rfft", "interp", "searchsorted"], "no ONNX operator"),
    **dict.fromkeys(["_contrib_fft", "_contrib_ifft", "exact_int"], "no ONNX operator"),
    **dict.fromkeys(["im2col", "col2im"], "no ONNX operator"),
    **dict.fromkeys(
        ["DeformableConvolution", "ModulatedDeformableConvolution"], "no ONNX operator"
    ),
    **dict.fromkeys(["gamma", "gammaln", "polygamma", "erfinv", "nanprod"], "no ONNX operator"),
    **dict.fromkeys(["diag", "diag_put", "triangle", "split_v2"], "no ONNX operator"),
    **dict.fromkeys(["khatri_rao", "batch_take", "index_copy"], "no ONNX operator"),
    **dict.fromkeys(["amp_multicast", "arange_like", "all_finite"], "no ONNX operator"),
    **dict.fromkeys(["multi_all_finite", "multi_sum_sq", "allclose"], "no ONNX operator"),
    **dict.fromkeys(["fill_element_0index", "histogram", "index_array"], "no ONNX operator"),
    **dict.fromkeys(["ravel_multi_index", "unravel_index"], "no ONNX operator"),
    **{
        name: "random"
        for name in SAMPLES
        if name.startswith(("random_", "sample_")) and "_pdf_" not in name
    },
    **{name: "no ONNX operator" for name in SAMPLES if "interleaved" in name or "_pdf_" in name},
    **dict.fromkeys(["SequenceMask", "SequenceLast", "SequenceReverse"], "no ONNX operator"),
    **dict.fromkeys(["ROIPooling", "ROIAlign", "Correlation", "CTCLoss"], "no ONNX operator"),
    **dict.fromkeys(["GridGenerator", "BilinearSampler"], "no ONNX operator"),
    **dict.fromkeys(["SpatialTransformer", "bipartite_matching"], "no ONNX operator"),
    **dict.fromkeys(["box_iou", "box_nms", "box_encode", "box_decode"], "no ONNX operator"),
    **dict.fromkeys(["MultiBoxPrior", "MultiBoxTarget"], "no ONNX operator"),
    **dict.fromkeys(["MultiBoxDetection"], "no ONNX operator"),
    **dict.fromkeys(["PSROIPooling", "RROIAlign", "hawkesll"], "no ONNX operator"),
    **dict.fromkeys(["psroi_pooling_grad", "rroi_align_grad"], "gradient"),
    **dict.fromkeys(["sequence_last_grad", "roi_align_grad"], "gradient"),
    **dict.fromkeys(["grid_generator_grad"], "gradient"),
    **dict.fromkeys(["Proposal", "MultiProposal"], "no ONNX operator"),
    **dict.fromkeys(["DeformablePSROIPooling"], "no ONNX operator"),
    **{
        name: "gradient" if name.endswith("_grad") else "random" if "random" in name else "no ONNX"
        for name in SAMPLES
        if name.startswith("image_")
    },
    **dict.fromkeys(["RNN"], "recurrent layers"),
    **dict.fromkeys(["fft", "irfft"], "complex128"),
    **dict.fromkeys(["random_uniform", "random_normal", "random_randint", "shuffle"], "random"),
    **dict.fromkeys(["Dropout"], "random"),  # its samples have mode 'always'
    **dict.fromkeys(["moving_average"], "optimizer"),
    **dict.fromkeys(["real", "imag", "angle"], "complex128"),
    **{name: "decomposition" for name in SAMPLES if name.startswith("linalg_")},
    **{name: "unsigned" for name in SAMPLES if "shift" in name},
}
#: What ScatterND may add up has no name in MXNet.
NOT_READ = {"scatter_nd"}
#: The reference's Erf has float32's precision, its ConvTranspose no groups, its LRN misses the last
#: channel, and onnxruntime has none of float64.
SINGLE = {"erf", "LeakyReLU", "Deconvolution", "LRN", "UpSampling"}


def core_symbol(name, arrays, attrs):
    """A core operator as a Symbol; some have no name in sym."""
    _core.begin_trace()
    try:
        inputs = [
            _core.trace_parameter(a.shape, a.dtype, None, f"in{i}") for i, a in enumerate(arrays)
        ]
        made = _core.invoke_core(name, inputs, attrs)
        outputs = list(made) if isinstance(made, (list, tuple)) else [made]
        graph = _core.traced_graph(outputs)[0]
    finally:
        _core.end_trace()
    return _core.sym_from_graph(graph)


def uses(name, dtype):
    for sample in SAMPLES[name]:
        if "BatchNorm" in name and sample.attrs["batch_stats"]:
            continue  # training
        if sample.attrs.get("use_length"):
            continue  # refused
        drawn = op_samples.draw(sample)
        yield sample.attrs, [a.astype(dtype) if a.dtype == np.float64 else a for a in drawn]


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - set(REFUSED)))
def test_operator(name, tmp_path):
    path = tmp_path / "model.onnx"
    for dtype, opset, tolerance in (("float32", 21, 1e-5), ("float64", 18, 1e-10)):
        if dtype == "float64" and name in SINGLE:
            continue
        for attrs, arrays in uses(name, dtype):
            symbol = core_symbol(name, arrays, attrs)
            feed = {f"in{i}": a for i, a in enumerate(arrays)}
            if name in NOT_READ and attrs.get("accumulate"):
                types = [a.dtype for a in arrays]
                export_model(symbol, {}, [a.shape for a in arrays], types, path)
                with pytest.raises(MXNetError, match="reduction 'add' is not read"):
                    import_model(path)
                continue
            both_ways(symbol, feed, path, tolerance=tolerance, opset=opset)


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - set(REFUSED)))
def test_operator_in_opset_17(name, tmp_path):
    for attrs, arrays in uses(name, "float32"):
        symbol, feed = core_symbol(name, arrays, attrs), {}
        feed = {f"in{i}": a for i, a in enumerate(arrays)}
        if name.startswith("bit_"):
            with pytest.raises(MXNetError, match=rf"{name}.*need opset 18"):
                both_ways(symbol, feed, tmp_path / "m", opset=17)
        elif not (name in NOT_READ and attrs.get("accumulate")):
            both_ways(symbol, feed, tmp_path / "m", opset=17)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_not_written_is_named(name, tmp_path):
    for attrs, arrays in uses(name, "float32"):
        symbol = core_symbol(name, arrays, attrs)
        types = [a.dtype for a in arrays]
        with pytest.raises(MXNetError, match=rf"onnx: (node '\w+', operator {name}: |).*") as error:
            export_model(symbol, {}, [a.shape for a in arrays], types, tmp_path / "m")
        assert REFUSED[name] in str(error.value)
        assert not (tmp_path / "m").exists()


def test_every_operator_is_here():
    table = {op["name"] for op in _core.op_table()}
    assert table - set(SAMPLES) <= INTERNAL
    x = sym.var("x")
    branches = sym.contrib.cond(sym.var("p"), lambda: x + 1, lambda: x - 1)
    with pytest.raises(MXNetError, match="operator cond: control flow"):
        export_model(branches, {}, [(1,), (3,)], "float32", os.devnull)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_divide_as_ours_do(dtype, tmp_path):
    a = np.array([7, -7, 7, -7, 5, 0, -1], dtype=dtype)
    b = np.array([2, 2, -2, -2, 0, 0, 3], dtype=dtype)
    for name in ("div", "mod", "floor_div", "maximum", "sub", "lesser", "equal"):
        feed = {"in0": a, "in1": b}
        both_ways(core_symbol(name, [a, b], {}), feed, tmp_path / "m")
        for scalar in (3, -3, 0):
            scalar_form = core_symbol(f"{name}_scalar", [a], {"scalar": scalar})
            both_ways(scalar_form, {"in0": a}, tmp_path / "m")
    both_ways(core_symbol("power_scalar", [a], {"scalar": 5}), {"in0": a}, tmp_path / "m")
    both_ways(core_symbol("cast", [a], {"dtype": "bool"}), {"in0": a}, tmp_path / "m")
    with pytest.raises(MXNetError, match="wraps around"):
        both_ways(core_symbol("power", [a, b], {}), {"in0": a, "in1": b}, tmp_path / "m")


def test_special_values(tmp_path):
    """Where a naive composition would round, overflow or lose a sign."""
    cases = {
        "log1p": [1e-10, -1e-10, 0.0, -1.0, np.inf, 3.0],
        "expm1": [1e-10, -1e-10, 0.0, -100.0, 20.0, 1.0],
        "round": [0.49999997, 0.5, -0.5, 1.5, 2.5, -2.5],
        "trunc": [-1.7, 1.7, -0.2, 0.0],
        "cbrt": [-8.0, 27.0, 0.0],
    }
    for name, values in cases.items():
        x = np.array(values, dtype=np.float32)
        made = core_symbol(name, [x], {})
        both_ways(made, {"in0": x}, tmp_path / "m")
    big = np.array([3e30, 0.0, -3e30], dtype=np.float32)
    both_ways(core_symbol("hypot", [big, big], {}), {"in0": big, "in1": big}, tmp_path / "m")
    zeros = np.array([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0], dtype=np.float32)
    other = np.array([0.0, 0.0, -0.0, -0.0, 0.0, 0.0, -3.0, -3.0], dtype=np.float32)
    feed = {"in0": zeros, "in1": other}
    both_ways(core_symbol("arctan2", [zeros, other], {}), feed, tmp_path / "m")
    x = np.array([5.5, -5.5, 5.5, -5.5, 6.0], dtype=np.float32)
    y = np.array([2.0, 2.0, -2.0, -2.0, -2.0], dtype=np.float32)
    both_ways(core_symbol("mod", [x, y], {}), {"in0": x, "in1": y}, tmp_path / "m")


# Pooling's geometry -------------------------------------------------------------------------------
@pytest.mark.parametrize("convention", ["valid", "full"])
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_pooling(kind, convention, tmp_path):
    x = np.random.default_rng(3).normal(size=(2, 3, 7, 8)).astype(np.float32)
    for kernel, stride, pad in (
        ((2, 2), (2, 2), (0, 0)),
        ((3, 3), (2, 2), (1, 1)),
        ((3, 2), (2, 3), (1, 0)),
        ((4, 3), (3, 2), (1, 1)),
    ):
        for counted in (True, False):
            made = sym.Pooling(
                sym.var("data"),
                kernel=kernel,
                stride=stride,
                pad=pad,
                pool_type=kind,
                pooling_convention=convention,
                count_include_pad=counted,
            )
            both_ways(made, {"data": x}, tmp_path / "m")


# Reshape codes and open sizes ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "reverse"),
    [((0, -1), False), ((-2,), False), ((0, -3), False), ((-4, 1, 2, -2), False), ((-1, 0), True)],
)
def test_reshape_codes(shape, reverse, tmp_path):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    made = sym.reshape(sym.var("data"), shape=shape, reverse=reverse)
    both_ways(made, {"data": x}, tmp_path / "m")


def test_open_batch(tmp_path):
    x = sym.var("data")
    y = sym.reshape(sym.transpose(x, axes=(0, 2, 1)), shape=(0, -1))
    z = sym.softmax(sym.FullyConnected(y, num_hidden=5, name="fc"), axis=-1)
    z = sym.Group([z, sym.broadcast_add(sym.sum(x, axis=(1, 2)), sym.mean(x)), sym.stack(x, x)])
    rng = np.random.default_rng(0)
    params = {"fc_weight": rng.normal(size=(5, 12)), "fc_bias": rng.normal(size=5)}
    params = {n: nd.array(v) for n, v in params.items()}
    path = export_model(
        z, params, dynamic_input_shapes=[(None, 3, 4)], onnx_file_path=tmp_path / "m"
    )
    declared = onnx.load(path).graph.input[0].type.tensor_type.shape.dim
    assert declared[0].dim_param == "batch" and [d.dim_value for d in declared[1:]] == [3, 4]
    for batch in (1, 2, 7):
        feed = {"data": rng.normal(size=(batch, 3, 4)).astype(np.float32)}
        expected = [o.asnumpy() for o in z.eval(data=array(feed["data"]), **params)]
        same(run(path, feed), expected)
        same(back(path, feed), expected)
    with pytest.raises(MXNetError, match=r"operator take: mode 'clip' needs a fixed size"):
        export_model(sym.take(x, sym.var("i")), {}, [(None, 3), (2,)], None, tmp_path / "k")


# Nets ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("opset", [17, 18, 19, 20, 21])
@pytest.mark.parametrize("name", ["my_mlp", "lenet"])
def test_genuine_nets(name, opset, data, tmp_path):
    start = str(data / "mxnet" / name)
    x, expected = np.load(start + "-input.npy"), np.load(start + "-output.npy")
    path = export_model(
        start + "-symbol.json",
        start + "-0000.params",
        [x.shape],
        np.float32,
        str(tmp_path / "net.onnx"),
        dynamic=True,
        opset=opset,
    )
    same(run(path, {"data": x}), [expected])
    block = import_to_gluon(path)
    same([block(nd.array(x)).asnumpy()], [expected])
    twice = nd.array(np.concatenate([x, x]))
    same([block(twice).asnumpy()], [np.concatenate([expected, expected])])
    again = export_model(block, onnx_file_path=tmp_path / "again.onnx", in_shapes=x.shape)
    same(run(again, {"data": x}), [expected])
    files = block.export(str(tmp_path / "mxnet"))  # an ONNX model becomes MXNet's files
    third = gluon.SymbolBlock.imports(files[0], "data", files[1])
    same([third(nd.array(x)).asnumpy()], [expected])


def test_a_block(tmp_path):
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(4, 3, padding=1, activation="relu"),
                nn.MaxPool2D(2, ceil_mode=True),
                nn.Dropout(0.5),
                nn.GlobalAvgPool2D(),
                nn.Flatten(),
                nn.Dense(3),
            )

        def hybrid_forward(self, F, a, b):
            y = self.body(a)
            return F.log_softmax(y), F.concat(y, F.clip(b, -1, 1), dim=1)

    net = Net()
    net.initialize(init.Xavier())
    a, b = nd.random.normal(shape=(2, 3, 9, 9)), nd.random.normal(shape=(2, 5))
    with pytest.raises(MXNetError, match=r"given 0 shapes, expected|call the block once"):
        export_model(net, onnx_file_path=tmp_path / "m")
    path = export_model(net, inputs=(a, b), onnx_file_path=tmp_path / "m", dynamic=True)
    expected = [o.asnumpy() for o in net(a, b)]
    same(run(path, {"data0": a.asnumpy(), "data1": b.asnumpy()}), expected)
    block = import_to_gluon(path)
    same([o.asnumpy() for o in block(a, b)], expected)


def test_labels_of_output_layers_are_left_out(tmp_path):
    fc = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    net = sym.SoftmaxOutput(fc, name="softmax")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 6)).astype(np.float32)
    params = {"arg:fc_weight": nd.array(rng.normal(size=(3, 6))), "arg:fc_bias": nd.zeros(3)}
    path = export_model(net, params, [(4, 6)], onnx_file_path=tmp_path / "m")
    model = onnx.load(path)
    assert [i.name for i in model.graph.input] == ["data"]
    assert [o.name for o in model.graph.output] == ["softmax_output"]
    values = {n.removeprefix("arg:"): v for n, v in params.items()}
    expected = net.eval(data=nd.array(x), softmax_label=nd.zeros(4), **values)
    same(run(path, {"data": x}), [expected[0].asnumpy()])


def random_graph(rng):
    """A tree of operators on arrays of three axes."""
    x, y = sym.var("x"), sym.var("y")
    values = [x, y, x * 0.5 + 1]
    unary = ["tanh", "sigmoid", "relu", "abs", "square", "sin", "exp", "softsign", "erf"]
    for _ in range(int(rng.integers(3, 12))):
        a, b = (values[i] for i in rng.integers(0, len(values), 2))
        kind = rng.integers(0, 8)
        if kind == 0:
            made = getattr(sym, unary[rng.integers(len(unary))])(sym.tanh(a))
        elif kind == 1:
            made = [a + b, a - b, a * b, a / (b * b + 1), sym.maximum(a, b)][rng.integers(5)]
        elif kind == 2:
            made = sym.where(a > b, a, b * float(rng.normal()))
        elif kind == 3:
            made = sym.broadcast_add(a, sym.mean(b, axis=int(rng.integers(3)), keepdims=True))
        elif kind == 4:
            made = sym.softmax(a, axis=int(rng.integers(3)))
        elif kind == 5:
            made = sym.slice_axis(sym.concat(a, b, dim=1), axis=1, begin=1, end=4)
        elif kind == 6:
            made = sym.reverse(sym.cumsum(a, axis=2), axis=int(rng.integers(3)))
        else:
            made = sym.transpose(
                sym.reshape(sym.transpose(a, axes=(2, 0, 1)), shape=(0, -1)), axes=(1, 0)
            ).reshape((2, 3, 4))
        values.append(made)
    return sym.Group([values[-1], values[-2] + values[-3] * 1.0])


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed, tmp_path):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    dtype = [np.float32, np.float64][seed % 2]
    feed = {n: rng.normal(size=(2, 3, 4)).astype(dtype) for n in graph.list_arguments()}
    dtype_limit = 1e-5 if dtype == np.float32 else 1e-6  # the reference's Erf is float32
    both_ways(graph, feed, tmp_path / "m", tolerance=dtype_limit * 5)


# What other exporters write -----------------------------------------------------------------------
def model_of(nodes, inputs, outputs, constants=(), opset=17, path=None, declare=False):
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in dict(constants).items()]
    if declare:  # initializers as inputs
        infos += [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in tensors]
    ranks = outputs if isinstance(outputs, dict) else dict.fromkeys(outputs)
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in ranks.items()]
    graph = helper.make_graph(nodes, "g", infos, results, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)  # outputs need a rank
    return path


def read_as_onnxruntime(path, feed, **options):
    expected = ort.InferenceSession(str(path)).run(None, feed)
    symbol, params, states = import_model(path, **options)
    given = {n: array(a) for n, a in feed.items()}
    found = [o.asnumpy() for o in symbol.eval(**given, **params, **states)]
    same(found, expected)
    return symbol


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def ints(*values):
    return np.array(values, dtype=np.int64)


node = helper.make_node


@pytest.mark.parametrize("declare", [False, True], ids=["constants", "also-inputs"])
@pytest.mark.parametrize(
    ("attrs", "weight", "bias"),
    [
        ({"transB": 1}, (5, 4), (5,)),
        ({}, (4, 5), (5,)),
        ({"alpha": 0.5, "beta": 2.0}, (4, 5), (1, 5)),
        ({"transB": 1}, (5, 4), None),
        ({"transB": 1}, (5, 4), ()),
    ],
)
def test_gemm(attrs, weight, bias, declare, tmp_path):
    constants = {"w": normal(*weight)}
    if bias is not None:
        constants["b"] = normal(*bias, seed=1)
    nodes = [node("Gemm", ["x", *constants], ["y"], **attrs)]
    path = model_of(nodes, {"x": (3, 4)}, ["y"], constants, path=tmp_path / "m", declare=declare)
    symbol = read_as_onnxruntime(path, {"x": normal(3, 4, seed=2)})
    if attrs == {"transB": 1} and bias == (5,):
        assert [n.op for n in symbol.graph().nodes if n.kind == "op"] == ["FullyConnected"]


def test_matmul_and_add(tmp_path):
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"])]
    constants = {"w": normal(4, 5), "b": normal(5)}
    for shape in ((3, 4), (2, 3, 4)):
        path = model_of(nodes, {"x": shape}, ["y"], constants, path=tmp_path / "m")
        read_as_onnxruntime(path, {"x": normal(*shape)})


@pytest.mark.parametrize("batch", [2, None], ids=["fixed", "open"])
def test_shape_chains(batch, tmp_path):
    """x.view(x.size(0), -1), and the same with a computed second size."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Constant", [], ["zero"], value=numpy_helper.from_array(ints()[:0].sum())),
        node("Gather", ["s", "zero"], ["n"], axis=0),
        node("Constant", [], ["axes"], value=numpy_helper.from_array(ints(0))),
        node("Unsqueeze", ["n", "axes"], ["n1"]),
        node("Constant", [], ["rest"], value=numpy_helper.from_array(ints(-1))),
        node("Concat", ["n1", "rest"], ["t"], axis=0),
        node("Reshape", ["x", "t"], ["y"]),
        node("Slice", ["s", "one", "three"], ["hw"]),
        node("Constant", [], ["zero1"], value=numpy_helper.from_array(ints(0))),
        node("ReduceProd", ["hw"], ["k"], keepdims=1),
        node("Concat", ["n1", "k"], ["t2"], axis=0),
        node("Reshape", ["x", "t2"], ["z"]),
    ]
    constants, outputs = {"one": ints(1), "three": ints(3)}, dict.fromkeys("yz", (None, None))
    path = model_of(nodes, {"x": (batch, 3, 4)}, outputs, constants, opset=13, path=tmp_path / "m")
    symbol = read_as_onnxruntime(path, {"x": normal(2, 3, 4)})
    assert {n.op for n in symbol.graph().nodes if n.kind == "op"} == {"reshape"}
    read_as_onnxruntime(path, {"x": normal(2, 3, 4)}, shapes={"x": (2, 3, 4)})


def test_open_sizes(tmp_path):
    """A slice as long as another array, and a comparison of an open size with -1."""
    x, y = sym.var("x"), sym.var("y")
    made = sym.slice_like(x, y, axes=(0,)) + y
    path = export_model(made, {}, [(None, 3), (None, 3)], None, tmp_path / "m")
    first, second = (i.type.tensor_type.shape.dim[0] for i in onnx.load(path).graph.input)
    assert first.dim_param != second.dim_param  # one name would say that they are equal
    read_as_onnxruntime(path, {"x": normal(5, 3), "y": normal(2, 3)})
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Equal", ["s", "minus"], ["e"]),
        node("Where", ["e", "ones", "s"], ["t"]),
        node("Slice", ["t", "zero", "one"], ["head"]),
        node("Concat", ["head", "minus1"], ["u"], axis=0),
        node("Reshape", ["x", "u"], ["y"]),
    ]
    constants = {"minus": ints(-1)[0], "minus1": ints(-1), "ones": ints(1, 1, 1)}
    constants |= {"zero": ints(0), "one": ints(1)}
    path = model_of(nodes, {"x": (None, 2, 3)}, {"y": (None, None)}, constants, path=tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(4, 2, 3)})


def test_a_model_of_fixed_shape_refuses_another(tmp_path):
    """What was folded holds for the declared shape only."""
    nodes = [node("Shape", ["x"], ["s"]), node("Reshape", ["x", "s"], ["y"])]
    path = model_of(nodes, {"x": (2, 3)}, ["y"], path=tmp_path / "m")
    block = import_to_gluon(path)
    assert block(nd.ones((2, 3))).shape == (2, 3)
    with pytest.raises(MXNetError, match=r"'x' was declared with shape \(2, 3\)"):
        block(nd.ones((3, 2)))


@pytest.mark.parametrize("opset", [13, 17, 18, 21])
def test_axes_as_attributes_and_inputs(opset, tmp_path):
    nodes = [
        node("ReduceSum", ["x", "axes"], ["a"], keepdims=0),
        node("ReduceMax", ["x", "axes"], ["b"])
        if opset >= 18
        else node("ReduceMax", ["x"], ["b"], axes=[1]),
        node("Split", ["x", "parts"], ["p", "q"], axis=2),
        node("Unsqueeze", ["a", "axes"], ["c"]),
        node("Squeeze", ["c"], ["d"]),
        node("Split", ["x"], ["h1", "h2"], axis=2, **({"num_outputs": 2} if opset >= 18 else {})),
    ]
    outputs = ["a", "b", "p", "q", "c", "d", "h1", "h2"]
    constants = {"axes": ints(1), "parts": ints(1, 3)}
    path = model_of(nodes, {"x": (2, 3, 4)}, outputs, constants, opset, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 3, 4)})


@pytest.mark.parametrize(
    "window",
    [
        {"pads": [0, 0, 1, 1]},
        {"pads": [1, 0, 0, 1], "strides": [2, 1]},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"auto_pad": "SAME_LOWER", "strides": [2, 3]},
        {"strides": [2, 2], "ceil_mode": 1},
        {"strides": [3, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1},
        {"strides": [2, 2], "pads": [1, 0, 1, 0], "count_include_pad": 1},
        {"pads": [0, 1, 1, 0], "count_include_pad": 1},
    ],
)
def test_windows(window, tmp_path):
    x = normal(2, 3, 7, 8)
    conv = {k: v for k, v in window.items() if k not in ("ceil_mode", "count_include_pad")}
    most = {k: v for k, v in window.items() if k != "count_include_pad"}
    nodes = [
        node("Conv", ["x", "w"], ["a"], **conv),
        node("MaxPool", ["x"], ["b"], kernel_shape=[3, 2], **most),
        node("AveragePool", ["x"], ["c"], kernel_shape=[3, 2], **window),
    ]
    # Opset 17: onnxruntime 1.23 (the last for Python 3.10) miscounts the padding from 19 on.
    path = model_of(
        nodes, {"x": x.shape}, ["a", "b", "c"], {"w": normal(4, 3, 3, 2)}, 17, tmp_path / "m"
    )
    read_as_onnxruntime(path, {"x": x})


RECURRENT = {"LSTM": 4, "GRU": 3, "RNN": 1}


@pytest.mark.parametrize("kind", RECURRENT)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent_layers(kind, direction, tmp_path):
    gates, dirs, hidden = RECURRENT[kind], 1 + (direction == "bidirectional"), 5
    constants = {
        "w": normal(dirs, gates * hidden, 3),
        "r": normal(dirs, gates * hidden, hidden, seed=1),
        "b": normal(dirs, 2 * gates * hidden, seed=2),
    }
    states = ["h", "c"] if kind == "LSTM" else ["h"]
    feed = {"x": normal(4, 2, 3, seed=3)}
    feed.update({s: normal(dirs, 2, hidden, seed=4 + i) for i, s in enumerate(states)})
    how = {"hidden_size": hidden, "direction": direction}
    late = {"linear_before_reset": 1} if kind == "GRU" else {}
    more = {"activations": ["Relu"] * dirs} if kind == "RNN" else {}
    nodes = [
        node(kind, ["x", "w", "r"], ["y"], **how),
        node(kind, ["x", "w", "r", "b", "", *states], ["z", "zh"], **how, **late, **more),
    ]
    if kind == "LSTM":
        nodes[1].output.append("zc")
    outputs = ["y", *nodes[1].output]
    shapes = {"x": (4, "n", 3), **dict.fromkeys(states, (dirs, "n", hidden))}
    read_as_onnxruntime(model_of(nodes, shapes, outputs, constants, 17, tmp_path / "m"), feed)
    path = model_of(nodes, {**shapes, "x": ("t", "n", 3)}, outputs, constants, 17, tmp_path / "m")
    with pytest.raises(MXNetError, match=f"{kind}.*known number of steps"):
        import_model(path)
    import_model(path, shapes={"x": (4, None, 3)})


def test_what_is_not_read_of_recurrent_layers_is_named(tmp_path):
    constants = {"w": normal(1, 8, 3), "r": normal(1, 8, 2), "n": np.array([2, 1], np.int32)}
    for inputs, more in ((["", "n"], {}), ([], {"clip": 1.0}), ([], {"activations": ["Relu"] * 3})):
        nodes = [node("LSTM", ["x", "w", "r", *inputs], ["y"], hidden_size=2, **more)]
        path = model_of(nodes, {"x": (2, 2, 3)}, ["y"], constants, 17, tmp_path / "m")
        with pytest.raises(MXNetError, match=r"LSTM.*not read"):
            import_model(path)


def test_other_normalizations(tmp_path):
    nodes = [
        node("InstanceNormalization", ["x", "s", "b"], ["a"], epsilon=1e-3),
        node("GroupNormalization", ["x", "s", "b"], ["c"], num_groups=2),
        node("LpNormalization", ["x"], ["d"], axis=1, p=1),
        node("LpNormalization", ["x"], ["e"]),
    ]
    constants = {"s": normal(4), "b": normal(4, seed=1)}
    outputs = dict.fromkeys("acde", (None,) * 4)
    path = model_of(nodes, {"x": ("n", 4, 3, 5)}, outputs, constants, 21, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 4, 3, 5, seed=2)})


def test_activations_and_logarithms_of_sums(tmp_path):
    axes = {"axes": [1, 2]}
    nodes = [
        node("HardSwish", ["x"], ["a"]),
        node("PRelu", ["x", "slope"], ["b"]),
        node("ThresholdedRelu", ["x"], ["c"], alpha=0.5),
        node("ReduceLogSumExp", ["big"], ["d"], keepdims=0, **axes),
        node("ReduceLogSumExp", ["big"], ["e"], keepdims=0),
        node("ReduceLogSum", ["square"], ["f"], **axes),
        node("Mul", ["x", "many"], ["big"]),
        node("Mul", ["x", "x"], ["square"]),
        node("Trilu", ["x"], ["g"]),
        node("Trilu", ["x", "k"], ["h"], upper=0),
    ]
    nodes = nodes[6:8] + nodes[:6] + nodes[8:]
    constants = {"slope": normal(3, 1, 1), "many": np.float32(100), "k": np.int64(-1)}
    path = model_of(nodes, {"x": (2, 3, 4, 5)}, list("abcdefgh"), constants, 17, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 3, 4, 5, seed=3)})
    x = np.full((2, 3, 4, 5), -np.inf, np.float32)
    path = model_of(nodes[:2] + nodes[5:6], {"x": x.shape}, ["d"], constants, 17, tmp_path / "m")
    read_as_onnxruntime(path, {"x": x})
    path = model_of([node("Mish", ["x"], ["y"])], {"x": (3,)}, ["y"], {}, 18, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(3)})


def test_blocks_to_channels_and_back(tmp_path):
    nodes = [
        node("DepthToSpace", ["x"], ["a"], blocksize=2),
        node("DepthToSpace", ["x"], ["b"], blocksize=2, mode="CRD"),
        node("SpaceToDepth", ["x"], ["c"], blocksize=2),
    ]
    path = model_of(nodes, {"x": ("n", 8, 2, 6)}, ["a", "b", "c"], {}, 17, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 8, 2, 6)})


def test_the_names_of_mxnets_modules(tmp_path):
    import jupyter_hybrid as mx

    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    params = {"arg:fc_weight": nd.ones((2, 3)), "arg:fc_bias": nd.ones(2)}
    path = mx.onnx.export_model(net, params, [(0, 3)], np.float32, str(tmp_path / "fc.onnx"))
    assert mx.contrib.onnx.get_model_metadata(path) == {
        "input_tensor_data": [("data", (0, 3))],
        "output_tensor_data": [("fc_output", (0, 2))],
    }
    symbol, arguments, states = mx.contrib.onnx.import_model(model_file=path)
    assert (sorted(arguments), states) == (["fc_bias", "fc_weight"], {})
    block = mx.contrib.onnx.import_to_gluon(path, ctx=mx.cpu())
    x = nd.array([[1, 2, 3]])
    assert symbol.eval(data=x, **arguments)[0].asnumpy().tolist() == [[7, 7]]
    assert block(x).asnumpy().tolist() == [[7, 7]]
    assert {"Convolution", "BatchNorm", "LayerNorm"} <= set(mx.onnx.get_operator_support())
    with pytest.raises(MXNetError, match="opset 9, expected 17 to 21"):
        mx.onnx.get_operator_support(9)
    assert mx.contrib.nd is nd.contrib and mx.contrib.symbol is sym.contrib


def test_layer_normalization(tmp_path):
    nodes = [
        node("LayerNormalization", ["x", "s"], ["a"], axis=2, epsilon=1e-3),
        node("LayerNormalization", ["x", "s", "s"], ["b"], axis=-1),
        node("LayerNormalization", ["x", "t", "t"], ["c"], axis=1),
    ]
    constants = {"s": normal(4), "t": normal(3, 4, seed=1)}
    path = model_of(nodes, {"x": ("n", 3, 4)}, ["a", "b", "c"], constants, 17, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 3, 4, seed=2)})


def test_transposed_convolution_and_resize(tmp_path):
    more = {"strides": [2, 3], "output_padding": [1, 2], "group": 2}
    up = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    nodes = [
        node("ConvTranspose", ["x", "w", "bias"], ["a"], pads=[1, 0, 1, 0], **more),
        node("ConvTranspose", ["x", "w"], ["b"], pads=[0, 1, 2, 0], dilations=[2, 1]),
        node("Resize", ["x", "", "scales"], ["c"], mode="nearest", **up),
        node("Resize", ["x", "", "", "sizes"], ["d"], mode="nearest"),
    ]
    constants = {
        "w": normal(4, 3, 3, 2),
        "bias": normal(6),
        "scales": np.array([1, 1, 2, 2], np.float32),
        "sizes": ints(2, 4, 9, 10),
    }
    nodes[1].attribute.append(helper.make_attribute("group", 2))
    path = model_of(nodes, {"x": (2, 4, 3, 5)}, ["a", "b", "c", "d"], constants, 17, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 4, 3, 5, seed=1)})
    nodes = [node("Resize", ["x", "", "scales"], ["y"], mode="linear")]
    path = model_of(nodes, {"x": (2, 4, 3, 5)}, ["y"], constants, 17, tmp_path / "m")
    with pytest.raises(MXNetError, match=r"Resize.*only mode 'nearest'"):
        import_model(path)


def test_batch_normalization_and_more(tmp_path):
    nodes = [
        node("BatchNormalization", ["x", "s", "b", "m", "v"], ["n"], epsilon=1e-3),
        node("Slice", ["n", "i-3", "i-9", "i2", "i-2"], ["t"]),
        node("Pow", ["t", "two"], ["p"]),
        node("Pad", ["p", "pads", "", "i1"], ["q"]),
        node("Mod", ["q", "half"], ["r"], fmod=1),
        node("Expand", ["half", "shape"], ["h"]),
        node("Min", ["r", "h", "q"], ["y"]),
        node("GlobalMaxPool", ["n"], ["g"]),
        node("OneHot", ["labels", "depth", "values"], ["o"], axis=1),
        node("TopK", ["n", "i2"], ["top", "at"], axis=1),
        node("Gather", ["n", "negative"], ["taken"], axis=1),
        node("Cast", ["at"], ["place"], to=TensorProto.FLOAT),
    ]
    constants = {
        **{k: normal(3, seed=i) for i, k in enumerate("sbm")},
        "v": np.abs(normal(3, seed=5)) + 1,
        "two": ints(2),
        "half": np.float32(0.5),
        "pads": ints(1, 2),
        "shape": ints(2, 6, 1, 1),
        "depth": ints(4),
        "values": np.array([-1, 1], dtype=np.float32),
        "labels": ints(0, -1, 3, 7),
        "negative": ints(-1, 0),
        **{f"i{i}": ints(i) for i in (-9, -3, -2, 1, 2)},
    }
    outputs = ["y", "g", "o", "top", "place", "taken"]
    path = model_of(nodes, {"x": (2, 3, 4, 5)}, outputs, constants, 18, tmp_path / "m")
    read_as_onnxruntime(path, {"x": normal(2, 3, 4, 5)})


# Files --------------------------------------------------------------------------------------------
SCRIPT = """
import sys
from jupyter_hybrid import nd, sym
from jupyter_hybrid.compat.onnx import export_model
x = sym.FullyConnected(sym.relu(sym.var("data") * 2 + 2), num_hidden=3, name="fc")
p = {"fc_weight": nd.ones((3, 4)), "fc_bias": nd.zeros(3)}
export_model(sym.softmax(x) * 2, p, [(None, 4)], onnx_file_path=sys.argv[1])
"""


def test_files_are_deterministic(tmp_path):
    contents = []
    for seed in "12":
        path = tmp_path / seed
        command = [sys.executable, "-c", SCRIPT, str(path)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_without_the_library(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnx.checker", None)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'jupyter_hybrid\[onnx\]'"):
        export_model(sym.var("x") * 2, {}, [(1,)], onnx_file_path=tmp_path / "m")
    with pytest.raises(ImportError, match="onnx package"):
        import_model(tmp_path / "m")


def test_what_is_given_is_checked(tmp_path):
    net, path = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), tmp_path / "m"
    params = {"fc_weight": nd.ones((2, 3)), "fc_bias": nd.ones(2)}
    with pytest.raises(MXNetError, match="given opset 16, expected 17 to 21"):
        export_model(net, params, [(1, 3)], onnx_file_path=path, opset=16)
    with pytest.raises(MXNetError, match="given 1 shapes, expected 2: for data, fc_bias"):
        export_model(net, {"fc_weight": params["fc_weight"]}, [(1, 3)], onnx_file_path=path)
    with pytest.raises(MXNetError, match="fc"):
        export_model(net, params, [(1, 4)], onnx_file_path=path)
    with pytest.raises(MXNetError, match="complex64"):
        export_model(net, params, [(1, 3)], "complex64", path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("kind", "opset", "match"),
    [
        ("Einsum", 17, "node 'n1', operator Einsum, opset 17: there is no operator for it here"),
        ("NoSuchThing", 18, "node 'n1', operator NoSuchThing, opset 18"),
    ],
)
def test_unknown_operators_are_named(kind, opset, match, tmp_path):
    nodes = [node("Relu", ["x"], ["h"]), node(kind, ["h"], ["y"], name="n1")]
    path = model_of(nodes, {"x": (2, 3)}, ["y"], opset=opset, path=tmp_path / "m")
    with pytest.raises(MXNetError, match=match):
        import_model(path)


@pytest.mark.parametrize("opset", [12, 99])
def test_other_opsets_and_domains_are_refused(opset, tmp_path):
    path = model_of([node("Relu", ["x"], ["y"])], {"x": (2,)}, ["y"], path=tmp_path / "m")
    model = onnx.load(path)
    model.opset_import[0].version = opset
    onnx.save(model, path)
    with pytest.raises(MXNetError, match=f"has opset {opset}, expected 13 to 21"):
        import_model(path)
    model.opset_import[0].version = 17
    model.graph.node[0].domain = "com.example"
    onnx.save(model, path)
    with pytest.raises(MXNetError, match=r"domain 'com\.example'"):
        import_model(path)


def test_damaged_files_are_errors(data, tmp_path):
    start, path = str(data / "mxnet" / "lenet"), tmp_path / "m"
    shape = np.load(start + "-input.npy").shape
    export_model(start + "-symbol.json", start + "-0000.params", [shape], None, path)
    content = path.read_bytes()
    for size in [0, 1, 5, 20, 100, 1000, len(content) // 2, len(content) - 3]:
        path.write_bytes(content[:size])
        with pytest.raises(MXNetError):
            import_model(path)
    # The graph without its weights: short, so that damage hits its structure.
    x = sym.reshape(sym.Pooling(sym.var("data"), kernel=(2, 2)) * 2, shape=(0, -1))
    export_model(x, {}, [(1, 2, 4, 4)], None, path)
    content, rng = bytearray(path.read_bytes()), np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), int(rng.integers(1, 4))):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        try:  # what can be read still computes or says why not
            symbol, params, _ = import_model(path)
            symbol.eval(data=nd.ones((1, 2, 4, 4)), **params)
        except (MXNetError, TypeError):
            pass
    with pytest.raises(MXNetError, match="2 GiB"), open(path, "wb") as file:
        file.truncate(2**31)  # sparse
        file.flush()
        import_model(path)


def test_sizes_that_lie(tmp_path):
    nodes = [node("Add", ["x", "c"], ["y"])]
    path = model_of(nodes, {"x": (2,)}, ["y"], {"c": normal(2)}, path=tmp_path / "m")
    model = onnx.load(path)
    model.graph.initializer[0].dims[0] = 2**40
    onnx.save(model, path)
    with pytest.raises(MXNetError):
        import_model(path)
    # A few bytes that ask for a terabyte are no work until they are run.
    nodes = [node("ConstantOfShape", ["s"], ["z"]), node("Gather", ["z", "i"], ["y"])]
    nodes += [node("Add", ["x", "y"], ["w"])]
    constants = {"s": ints(2**38), "i": ints(1)}
    path = model_of(nodes, {"x": (1,)}, ["w"], constants, path=tmp_path / "m")
    import_model(path)


def external(path, location, offset=0, length=8):
    nodes = [node("Add", ["x", "c"], ["y"])]
    model_of(nodes, {"x": (2,)}, ["y"], {"c": normal(2)}, path=path)
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    path.write_bytes(model.SerializeToString())
    return path


def test_external_data(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    values = np.array([9, 1.5, 2.5], dtype=np.float32)
    for place in (tmp_path, folder):
        (place / "weights.bin").write_bytes(values.tobytes())
    (folder / "link.bin").symlink_to(tmp_path / "weights.bin")
    path = folder / "m.onnx"
    symbol, params, _ = import_model(external(path, "weights.bin", 4))
    assert symbol.eval(x=nd.zeros(2), **params)[0].tolist() == [1.5, 2.5]
    for location in ("../weights.bin", str(tmp_path / "weights.bin"), "", "link.bin", "a/../../x"):
        with pytest.raises(MXNetError, match="folder"):
            import_model(external(path, location))
    for offset, length in ((8, 8), (-1, 8), (0, 4), (0, 2**40), ("x", 8)):
        with pytest.raises(MXNetError, match="external data of 'c'"):
            import_model(external(path, "weights.bin", offset, length))
    with pytest.raises(MXNetError, match="no file"):
        import_model(external(path, "missing.bin"))


def test_batch_norm_of_a_block(tmp_path):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.BatchNorm(axis=-1, scale=False))
    net.initialize()
    x = nd.array(normal(2, 3, 6, 5))
    with autograd.record():  # moving statistics of their own
        net(x)
    expected = net(x).asnumpy()
    export_model(net, inputs=x, onnx_file_path=tmp_path / "m")
    same(run(tmp_path / "m", {"data": x.asnumpy()}), [expected])
    symbol, params, states = import_model(tmp_path / "m")
    assert len(states) == 4 and not set(states) & set(params)
    same(back(tmp_path / "m", {"data": x.asnumpy()}), [expected])
    trained = import_to_gluon(tmp_path / "m")
    with autograd.record():
        trained(x)
    assert not np.array_equal(trained(x).asnumpy(), expected)
    with pytest.raises(MXNetError, match=r"auxiliary state .* has no value"):
        export_model(symbol, params, [(2, 3, 6, 5)], "float32", tmp_path / "n")
