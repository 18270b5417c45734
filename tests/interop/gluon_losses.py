"""Losses that genuine MXNet computed, too: every argument is varied."""

from __future__ import annotations

import numpy as np
from gluon_runs import Case, normal, uniform, whole

SHAPE = (4, 3, 2)
PRED, LABEL, WEIGHTS = normal(*SHAPE), normal(*SHAPE, seed=1), uniform(4, 1, 1)
SIGNS = whole(2, *SHAPE) * 2 - 1
CLASSES = whole(3, 4)
PROBABILITIES = uniform(4, 3) / uniform(4, 3).sum(1, keepdims=True)
POINTS = normal(4, 3), normal(4, 3, seed=1), normal(4, 3, seed=2)
PAIRED = np.array([1, -1, 1, -1], np.float32)

LABELS = np.array([[1, 2, 1], [2, 0, -1], [3, 3, -1]], np.float32)
SPOKEN = normal(3, 7, 5)


def _loss(name, inputs, /, tolerance=1e-5, **options):
    return Case(
        lambda mx: getattr(mx.gluon.loss, name)(**options),
        list(inputs),
        tolerance=tolerance,
        gradient="compute_full" not in options,
        plain=len(inputs) - 1 if name == "CTCLoss" else 0,
    )


CASES = {
    "l1": _loss("L1Loss", [PRED, LABEL]),
    "l1_weights": _loss("L1Loss", [PRED, LABEL, WEIGHTS], weight=0.3, batch_axis=1),
    "l2": _loss("L2Loss", [PRED, LABEL]),
    "l2_weights": _loss("L2Loss", [PRED, LABEL, WEIGHTS], weight=0.3, batch_axis=2),
    "l2_column": _loss("L2Loss", [normal(4, 1), normal(4)]),
    "bce": _loss("SigmoidBinaryCrossEntropyLoss", [PRED * 9, uniform(*SHAPE)]),
    "bce_sigmoid": _loss(
        "SigmoidBCELoss", [uniform(*SHAPE), uniform(*SHAPE)], from_sigmoid=True, weight=2.0
    ),
    "bce_weights": _loss("SigmoidBCELoss", [PRED, uniform(*SHAPE), WEIGHTS], batch_axis=1),
    "bce_positive": _loss("SigmoidBCELoss", [PRED, uniform(*SHAPE), WEIGHTS, uniform(1, 3, 1)]),
    "bce_positive_sigmoid": _loss(
        "SigmoidBCELoss",
        [uniform(*SHAPE), uniform(*SHAPE), WEIGHTS, uniform(1, 3, 1)],
        from_sigmoid=True,
    ),
    "ce": _loss("SoftmaxCrossEntropyLoss", [POINTS[0], CLASSES]),
    "ce_pixels": _loss("SoftmaxCELoss", [PRED, whole(3, 4, 2)], axis=1, weight=0.5),
    "ce_dense": _loss(
        "SoftmaxCELoss", [POINTS[0], PROBABILITIES, uniform(4, 1)], sparse_label=False
    ),
    "ce_logits": _loss("SoftmaxCELoss", [-uniform(4, 3), CLASSES], from_logits=True),
    "kl": _loss("KLDivLoss", [-uniform(4, 3), PROBABILITIES]),
    "kl_softmax": _loss(
        "KLDivLoss", [PRED, uniform(*SHAPE), WEIGHTS], from_logits=False, axis=1, weight=0.5
    ),
    "ctc": _loss("CTCLoss", [SPOKEN, LABELS]),
    "ctc_layouts": _loss(
        "CTCLoss", [normal(7, 3, 5), LABELS.T.copy()], layout="TNC", label_layout="TN", weight=0.5
    ),
    "ctc_lengths": _loss(
        "CTCLoss",
        [SPOKEN, LABELS, np.array([7, 5, 6], np.float32), np.array([3, 2, 1], np.float32)],
    ),
    "huber": _loss("HuberLoss", [PRED, LABEL]),
    "huber_rho": _loss("HuberLoss", [PRED, LABEL, WEIGHTS], rho=0.4, weight=2.0, batch_axis=1),
    "hinge": _loss("HingeLoss", [PRED, SIGNS]),
    "hinge_margin": _loss("HingeLoss", [PRED, SIGNS, WEIGHTS], margin=0.5, weight=2.0),
    "squared_hinge": _loss("SquaredHingeLoss", [PRED, SIGNS, WEIGHTS], margin=0.5, batch_axis=1),
    "logistic": _loss("LogisticLoss", [PRED * 9, SIGNS]),
    "logistic_binary": _loss(
        "LogisticLoss", [PRED, whole(2, *SHAPE), WEIGHTS], label_format="binary", weight=0.5
    ),
    "triplet": _loss("TripletLoss", POINTS),
    "triplet_margin": _loss("TripletLoss", POINTS, margin=0.2, weight=0.5, batch_axis=1),
    "poisson": _loss("PoissonNLLLoss", [PRED, whole(5, *SHAPE)]),
    "poisson_full": _loss(
        "PoissonNLLLoss",
        [uniform(*SHAPE), whole(5, *SHAPE, low=1), WEIGHTS],
        from_logits=False,
        compute_full=True,
        weight=0.5,
    ),
    "cosine": _loss("CosineEmbeddingLoss", [*POINTS[:2], PAIRED]),
    "cosine_margin": _loss(
        "CosineEmbeddingLoss", [*POINTS[:2], PAIRED, uniform(4, 1)], margin=0.3, weight=0.5
    ),
    "sdml": _loss("SDMLLoss", POINTS[:2]),
    "sdml_smoothing": _loss("SDMLLoss", POINTS[:2], smoothing_parameter=0.1),
}
