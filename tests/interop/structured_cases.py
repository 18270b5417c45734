"""Uses of the structured operators (recurrent, sequences, losses, detection, grids), run by genuine
MXNet and here with the same code; see record_structured.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """One use of an operator: ``contrib.box_nms`` is ``nd.contrib.box_nms``."""

    op: str
    inputs: list[np.ndarray]
    attrs: dict[str, Any]
    gradients: tuple[int, ...] = ()  # inputs that have one
    tolerance: float = 1e-5


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> np.ndarray:
    return np.random.RandomState(seed + sum(shape)).normal(size=shape).astype(dtype)


def uniform(*shape: int, low: float = 0.1, high: float = 1.0, seed: int = 0) -> np.ndarray:
    drawn = np.random.RandomState(seed + sum(shape)).uniform(low, high, size=shape)
    return drawn.astype(np.float32)


def values(*numbers: Any, dtype: str = "float32") -> np.ndarray:
    return np.array(numbers, dtype=dtype)


def compute(mx: Any, case: Case) -> dict[str, np.ndarray]:
    """Outputs, and gradients of a weighted sum of them."""
    function: Any = mx.nd
    for part in case.op.split("."):
        function = getattr(function, part)
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in case.inputs]
    if not case.gradients:
        return _named(function(*inputs, **case.attrs))
    for i in case.gradients:
        inputs[i].attach_grad()
    with mx.autograd.record():
        outputs = function(*inputs, **case.attrs)
        made = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * mx.nd.array(_weights(out), dtype=out.dtype)).sum() for out in made)
    total.backward()
    return {**_named(outputs), **{f"grad{i}": inputs[i].grad.asnumpy() for i in case.gradients}}


def _named(outputs: Any) -> dict[str, np.ndarray]:
    made = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return {f"out{i}": out.asnumpy() for i, out in enumerate(made)}


def _weights(out: Any) -> np.ndarray:
    return uniform(*out.shape, seed=7).astype(out.dtype)


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

# Regions and boxes --------------------------------------------------------------------------------
_MAP = normal(2, 3, 6, 5)
_ROIS = values(
    [0, 0, 0, 4, 4], [1, 1, 2, 3, 5], [0, 2.4, 1.6, 9, 9], [1, 3, 3, 3, 3], [1, 4, 4, 1, 1]
)
_ROI = {"pooled_size": (2, 3), "spatial_scale": 1.0}


def align(name: str, *inputs: np.ndarray, **attrs: Any) -> dict[str, Case]:
    return {f"align_{name}": Case("contrib.ROIAlign", list(inputs), {**_ROI, **attrs}, (0,))}


REGIONS = {
    "roi": Case("ROIPooling", [_MAP, _ROIS], _ROI, (0,)),
    "roi_scale": Case(
        "ROIPooling", [_MAP, _ROIS * values(1, 4, 4, 4, 4)],
        {"pooled_size": (3, 3), "spatial_scale": 0.25}, (0,),
    ),
    "roi_one": Case(
        "ROIPooling", [_MAP, _ROIS], {"pooled_size": (1, 1), "spatial_scale": 0.7}, (0,),
    ),
    "roi_fine": Case(
        "ROIPooling", [_MAP, _ROIS], {"pooled_size": (7, 7), "spatial_scale": 1.0}, (0,),
    ),
    "roi_beside": Case(
        "ROIPooling", [_MAP, values([0, 20, 20, 30, 30], [1, -9, -9, -5, 2])], _ROI, (0,),
    ),
    **align("plain", _MAP, _ROIS),
    **align("ratio", _MAP, _ROIS, sample_ratio=2),
    **align("aligned", _MAP, _ROIS[:3], aligned=True),
    **align("aligned_ratio", _MAP, _ROIS[:3], aligned=True, sample_ratio=3, spatial_scale=0.5),
    **align("ignored", _MAP, values([-1, 0, 0, 4, 4], [1, -2, -2, 3, 9])),
    **align("sensitive", normal(2, 12, 4, 4), _ROIS, position_sensitive=True),
}  # fmt: skip

_A = uniform(5, 2, 2, low=0, high=0.5)
_BOXES = np.concatenate([_A[:, 0], _A[:, 0] + _A[:, 1]], axis=1)
_OTHER = np.concatenate([_A[::-1, 0] + 0.03, _A[::-1, 0] + _A[:, 1]], axis=1)[:3]
_SCORED = np.concatenate(
    [values(0, 1, 0, 1, 0)[:, None], values(0.5, 0.9, 0.3, 0.05, 0.9)[:, None],
     np.tile(_BOXES[:1], (5, 1)) + values(0, 0.02, 0.3, 0.05, 0.01)[:, None]], axis=1,
).astype("float32")  # fmt: skip


def nms(name: str, *boxes: np.ndarray, **attrs: Any) -> dict[str, Case]:
    given = list(boxes) or [_SCORED]
    return {f"nms_{name}": Case("contrib.box_nms", given, attrs, (0,))}


BOXES = {
    "iou": Case("contrib.box_iou", [_BOXES, _OTHER], {}),
    "iou_center": Case("contrib.box_iou", [_BOXES, _OTHER], {"format": "center"}),
    "iou_batches": Case("contrib.box_iou", [_BOXES.reshape(5, 1, 4), _OTHER], {}),
    "iou_apart": Case(
        "contrib.box_iou", [values([0, 0, 1, 1], [2, 2, 1, 1]), values([2, 2, 3, 3])], {},
    ),
    "iou_one": Case(
        "contrib.box_iou", [values([0, 0, 1, 1], [1, 1, 1, 1]), values([0, 0, 1, 1])], {},
    ),
    **nms("plain", overlap_thresh=0.5),
    **nms("classes", overlap_thresh=0.5, id_index=0),
    **nms("force", overlap_thresh=0.5, id_index=0, force_suppress=True),
    **nms("valid", overlap_thresh=0.9, valid_thresh=0.4),
    **nms("topk", overlap_thresh=0.9, topk=2),
    **nms("background", overlap_thresh=0.9, id_index=0, background_id=0),
    **nms("formats", overlap_thresh=0.6, in_format="center", out_format="corner"),
    **nms("to_center", overlap_thresh=0.6, out_format="center"),
    **nms("places", _SCORED[:, [1, 2, 3, 4, 5, 0]].copy(), overlap_thresh=0.4, coord_start=1,
          score_index=0, id_index=5),
    **nms("batch", np.stack([_SCORED, _SCORED[::-1]]), overlap_thresh=0.3),
    **nms("none", _SCORED, valid_thresh=2.0),
    "encode": Case(
        "contrib.box_encode",
        [values([1, -1, 0, 1, 1]), values([0, 1, 2, 2, 1]), _BOXES[None], _OTHER[None],
         values(0.1, 0.2, 0.0, -0.1), values(0.1, 0.1, 0.2, 0.3)], {},
    ),
    "decode": Case("contrib.box_decode", [normal(2, 5, 4) * 0.3, _BOXES[None]], {}),
    "decode_corner": Case(
        "contrib.box_decode", [normal(2, 5, 4), _BOXES[None]],
        {"std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 0.4, "clip": 0.1, "format": "corner"},
    ),
    "matching": Case("contrib.bipartite_matching", [uniform(2, 4, 3)], {"threshold": 0.3}),
    "matching_ascend": Case(
        "contrib.bipartite_matching", [uniform(4, 5)], {"threshold": 0.6, "is_ascend": True}
    ),
}  # fmt: skip

# Detectors ----------------------------------------------------------------------------------------
_ANCHORS = values([[0.1, 0.1, 0.3, 0.3], [0.2, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.9],
                   [0.0, 0.0, 0.2, 0.2], [0.55, 0.5, 0.95, 0.9]])  # fmt: skip
_TRUTH = values([[1, 0.12, 0.1, 0.3, 0.33], [0, 0.5, 0.52, 0.92, 0.9]],
                [[2, 0.2, 0.2, 0.5, 0.6], [-1, -1, -1, -1, -1]],
                [[-1, -1, -1, -1, -1], [-1, -1, -1, -1, -1]])  # fmt: skip


def prior(name: str, shape: tuple[int, ...], **attrs: Any) -> dict[str, Case]:
    return {f"prior_{name}": Case("contrib.MultiBoxPrior", [normal(*shape)], attrs)}


def target(name: str, **attrs: Any) -> dict[str, Case]:
    return {
        f"target_{name}": Case("contrib.MultiBoxTarget", [_ANCHORS, _TRUTH, normal(3, 4, 5)], attrs)
    }


def detection(name: str, **attrs: Any) -> dict[str, Case]:
    scores = np.exp(2 * normal(2, 3, 5))
    scores /= scores.sum(axis=1, keepdims=True)
    given = [scores, 0.2 * normal(2, 20), _ANCHORS]
    return {f"detection_{name}": Case("contrib.MultiBoxDetection", given, attrs)}


DETECTORS = {
    **prior("plain", (1, 3, 2, 3)),
    **prior("many", (1, 3, 3, 2), sizes=(0.75, 0.5, 0.25), ratios=(1, 2, 0.5)),
    **prior("clip", (2, 1, 2, 2), sizes=(0.9, 0.3), ratios=(2.0, 1.0), clip=True),
    **prior("steps", (1, 1, 2, 3), sizes=(0.4,), steps=(0.3, 0.2), offsets=(0.1, 0.7)),
    **target("plain"),
    **target("threshold", overlap_threshold=0.2, variances=(0.2, 0.1, 0.3, 0.4)),
    **target("no_threshold", overlap_threshold=0.0),
    **target("mining", negative_mining_ratio=1.0, negative_mining_thresh=0.5),
    **target("mining_more", negative_mining_ratio=3.0, ignore_label=7.0),
    **target("mining_close", negative_mining_ratio=0.5, negative_mining_thresh=0.2),
    **detection("plain"),
    **detection("threshold", threshold=0.5),
    **detection("force", force_suppress=True, nms_threshold=0.2),
    **detection("no_clip", clip=False, variances=(0.3, 0.3, 0.4, 0.4)),
    **detection("topk", nms_topk=2, nms_threshold=0.9),
    **detection("no_nms", nms_threshold=0.0),
}  # fmt: skip

# Grids --------------------------------------------------------------------------------------------
_AFFINE = values([1, 0.1, 0.2, -0.1, 0.9, 0], [0.5, 0, 0.1, 0, -0.7, 0.3])
_IMAGES = normal(2, 3, 4, 5)


def correlation(name: str, **attrs: Any) -> dict[str, Case]:
    pair = [normal(2, 3, 7, 6), normal(2, 3, 7, 6, seed=5)]
    return {f"correlation_{name}": Case("Correlation", pair, attrs, (0, 1))}


GRIDS = {
    "grid_affine": Case(
        "GridGenerator", [_AFFINE], {"transform_type": "affine", "target_shape": (3, 4)}, (0,)
    ),
    "grid_warp": Case("GridGenerator", [normal(2, 2, 3, 4)], {"transform_type": "warp"}, (0,)),
    "sampler": Case(
        "BilinearSampler", [_IMAGES, uniform(2, 2, 3, 2, low=-1.3, high=1.3)], {}, (0, 1)
    ),
    "transformer": Case(
        "SpatialTransformer", [_IMAGES, _AFFINE],
        {"target_shape": (4, 3), "transform_type": "affine", "sampler_type": "bilinear"}, (0, 1),
    ),
    **correlation("plain"),
    **correlation("kernel", kernel_size=3, max_displacement=2, pad_size=2),
    **correlation("strides", stride1=2, stride2=2, max_displacement=2, pad_size=3),
    **correlation("absolute", is_multiply=False, max_displacement=1, pad_size=1),
    **correlation("still", max_displacement=0),
}  # fmt: skip

GROUPS = {
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
