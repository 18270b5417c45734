"""Operators: imperative equals exact symbolic bit for bit, values agree with NumPy, bad input."""

from __future__ import annotations

import inspect

import numpy as np
import op_samples
import pytest
from op_samples import Places, Real, Whole, use

from jupyter_hybrid import MXNetError, _core, autograd, nd, sym

TESTS = [
    *("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"),
    *("logical_and", "logical_or", "logical_xor"),
]
TWO_BY_TWO = {"kernel": (2, 2), "num_filter": 2}
# Operators without a gradient, so not among the samples for gradients.
MORE = {
    **{
        f"{name}": [use(Real((3, 4)), Real((4,))), use(Whole((3,), 0, 3), Whole((3,), 0, 3))]
        for name in [
            "equal",
            "not_equal",
            "greater",
            "greater_equal",
            "lesser",
            "lesser_equal",
            "logical_and",
            "logical_or",
            "logical_xor",
        ]
    },
    **{
        f"{name}_scalar": [use(Real((3, 4)), scalar=0.5), use(Whole((5,), 0, 3), scalar=1)]
        for name in [
            "equal",
            "not_equal",
            "greater",
            "greater_equal",
            "lesser",
            "lesser_equal",
            "logical_and",
            "logical_or",
            "logical_xor",
        ]
    },
    **{
        name: [use(Whole((3, 4), 0, 9), Whole((4,), 0, 9))]
        for name in ("bit_and", "bit_or", "bit_xor")
    },
    **{
        f"{name}_scalar": [use(Whole((3, 4), 0, 9), scalar=5)]
        for name in ("bit_and", "bit_or", "bit_xor")
    },
    "invert": [use(Whole((4,), -3, 5))],
    **{
        name: [use(Whole((3, 4), -9, 9), Whole((4,), -1, 70))]
        for name in ("left_shift", "right_shift")
    },
    **{
        f"{name}_scalar": [use(Whole((3, 4), 0, 9), scalar=2)]
        for name in ("left_shift", "right_shift", "rleft_shift", "rright_shift")
    },
    **{
        name: [use(op_samples.From(lambda: np.array([1 + 2j, -0.5j, 3.0, complex(np.inf, -1)])))]
        for name in ("real", "imag", "angle")
    },
    "logical_not": [use(Whole((3, 4), -1, 2, "float64"))],
    "isnan": [use(op_samples.From(lambda: np.array([np.nan, 1.0, np.inf])))],
    "isinf": [use(op_samples.From(lambda: np.array([np.nan, 1.0, -np.inf])))],
    "isfinite": [use(op_samples.From(lambda: np.array([np.nan, 1.0, np.inf])))],
    "argmax": [
        use(Real((3, 4))),
        use(Real((3, 4)), axis=1),
        use(Real((3, 4)), axis=0, keepdims=True),
    ],
    "argmin": [use(Real((3, 4))), use(Real((3, 4)), axis=1)],
    "any": [use(Whole((3, 4), 0, 2, "bool")), use(Whole((3, 4), 0, 2, "bool"), axis=(1,))],
    "all": [use(Whole((3, 4), 0, 2, "bool")), use(Whole((3, 4), 0, 2, "bool"), axis=(0,))],
    "argsort": [use(Real((3, 5), distinct=True)), use(Real((3, 5), distinct=True), axis=0)],
    "one_hot": [use(Whole((2, 3), 0, 4), depth=4), use(Whole((3,), 0, 4), depth=4, on_value=2.0)],
    "shape_array": [use(Real((3, 4)))],
    "size_array": [use(Real((3, 4)))],
    "zeros": [use(shape=(2, 3)), use(shape=(), dtype="int64")],
    "ones": [use(shape=(2, 3))],
    "full": [use(shape=(2, 3), value=2.5)],
    "arange": [use(start=1, stop=7, step=2), use(stop=5)],
    "linspace": [use(start=0.0, stop=1.0, num=5)],
    "eye": [use(N=3, M=4, k=1)],
    "random_uniform": [use(shape=(3, 4), low=-1.0)],
    "random_normal": [use(shape=(3, 4), scale=2.0, dtype="float64")],
    "random_randint": [use(low=-3, high=9, shape=(5,))],
    "shuffle": [use(Real((5, 2)))],
    **{
        name: [use(shape=(3, 4), **attrs), use(dtype="float64", **attrs)]
        for name, attrs in {
            "random_exponential": {"lam": 2.0},
            "random_gamma": {"alpha": 0.5, "beta": 2.0},
            "random_poisson": {"lam": 40.0},
            "random_negative_binomial": {"k": 3, "p": 0.4},
            "random_generalized_negative_binomial": {"mu": 2.0, "alpha": 0.3},
        }.items()
    },
    **{
        f"random_{name}_like": [use(Real((2, 3)))]
        for name in (
            "uniform",
            "normal",
            "exponential",
            "gamma",
            "poisson",
            "negative_binomial",
            "generalized_negative_binomial",
        )
    },
    **{
        f"sample_{name}": [use(*[Real((3,), 0.5, 0.9)] * count, shape=(2,))]
        for name, count in {
            "exponential": 1,
            "gamma": 2,
            "poisson": 1,
            "negative_binomial": 2,
            "normal": 2,
            "generalized_negative_binomial": 2,
        }.items()
    },
    "sample_uniform": [use(Real((3,), 0.0, 1.0), Real((3,), 1.0, 2.0), dtype="float64")],
    "all_finite": [use(Real((3, 4))), use(op_samples.From(lambda: np.array([1.0, np.inf])))],
    "multi_all_finite": [use(Real((3, 4)), Real((2,)), num_arrays=2)],
    "multi_sum_sq": [use(Real((3, 4)), Real((2,)), num_arrays=2)],
    "allclose": [use(Real((3, 4)), Real((3, 4))), use(Real((2,)), Real((2,)), atol=9.0)],
    "fill_element_0index": [use(Real((3, 4)), Real((3,)), Whole((3,), 0, 4))],
    "histogram": [
        use(Real((3, 4)), bin_cnt=4, range="(-1.0, 2.0)", no_bins=True),
        use(Real((3, 4)), op_samples.From(lambda x: np.array([-2.0, 0, 0.5, 2]))),
    ],
    "index_array": [use(Real((2, 3))), use(Real((2, 3)), axes=(-1,))],
    "ravel_multi_index": [use(Whole((2, 3), 0, 3), shape=(3, 4))],
    "unravel_index": [use(Whole((2, 3), 0, 12), shape=(3, 4))],
    "fft": [
        use(op_samples.From(lambda: np.exp(1j * np.arange(10).reshape(2, 5))), n=5, axis=1),
        use(op_samples.From(lambda: np.exp(1j * np.arange(8.0))), n=6, inverse=True, scale=0.5),
    ],
    "rfft": [use(Real((2, 6)), n=6), use(Real((5, 2)), n=7, axis=0)],
    "irfft": [use(op_samples.From(lambda: np.exp(1j * np.arange(8.0))), n=14)],
    "interp": [use(Real((3, 4)), op_samples.From(lambda x: np.arange(3.0)), Real((3,)))],
    "exact_int": [use(Real((2, 3))), use(Real(()), limit=9), use(Real((2,)), divisor=True)],
    "searchsorted": [use(op_samples.From(lambda: np.arange(4.0)), Real((2, 3)), right=True)],
    "deformable_grad": [
        use(
            Real((1, 2, 2, 2)),
            Real((1, 3, 3, 3)),
            Real((1, 8, 2, 2)),
            Real((2, 3, 2, 2)),
            **TWO_BY_TWO,
        )
    ],
    "modulated_deformable_grad": [
        use(
            Real((1, 2, 2, 2)),
            Real((1, 3, 3, 3)),
            Real((1, 8, 2, 2)),
            Real((1, 4, 2, 2)),
            Real((2, 3, 2, 2)),
            **TWO_BY_TWO,
        )
    ],
    "moving_average": [use(Real((3,)), Real((3,)), momentum=0.7)],
    "linalg_eigh": [use(Real((2, 4, 4))), use(Real((3, 3)), lower=False)],
    "linalg_svd": [use(Real((2, 4, 3))), use(Real((3, 4)), full_matrices=False)],
    "linalg_qr": [use(Real((2, 4, 3))), use(Real((4, 3)), complete=True), use(Real((2, 5)))],
    "box_iou": [use(Real((3, 4)), Real((2, 4))), use(Real((2, 3, 4)), Real((4,)), format="center")],
    "box_encode": [
        use(
            Places(((1.0, 0.0, 1.0),)),
            Places(((0.0, 1.0, 1.0),)),
            Real((1, 3, 4), 0, 1),
            Real((1, 2, 4), 0, 1),
            Real((4,)),
            Real((4,), 0.1, 0.2),
        )
    ],
    "box_decode": [
        use(Real((2, 3, 4)), Real((1, 3, 4), 0, 1)),
        use(Real((1, 2, 4)), Real((1, 2, 4)), clip=0.1),
    ],
    "bipartite_matching": [
        use(Real((2, 3, 4)), threshold=0.1),
        use(Real((3, 4)), threshold=0.1, topk=1),
        use(Real((3, 2)), threshold=0.1, is_ascend=True),
    ],
    "MultiBoxPrior": [use(Real((1, 2, 3, 4)), sizes=(0.5, 0.2), ratios=(1, 2), clip=True)],
    "MultiBoxTarget": [
        use(
            Real((1, 5, 4), 0, 1),
            Places((((0.0, 0.1, 0.1, 0.4, 0.4), (1.0, 0.5, 0.2, 1.0, 0.9)),)),
            Real((1, 3, 5)),
            **rules,
        )
        for rules in (
            {},
            {"negative_mining_ratio": 2.0},
            {"negative_mining_ratio": 0.1, "minimum_negative_samples": 2},
        )
    ],
    "MultiBoxDetection": [
        use(Real((2, 3, 5), 0, 1), Real((2, 20)), Real((1, 5, 4), 0, 1), nms_topk=3)
    ],
}
SAMPLES = {**op_samples.SAMPLES, **MORE}
USES = [
    pytest.param(name, sample, id=f"{name}-{i}")
    for name, samples in SAMPLES.items()
    for i, sample in enumerate(samples)
]
TABLE = {op["name"]: op for op in _core.op_table()}
#: Operators that only other operators' gradients and the optimizers make.
INTERNAL = {
    *("softmax_output_grad", "svm_output_grad", "multi_lars"),
    *(name for name in TABLE if "_update" in name),
    *(
        "Custom",
        "rnn_grad",
        "ctc_loss_grad",
        "bilinear_sampler_grad",
        "image_random_color_jitter_grad",
        "image_random_hue_grad",
        "correlation_grad",
        "deformable_psroi_grad",
        "hawkesll_grad",
        "sync_batch_norm_grad",
    ),
}


