"""Private layers and helpers of MXNet's that others derive from; values as 1.9.1 gives them."""

import numpy as np
import pytest

from jupyter_hybrid import nd, sym
from jupyter_hybrid.compat.mxnet import layer_privates as privates
from jupyter_hybrid.compat.mxnet.privates import private
from jupyter_hybrid.gluon import rnn

X = nd.arange(24).reshape((2, 3, 4))


def test_they_are_found_where_mxnet_has_them():
    for (module, name), value in privates.NAMES.items():
        assert private(module, name) is value


@pytest.mark.parametrize(
    ("layout", "merge", "in_layout", "shapes", "axis", "batch"),
    [
        ("NTC", None, None, (2, 3, 4), 1, 2),
        ("NTC", True, "TNC", (3, 2, 4), 1, 3),  # MXNet takes 2 for the batch's size here
        ("NTC", False, None, [(2, 4)] * 3, 1, 2),
        ("TNC", False, None, [(3, 4)] * 2, 0, 3),
    ],
)
def test_sequences_of_arrays(layout, merge, in_layout, shapes, axis, batch):
    values, *rest = privates.format_sequence(None, X, layout, merge, in_layout)
    assert rest == [axis, nd, batch]
    assert (
        [v.shape for v in values] == shapes if isinstance(shapes, list) else values.shape == shapes
    )


def test_sequences_in_lists_and_of_symbols():
    merged, axis, F, batch = privates.format_sequence(2, [X[0], X[1]], "NTC", True)
    assert merged.shape == (3, 2, 4) and (axis, F, batch) == (1, nd, 3)
    steps, axis, F, batch = privates.format_sequence(2, sym.var("x"), "TNC", False)
    assert len(steps) == 2 and (axis, F, batch) == (0, sym, 0)


def test_states_of_several_cells():
    cells = [rnn.LSTMCell(3), rnn.GRUCell(4)]
    shapes = [(2, 3), (2, 3), (2, 4)]
    assert [info["shape"] for info in privates.cells_state_info(cells, 2)] == shapes
    assert [s.shape for s in privates.cells_begin_state(cells, batch_size=2)] == shapes
    assert [s.shape for s in privates.begin_state(cells[0], nd, None, [X], 2)] == shapes[:2]
    assert privates.begin_state(cells[1], nd, X, X, 2) is X
    assert len(privates.begin_state(cells[0], sym, None, sym.var("x"), 0)) == 2


def test_steps_from_last_to_first():
    x = X.asnumpy()
    turned = privates.reverse_sequences([X[0], X[1]], 2, nd.array([1, 2, 1]))
    np.testing.assert_array_equal(turned[0].asnumpy(), [x[0, 0], x[1, 1], x[0, 2]])
    np.testing.assert_array_equal(turned[1].asnumpy(), [x[1, 0], x[0, 1], x[1, 2]])


def test_text_is_indented_but_for_its_first_line():
    assert privates.indent("a\nb\nc", 2) == "a\n  b\n  c"


def test_shapes_of_a_layers_arguments():
    found = privates.infer_weight_shape(
        "Convolution", (1, 3, 5, 5), {"kernel": (2, 2), "num_filter": 4}
    )
    assert found == [(1, 3, 5, 5), (4, 3, 2, 2), (4,)]


class Signs(privates.Conv):
    """As binary networks write theirs."""

    def hybrid_forward(self, F, x, weight, bias=None):
        given = [x, F.sign(weight)] + ([] if bias is None else [bias])
        return getattr(F, self._op_name)(*given, name="fwd", **self._kwargs)


@pytest.mark.parametrize(
    ("given", "options", "shape", "total"),
    [
        ((4, (3, 3), (1, 1), (1, 1), (1, 1), 1, "NCHW"), {}, (1, 2, 5, 5), 33124),
        ((4, (3,), 1, 1, 1, 2, "NCW"), {"in_channels": 2, "use_bias": False}, (1, 2, 5), 234),
        (
            (2, (2, 2), 2, 0, 1, 1, "NCHW"),
            {"op_name": "Deconvolution", "adj": (1, 1)},
            (1, 3, 4, 4),
            9024,
        ),
    ],
)
def test_a_layer_derived_from_the_convolution(given, options, shape, total):
    layer = Signs(*given, **options)
    layer.initialize("ones")
    x = nd.arange(int(np.prod(shape))).reshape(shape)
    plain = layer(x).asnumpy()
    layer.hybridize()
    np.testing.assert_array_equal(layer(x).asnumpy(), plain)
    assert plain.sum() == total
    assert layer._channels == given[0]


def test_a_layer_derived_from_the_pooling():
    class Mean(privates.Pool):
        def __init__(self):
            super().__init__((1, 1), None, 0, True, True, "avg", "NCHW")

    assert Mean()(nd.arange(8).reshape((1, 2, 2, 2))).asnumpy().tolist() == [[[[1.5]], [[5.5]]]]
