"""Boxes: priors, targets, overlaps, suppression."""

from __future__ import annotations

from case import Call, Family
from drawn import FLOATS, given, real

f = Family("boxes")
CASES = f.cases
PLAIN = Call(gradient=False)
ANCHORS = given(
    [[[0.1, 0.1, 0.4, 0.4], [0.3, 0.3, 0.7, 0.8], [0.5, 0.0, 1.0, 0.5], [0.0, 0.5, 0.5, 1.0]]]
)
LABELS = given(
    [
        [[0, 0.1, 0.1, 0.35, 0.45], [1, 0.35, 0.3, 0.75, 0.8]],
        [[2, 0.55, 0.0, 0.95, 0.45], [-1, -1, -1, -1, -1]],
    ]
)

for attrs in (
    {},
    {"sizes": (0.5, 0.25), "ratios": (1, 2, 0.5)},
    {"sizes": (0.5,), "clip": True, "offsets": (0.25, 0.75)},
    {"sizes": (0.4, 0.2), "steps": (0.25, 0.5)},
):
    f.add("contrib.MultiBoxPrior", real(1, 2, 3, 4), call=PLAIN, **attrs)
for attrs in (
    {},
    {"overlap_threshold": 0.3},
    {"negative_mining_ratio": 1.0, "negative_mining_thresh": 0.5},
    {"negative_mining_ratio": 1.0, "minimum_negative_samples": 2, "ignore_label": -2.0},
    {"variances": (0.2, 0.2, 0.1, 0.1)},
):
    f.add("contrib.MultiBoxTarget", ANCHORS, LABELS, real(2, 4, 4), call=PLAIN, **attrs)
PROBABILITIES = given([[[0.1, 0.2, 0.3, 0.9], [0.8, 0.1, 0.6, 0.05], [0.1, 0.7, 0.1, 0.05]]])
for attrs in (
    {},
    {"threshold": 0.65},
    {"nms_threshold": 0.1, "force_suppress": True},
    {"nms_topk": 1},
    {"clip": False, "variances": (0.2, 0.2, 0.1, 0.1)},
    {"background_id": 1},
):
    moves = real(1, 16, low=-0.5, high=0.5)
    f.add("contrib.MultiBoxDetection", PROBABILITIES, moves, ANCHORS, call=PLAIN, **attrs)

ROWS = given(
    [
        [0, 0.5, 0.1, 0.1, 0.2, 0.2],
        [1, 0.4, 0.1, 0.1, 0.2, 0.2],
        [0, 0.3, 0.1, 0.1, 0.14, 0.14],
        [2, 0.6, 0.5, 0.5, 0.7, 0.8],
        [2, 0.55, 0.5, 0.52, 0.7, 0.8],
    ]
)
for name in ("contrib.box_nms", "contrib.box_non_maximum_suppression"):
    for attrs in (
        {},
        {"id_index": 0},
        {"id_index": 0, "force_suppress": True, "overlap_thresh": 0.1},
        {"valid_thresh": 0.45},
        {"topk": 2},
        {"id_index": 0, "background_id": 0},
        {"in_format": "center", "out_format": "corner", "overlap_thresh": 0.3},
        {"in_format": "corner", "out_format": "center"},
    ):
        f.add(name, ROWS, coord_start=2, score_index=1, **attrs)
CORNERS = given([[0.1, 0.1, 0.4, 0.5], [0.2, 0.2, 0.6, 0.6], [0.7, 0.7, 0.9, 0.9]])
for form in ("corner", "center"):
    f.every(
        FLOATS,
        "contrib.box_iou",
        CORNERS,
        given([[0.1, 0.1, 0.4, 0.5], [0.0, 0.0, 1.0, 1.0]]),
        format=form,
        call=PLAIN,
    )
for attrs in (
    {},
    {"std0": 0.1, "std1": 0.1, "std2": 0.2, "std3": 0.2},
    {"clip": 0.5},
    {"format": "corner"},
):
    f.add(
        "contrib.box_decode",
        real(1, 3, 4, low=-1, high=1),
        given([[[0.1, 0.1, 0.4, 0.5], [0.2, 0.2, 0.6, 0.6], [0.7, 0.7, 0.9, 0.9]]]),
        call=PLAIN,
        **attrs,
    )