def listed(result):
    return result if isinstance(result, list) else [result]


def same_bits(a, b):
    a, b = a.asnumpy(), b.asnumpy()
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def inputs_of(name, sample, dtype):
    """The sample's arrays; floats in `dtype`."""
    values = [np.asarray(v) for v in op_samples.draw(sample)]
    values = [v.astype(dtype) if v.dtype == np.float64 else v for v in values]
    return [_core.from_numpy(v) for v in values]


def record(name, sample, inputs, training, computed=False):
    """The operator as a graph of one node, and the keys it drew. With ``computed`` copies of the
    inputs, made in the graph, are what it reads."""
    _core.seed(3)
    training_before = _core.set_training(training)
    _core.begin_trace()
    try:
        if computed:
            inputs = [_core.invoke_core("identity", [a], {}) for a in inputs]
        outputs = listed(_core.invoke_core(name, inputs, sample.attrs))
    finally:
        _core.end_trace()
        _core.set_training(training_before)
    graph, graph_inputs, keys, *_ = _core.traced_graph(outputs)
    return graph, graph_inputs, keys


def test_every_operator_is_tested():
    assert sorted(set(TABLE) - set(SAMPLES) - INTERNAL) == []


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "sample"), USES)
def test_imperative_is_symbolic_bit_for_bit(name, sample, dtype):
    inputs = inputs_of(name, sample, dtype)
    _core.seed(3)
    with autograd.train_mode():
        expected = listed(_core.invoke_core(name, inputs, sample.attrs))
    graph, graph_inputs, keys = record(name, sample, inputs, training=True)
    for options in ({}, {"without": ["fuse", "fold", "simplify", "cse", "plan"]}):
        program = _core.compile(graph, training=True, **options).program
        found = program.run(graph_inputs, keys)
        assert len(found) == len(expected)
        for a, b in zip(expected, found):
            assert same_bits(a, b), (a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "sample"), USES)
