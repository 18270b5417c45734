"""Uses of the structured operators (recurrent, sequences, losses, detection, grids), run by genuine
MXNet and here with the same code; see record_structured.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from detection_cases import BOXES, DETECTORS, GRIDS, REGIONS
from structured_runs import Case, normal, uniform, values

# Recurrent ----------------------------------------------------------------------------------------
_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def rnn(mode: str, steps: int = 3, batch: int = 2, size: int = 4, hidden: int = 5, layers: int = 1,
        bidirectional: bool = False, dtype: str = "float64", projection: int = 0,
        gradient: bool = True, **attrs: Any) -> Case:  # fmt: skip
    """A use of RNN with parameters of the right length.

    In float64: without oneDNN MXNet's RNN of float32 fails, and with it gradients are not to trust.
    """
    ways, gates, out = 1 + bidirectional, _GATES[mode], projection or hidden
    count = 0
    for layer in range(layers):
        width = size if layer == 0 else ways * out
        count += ways * (gates * hidden * (width + out + 2) + projection * hidden)
    inputs = [normal(steps, batch, size, dtype=dtype), normal(count, dtype=dtype) * 0.4,
              normal(layers * ways, batch, out, seed=3, dtype=dtype)]  # fmt: skip
    if mode == "lstm":
        inputs.append(normal(layers * ways, batch, hidden, seed=4, dtype=dtype))
    attrs = {"mode": mode, "state_size": hidden, "num_layers": layers, **attrs}
    if bidirectional:
        attrs["bidirectional"] = True
    if projection:
        attrs["projection_size"] = projection
    inputs = [a.astype(dtype) for a in inputs]
    return Case("RNN", inputs, attrs, tuple(range(len(inputs))) if gradient else ())


RECURRENT = {
    **{f"rnn_{mode}": rnn(mode, state_outputs=True) for mode in _GATES},
    **{
        f"rnn_{mode}_two_layers_both_ways": rnn(mode, 4, 3, 2, 3, 2, True, state_outputs=True)
        for mode in _GATES
    },
    **{f"rnn_{mode}_one_step": rnn(mode, 1, 1, 3, 1) for mode in _GATES},
    # MXNet's gradients of the middle layer's h2h weights are wrong without gates.
    **{
        f"rnn_{mode}_three_layers": rnn(mode, 2, 5, 3, 2, 3, gradient=mode in ("lstm", "gru"))
        for mode in _GATES
    },
    "rnn_lstm_p_is_0": rnn("lstm", layers=2, p=0.0),
    "rnn_lstm_projection": rnn(
        "lstm", 3, 2, 4, 5, 2, projection=3, gradient=False, state_outputs=True
    ),
}

# Sequences ----------------------------------------------------------------------------------------
_X = normal(4, 3, 2)
_LENGTHS = values(1, 4, 2)
_TRUE = {"use_sequence_length": True}
SEQUENCES = {
    "last": Case("SequenceLast", [_X], {}),
    "last_lengths": Case("SequenceLast", [_X, _LENGTHS], _TRUE, (0,)),
    "last_axis": Case("SequenceLast", [normal(3, 4), _LENGTHS], {**_TRUE, "axis": 1}, (0,)),
    "last_int32": Case("SequenceLast", [_X.astype("int32"), _LENGTHS.astype("int32")], _TRUE),
    "mask": Case("SequenceMask", [_X], {"value": 3.0}, (0,)),
    "mask_lengths": Case("SequenceMask", [_X, _LENGTHS], {**_TRUE, "value": -1.5}, (0,)),
    "mask_axis": Case("SequenceMask", [normal(3, 4, 1), _LENGTHS], {**_TRUE, "axis": 1}, (0,)),
    "mask_zero_length": Case("SequenceMask", [_X, values(0, 4, 3)], _TRUE, (0,)),
    "mask_int8": Case("SequenceMask", [_X.astype("int8"), _LENGTHS.astype("int64")], _TRUE),
    "mask_float64": Case("SequenceMask", [_X.astype("float64"), _LENGTHS.astype("float64")],
                         {**_TRUE, "value": 0.1}, (0,)),
    "reverse": Case("SequenceReverse", [_X], {}, (0,)),
    "reverse_lengths": Case("SequenceReverse", [_X, _LENGTHS], _TRUE, (0,)),
    "reverse_one": Case("SequenceReverse", [normal(1, 3), values(1, 1, 1)], _TRUE, (0,)),
    "reverse_int32": Case("SequenceReverse", [_X.astype("int32"), _LENGTHS], _TRUE),
}  # fmt: skip

# Softmax and its kin ------------------------------------------------------------------------------
_S = normal(2, 3, 4)


def softmaxes(op: str) -> dict[str, Case]:
    return {
        f"{op}": Case(op, [_S], {}, (0,)),
        f"{op}_axis": Case(op, [_S], {"axis": 1}, (0,)),
        f"{op}_temperature": Case(op, [_S], {"temperature": 2.5, "axis": 0}, (0,)),
        f"{op}_dtype": Case(op, [_S], {"dtype": "float64"}, (0,), 1e-6),
        f"{op}_to_float32": Case(op, [_S.astype("float64")], {"dtype": "float32"}, (0,)),
        f"{op}_one": Case(op, [normal(3, 1)], {"axis": -1}, (0,)),
        f"{op}_cold": Case(op, [_S], {"temperature": -0.5}, (0,)),
    }


SOFTMAX = {
    **softmaxes("softmax"),
    **softmaxes("log_softmax"),
    **softmaxes("softmin"),
    "softmax_length": Case(
        "softmax", [_S, values([1, 4, 2], [4, 3, 4], dtype="int32")], {"use_length": True}, (0,)
    ),
    "softmax_length_axis": Case(
        "softmax", [_S, values([1, 3, 2, 0], [3, 2, 1, 2], dtype="int64")],
        {"use_length": True, "axis": 1, "temperature": 2.0}, (0,),
    ),
    "activation": Case("SoftmaxActivation", [normal(3, 4)], {}, (0,)),
    "activation_three": Case("SoftmaxActivation", [_S], {}),  # MXNet's gradient is wrong here
    "activation_channel": Case(
        "SoftmaxActivation", [normal(2, 3, 2, 2)], {"mode": "channel"}, (0,)
    ),
    "svm": Case("SVMOutput", [normal(4, 3), values(0, 2, 1, 1)], {}, (0,)),
    "svm_linear": Case(
        "SVMOutput", [normal(4, 3), values(0, 2, 1, 1)],
        {"use_linear": True, "margin": 0.7, "regularization_coefficient": 2.0}, (0,),
    ),
    "svm_squared": Case(
        "SVMOutput", [normal(4, 3), values(0, 2, 1, 1)],
        {"margin": 0.3, "regularization_coefficient": 0.5}, (0,),
    ),
    "moments": Case("moments", [_S], {"axes": (0,)}, (0,)),
    "moments_two": Case("moments", [_S], {"axes": (0, -1), "keepdims": True}, (0,)),
    "moments_all": Case("moments", [_S], {"axes": (0, 1, 2)}, (0,)),
    "moments_float64": Case("moments", [_S.astype("float64")], {"axes": (1, 2)}, (0,)),
    "moments_one": Case("moments", [normal(3, 1)], {"axes": (1,)}, (0,)),
}  # fmt: skip

_LABEL = values(0, 2, 1, 2)
_MULTI = [normal(2, 3, 4), values([0, 1, 2, 1], [2, 2, 0, 1])]


def output(name: str, inputs: list[np.ndarray], **attrs: Any) -> dict[str, Case]:
    return {f"output_{name}": Case("SoftmaxOutput", inputs, attrs, (0,))}


SOFTMAX_OUTPUT = {
    **output("plain", [normal(4, 3), _LABEL]),
    **output("scale", [normal(4, 3), _LABEL], grad_scale=2.5),
    **output("ignore", [normal(4, 3), _LABEL], use_ignore=True, ignore_label=2),
    **output("ignore_valid", [normal(4, 3), _LABEL], use_ignore=True, ignore_label=2,
             normalization="valid"),
    **output("valid", [normal(4, 3), _LABEL], normalization="valid", grad_scale=3.0),
    **output("batch", [normal(4, 3), _LABEL], normalization="batch"),
    **output("smooth", [normal(4, 3), _LABEL], smooth_alpha=0.1),
    **output("smooth_ignore", [normal(4, 3), _LABEL], smooth_alpha=0.2, use_ignore=True,
             ignore_label=0),
    **output("soft", [normal(4, 3), uniform(4, 3)], grad_scale=0.5),
    **output("float64", [normal(4, 3).astype("float64"), _LABEL.astype("float64")]),
    **output("multi", _MULTI, multi_output=True),
    **output("multi_flat", [normal(2, 3, 2, 2), values([0, 1, 2, 1], [2, 2, 0, 1])],
             multi_output=True),
    **output("multi_ignore", _MULTI, multi_output=True, use_ignore=True, ignore_label=1),
    **output("multi_valid", _MULTI, multi_output=True, use_ignore=True, ignore_label=1,
             normalization="valid"),
    **output("multi_batch", _MULTI, multi_output=True, normalization="batch"),
    **output("preserve", [normal(2, 3, 4), values([0, 1, 3], [3, 2, 0])], preserve_shape=True),
    **output("preserve_ignore", [normal(2, 3, 4), values([0, 1, 3], [3, 2, 0])],
             preserve_shape=True, use_ignore=True, ignore_label=3, normalization="valid"),
}  # fmt: skip


def ctc(name: str, label: list[list[int]], *lengths: list[int], dtype: str = "float32",
        shape: tuple[int, ...] = (5, 2, 4), **attrs: Any) -> dict[str, Case]:  # fmt: skip
    inputs = [normal(*shape).astype(dtype), values(*label, dtype=dtype)]
    inputs += [values(*n, dtype=dtype) for n in lengths]
    return {f"ctc_{name}": Case("CTCLoss", inputs, attrs, (0,), 2e-5)}


CTC = {
    **ctc("plain", [[1, 2, 3], [3, 3, 1]]),
    **ctc("padded", [[1, 0, 0], [2, 2, 0]]),
    **ctc("empty", [[0, 0, 0], [2, 0, 0]]),
    **ctc("last", [[0, 1, 2], [1, 1, -1]], blank_label="last"),
    **ctc("last_empty", [[-1, -1], [2, -1]], blank_label="last"),
    **ctc("data_lengths", [[1, 2, 3], [3, 3, 1]], [3, 5], use_data_lengths=True),
    **ctc("label_lengths", [[1, 2, 3], [3, 3, 1]], [2, 1], use_label_lengths=True),
    **ctc("both_lengths", [[0, 1, 2], [2, 2, 1]], [4, 5], [3, 2], use_data_lengths=True,
          use_label_lengths=True, blank_label="last"),
    **ctc("too_long", [[1, 1, 1, 1], [2, 3, 2, 3]]),
    **ctc("one_step", [[1], [2]], shape=(1, 2, 3)),
}  # fmt: skip


# Point processes ----------------------------------------------------------------------------------
HAWKES = {
    name: Case(
        "contrib.hawkesll",
        [uniform(2, 3), uniform(3), uniform(3, seed=2), uniform(2, 3, seed=3), uniform(2, 4),
         values([0, 2, 0, 1], [1, 1, 0, 0], dtype="int32"), values(*lengths), values(4.0, 3.5)],
        {},
        (0, 1),  # of what flows into the states MXNet gives beta nothing
    )
    for name, lengths in (("hawkes", (4, 2)), ("hawkes_empty", (0, 1)))
}  # fmt: skip

GROUPS = {
    "hawkes": HAWKES,
    "recurrent": RECURRENT,
    "sequences": SEQUENCES,
    "softmax": SOFTMAX,
    "softmax_output": SOFTMAX_OUTPUT,
    "ctc": CTC,
    "regions": REGIONS,
    "boxes": BOXES,
    "detectors": DETECTORS,
    "grids": GRIDS,
}