f.add(
    "contrib.box_encode",
    given([[1.0, 0.0, 1.0]]),
    given([[0.0, 1.0, 1.0]]),
    given([[[0.1, 0.1, 0.4, 0.5], [0.2, 0.2, 0.6, 0.6], [0.7, 0.7, 0.9, 0.9]]]),
    given([[[0.1, 0.1, 0.45, 0.5], [0.6, 0.7, 0.9, 0.9]]]),
    given([0.0, 0.0, 0.0, 0.0]),
    given([0.1, 0.1, 0.2, 0.2]),
    call=PLAIN,
)
SCORES = given([[0.5, 0.6, 0.2], [0.1, 0.2, 0.9], [0.3, 0.8, 0.4]])
f.add("contrib.bipartite_matching", SCORES, threshold=1e-12, call=PLAIN)
f.add("contrib.bipartite_matching", SCORES, threshold=0.45, topk=1, call=PLAIN)
f.add("contrib.bipartite_matching", SCORES, threshold=0.85, is_ascend=True, call=PLAIN)
PROPOSED = {
    "rpn_pre_nms_top_n": 12,
    "rpn_post_nms_top_n": 4,
    "rpn_min_size": 1,
    "scales": (2.0,),
    "ratios": (0.5, 1.0),
    "feature_stride": 4,
}
for name in ("contrib.Proposal", "contrib.MultiProposal"):
    f.add(
        name,
        real(1, 4, 2, 3, low=0, high=1),
        real(1, 8, 2, 3, low=-0.25, high=0.25),
        given([[8.0, 12.0, 1.0]]),
        call=PLAIN,
        **PROPOSED,
    )
    f.add(
        name,
        real(1, 4, 2, 3, low=0, high=1),
        real(1, 8, 2, 3, low=-0.25, high=0.25),
        given([[8.0, 12.0, 1.0]]),
        call=PLAIN,
        output_score=True,
        threshold=0.5,
        **PROPOSED,
    )
REGIONS = given([[0.0, 1.0, 0.0, 7.0, 6.0], [1.0, 2.0, 3.0, 5.0, 9.0], [0.0, 4.0, 4.0, 4.0, 4.0]])
SENSITIVE = {"spatial_scale": 0.5, "output_dim": 2, "group_size": 2, "pooled_size": 3}
for shape, attrs in (
    ((3, 2, 3, 3), {"trans_std": 0.1}),
    ((3, 4, 2, 2), {"trans_std": 0.2, "part_size": 2, "sample_per_part": 2}),
    ((3, 4, 3, 3), {"trans_std": 0.1, "sample_per_part": 4, "pooled_size": 3}),
):
    f.add(
        "contrib.DeformablePSROIPooling",
        real(2, 8, 5, 4),
        REGIONS,
        real(*shape),
        **{**SENSITIVE, **attrs},
    )
f.add(
    "contrib.DeformablePSROIPooling",
    real(2, 8, 5, 4),
    REGIONS,
    no_trans=True,
    sample_per_part=2,
    **SENSITIVE,
)
for images in (1, 2):
    f.add(
        "contrib.MultiProposal",
        real(images, 24, 3, 4, low=0, high=1),
        real(images, 48, 3, 4, low=-0.25, high=0.25),
        given([[40.0, 64.0, 1.0], [48.0, 50.0, 2.0]][:images]),
        call=PLAIN,
        rpn_post_nms_top_n=9,
        rpn_min_size=12,
        output_score=True,
    )
f.add(
    "contrib.Proposal",
    real(1, 2, 3, 4, low=0, high=1),
    real(1, 4, 3, 4, low=-4, high=4),
    given([[48.0, 64.0, 1.0]]),
    call=PLAIN,
    rpn_post_nms_top_n=5,
    scales=(1.5,),
    ratios=(2.0,),
    iou_loss=True,
    rpn_min_size=8,
)

# Attributes that are left at one value above.
f.add("contrib.box_nms", given([row[1:] for row in ROWS.values]), score_index=0, coord_start=1)
f.add(
    "contrib.MultiBoxTarget",
    ANCHORS,
    LABELS,
    real(2, 4, 4),
    negative_mining_ratio=1.0,
    negative_mining_thresh=0.25,
    call=PLAIN,
)
f.add(
    "contrib.MultiProposal",
    real(1, 2, 3, 4, low=0, high=1),
    real(1, 4, 3, 4, low=-4, high=4),
    given([[48.0, 64.0, 1.0]]),
    call=PLAIN,
    rpn_post_nms_top_n=5,
    scales=(1.5,),
    ratios=(2.0,),
    iou_loss=True,
    rpn_min_size=8,
)
SMALLER = {"spatial_scale": 0.25, "output_dim": 4, "group_size": 1, "pooled_size": 2}
f.add(
    "contrib.DeformablePSROIPooling",
    real(2, 4, 5, 4),
    REGIONS,
    no_trans=True,
    sample_per_part=2,
    **SMALLER,
)
for attrs in (
    {"spatial_scale": 0.5, "output_dim": 2, "pooled_size": 2},
    {"spatial_scale": 0.25, "output_dim": 1, "pooled_size": 4, "group_size": 2},
):
    channels = attrs["output_dim"] * attrs.get("group_size", attrs["pooled_size"]) ** 2
    f.add("contrib.PSROIPooling", real(2, channels, 5, 4), REGIONS, **attrs)
TURNED = given([[0.0, 3.0, 3.0, 4.0, 2.0, 30.0], [1.0, 2.0, 3.0, 3.0, 3.0, -45.0]])
for attrs in (
    {"pooled_size": (2, 2), "spatial_scale": 1.0},
    {"pooled_size": (1, 3), "spatial_scale": 0.5, "sampling_ratio": 2},
):
    f.add("contrib.RROIAlign", real(2, 2, 6, 6), TURNED, call=PLAIN, **attrs)