def test_a_result_may_take_the_memory_of_what_it_is_made_of(name, sample, dtype):
    inputs = inputs_of(name, sample, dtype)
    _core.seed(3)
    with autograd.train_mode():
        expected = listed(_core.invoke_core(name, inputs, sample.attrs))
    graph, graph_inputs, keys = record(name, sample, inputs, training=True, computed=True)
    kept = ["fuse", "fold", "simplify", "cse"]  # out of it: the copies stay, and are planned
    found = _core.compile(graph, training=True, without=kept).program.run(graph_inputs, keys)
    assert len(found) == len(expected)
    for a, b in zip(expected, found):
        assert same_bits(a, b), (a, b)


@pytest.mark.parametrize(("name", "sample"), USES)
def test_gradients_are_bit_for_bit_the_same_in_both_modes(name, sample):
    if not TABLE[name]["has_gradient"]:
        return
    inputs = inputs_of(name, sample, "float32")
    table = TABLE[name]["inputs"]
    wanted = [
        i
        for i, a in enumerate(inputs)
        if a.dtype is np.float32 and table[0 if TABLE[name]["variadic"] else i]["differentiable"]
    ]
    for i in wanted:
        inputs[i].attach_grad()
    _core.seed(3)
    with autograd.record():
        outputs = listed(_core.invoke_core(name, inputs, sample.attrs))
    autograd.backward(outputs)
    expected = [inputs[i].grad for i in wanted]

    plain = [a.detach() for a in inputs]
    graph, graph_inputs, keys = record(name, sample, plain, training=True)
    places = {id(a): graph.inputs[i] for i, a in enumerate(graph_inputs)}
    with_gradient = _core.compile(
        graph,
        training=True,
        grad_of=graph.outputs,
        grad_wrt=[places[id(plain[i])] for i in wanted],
    )
    found = with_gradient.program.run(graph_inputs, keys)[len(outputs) :]
    for a, b in zip(expected, found):
        assert same_bits(a, b), (a, b)


