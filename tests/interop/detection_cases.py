"""Uses of the operators of detectors and of sampling grids; see record_structured.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from structured_runs import Case, normal, uniform, values

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
    "psroi": Case(
        "contrib.PSROIPooling",
        [normal(2, 12, 6, 5), _ROIS],
        {"spatial_scale": 0.8, "output_dim": 3, "pooled_size": 2},
        (0,),
    ),
    "psroi_groups": Case(
        "contrib.PSROIPooling",
        [normal(2, 8, 6, 5), _ROIS],
        {"spatial_scale": 1.0, "output_dim": 2, "pooled_size": 3, "group_size": 2},
        (0,),
    ),
    "rotated": Case(
        "contrib.RROIAlign",
        [_MAP, values([0, 2, 2, 3, 4, 20], [1, 3, 1, 2, 2, -75], [1, 0, 5, 9, 2, 180])],
        {"spatial_scale": 0.9, "pooled_size": (2, 3)},
    ),
    "rotated_ratio": Case(
        "contrib.RROIAlign",
        [_MAP, values([0, 2, 2, 3, 4, 20], [1, 3, 1, 2, 2, -75])],
        {"spatial_scale": 1.0, "pooled_size": (2, 2), "sampling_ratio": 2},
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