@pytest.mark.parametrize("n", [1, 7, 1000, 100_003])
def test_a_fused_chain_is_the_unfused_one(n):
    rng = np.random.default_rng(n)
    x, y = (nd.array(rng.uniform(-2, 2, n)) for _ in range(2))

    def chain(a, b):
        c = a * b + 1
        d = (c.tanh() - b / 3).sigmoid()
        return (d * d + c.abs()).sqrt() * nd.exp(-b)

    expected = chain(x, y)
    _core.begin_trace()
    recorded = chain(x, y)
    _core.end_trace()
    graph, inputs, keys, *_ = _core.traced_graph([recorded])
    compiled = _core.compile(graph)
    assert compiled.program.graph.num_kernels == 1
    assert same_bits(compiled.program.run(inputs, keys)[0], expected)
    # The same through Symbols, twice from the cache, and unplanned stage by stage.
    a, b = sym.var("a"), sym.var("b")
    expression = chain_of_symbols(a, b)
    assert same_bits(expression.eval(a=x, b=y)[0], expected)
    for stage in compiled.stages:
        assert same_bits(stage.graph.run(inputs, keys)[0], expected), stage.name


def chain_of_symbols(a, b):
    c = a * b + 1
    d = (c.tanh() - b / 3).sigmoid()
    return (d * d + c.abs()).sqrt() * sym.exp(-b)


NUMPY = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "arctan": np.arctan,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "square": np.square,
    "abs": np.abs,
    "sign": np.sign,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "cbrt": np.cbrt,
}


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementwise_agrees_with_numpy(name, dtype):
    x = np.linspace(0.01, 9, 1001).astype(dtype)
    found = getattr(nd, name)(nd.array(x, dtype=dtype)).asnumpy()
    exact = NUMPY[name](x.astype(np.float64))
    # Within 4 units in the last place of the exactly rounded value.
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(dtype))) <= 4


def test_products_agree_with_numpy():
    rng = np.random.default_rng(0)
    for m, k, n in [(1, 1, 1), (3, 5, 7), (64, 65, 66), (1, 512, 256)]:
        a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
        found = nd.dot(nd.array(a, dtype="float64"), nd.array(b, dtype="float64")).asnumpy()
        np.testing.assert_allclose(found, a @ b, rtol=1e-12, atol=1e-12)


def test_reductions_agree_with_numpy():
    x = np.random.default_rng(0).standard_normal((4, 5, 6))
    a = nd.array(x, dtype="float64")
    for axis in (None, 0, 1, 2, -1, (0, 2)):
        for name in ("sum", "mean", "max", "min", "prod"):
            found = getattr(nd, name)(a, axis=axis).asnumpy()
            expected = np.asarray(getattr(x, name)(axis=axis))
            np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-12)
    assert nd.sum(a).shape == (1,)
    assert nd.sum(a, axis=1, keepdims=True).shape == (4, 1, 6)
    np.testing.assert_allclose(nd.norm(a).asscalar(), np.linalg.norm(x), rtol=1e-12)
    assert nd.argmax(a, axis=1).dtype is a.dtype  # MXNet: in the dtype of the data
    np.testing.assert_array_equal(nd.argmax(a, axis=1).asnumpy(), x.argmax(1))


def test_comparisons_answer_in_the_dtype_of_the_operands():
    a = nd.array([1, 2, 3])
    assert (a > 2).dtype is np.float32
    np.testing.assert_array_equal((a >= 2).asnumpy(), [0, 1, 1])
    assert (a.astype("int32") == 2).dtype is np.int32
    assert nd.broadcast_greater(a, a).dtype is np.float32


def test_integers_divide_to_integers():
    a = nd.array([7, -7, 5], dtype="int32")
    assert (a / 2).dtype is np.int32
    np.testing.assert_array_equal((a / 2).asnumpy(), [3, -3, 2])
    np.testing.assert_array_equal((a / nd.array([0, 2, 2], dtype="int32")).asnumpy(), [0, -3, 2])


def test_signatures_and_docstrings_come_from_the_table():
    signature = inspect.signature(nd.Convolution)
    assert list(signature.parameters)[:3] == ["data", "weight", "bias"]
    assert signature.parameters["no_bias"].default is False
    assert "num_filter" in nd.Convolution.__doc__
    assert "axis" in inspect.signature(nd.NDArray.sum).parameters
    assert "name" in inspect.signature(sym.Convolution).parameters
    assert nd.sum.__module__ == "jupyter_hybrid.nd"
    for face in (nd, sym):
        assert not [n for n in face.__all__ if not hasattr(face, n)]


def test_random_draws_are_a_function_of_the_seed():
    _core.seed(5)
    first = [nd.random.uniform(shape=(3,)), nd.random.normal(shape=(3,)), nd.shuffle(nd.arange(9))]
    _core.seed(5)
    again = [nd.random.uniform(shape=(3,)), nd.random.normal(shape=(3,)), nd.shuffle(nd.arange(9))]
    for a, b in zip(first, again):
        assert same_bits(a, b)
    assert not same_bits(nd.random.uniform(shape=(3,)), first[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nd.dot(nd.ones((2, 3)), nd.ones((4, 5))), ["dot", "3", "4"]),
        (lambda: nd.ones((2,)) + nd.ones((3,)), ["add", "(2,)", "(3,)"]),
        (
            lambda: nd.ones((2,)) + nd.ones((2,), dtype="int32"),
            ["add", "int32", "astype('float32')"],
        ),
        (
            lambda: nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 9)), num_hidden=4),
            ["FullyConnected"],
        ),
        (lambda: nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 3)), no_bias=True), ["num_hidden"]),
        (lambda: nd.sum(nd.ones((2, 3)), axis=5), ["sum", "5"]),
        (lambda: nd.sum(nd.ones((2, 3)), axes=1), ["sum", "axes", "axis"]),
        (lambda: nd.Activation(nd.ones(2), act_type="rely"), ["Activation", "rely", "relu"]),
        (lambda: nd.reshape(nd.ones((2, 3)), shape=(4, 2)), ["reshape", "(2, 3)", "4, 2"]),
        (lambda: nd.concat(nd.ones((2, 3)), nd.ones((3, 4)), dim=0), ["concat"]),
        (lambda: _core.invoke("Convolutoin", [], {}), ["Convolutoin", "Convolution"]),
        (lambda: _core.invoke_core("cnocat", [], {}), ["cnocat", "concat"]),
        (lambda: nd.zeros((1 << 40, 1 << 40)), ["zeros"]),
        (lambda: nd.zeros((1 << 45,)), ["bytes"]),
        (lambda: nd.zeros((2, -3)), ["zeros", "-3"]),
        (lambda: nd.zeros("shape"), ["zeros", "'shape'", "(3, 3)"]),
        (lambda: nd.softmax(nd.ones(3, dtype="int32")), ["softmax", "int32", "float32"]),
        (lambda: nd.Dropout(nd.ones(3), p=1.5, mode="always"), ["Dropout", "1.5"]),
    ],
)
def test_errors_say_what_was_given_and_expected(call, words):
    with pytest.raises(MXNetError) as error:
        call()
        nd.waitall()
    for word in words:
        assert word in str(error.value), str(error.value)


def test_wrong_python_types_are_type_errors():
    with pytest.raises(TypeError, match=r"dot: input 'rhs': expected an NDArray, got list"):
        nd.dot(nd.ones((2, 2)), [1, 2])
    with pytest.raises(TypeError):
        nd.ones((2, 2)) + "text"
    with pytest.raises(TypeError):
        nd.ones((2, 2)) + np.ones((2, 2))
    with pytest.raises(TypeError):
        np.ones((2, 2)) * nd.ones((2, 2))
