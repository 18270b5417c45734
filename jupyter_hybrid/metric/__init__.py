"""Metrics: how good predictions are, over batches; made by name, from functions, several at once.

``get()`` tells the value since the last ``reset_local()``, ``get_global()`` that since ``reset()``.
"""

from __future__ import annotations

from .base import EvalMetric, alias, check_label_shapes, register
from .classification import F1, MCC, PCC, Accuracy, TopKAccuracy
from .composite import CompositeEvalMetric, CustomMetric, create, np
from .regression import (
    MAE,
    MSE,
    RMSE,
    Caffe,
    CrossEntropy,
    Loss,
    NegativeLogLikelihood,
    PearsonCorrelation,
    Perplexity,
    Torch,
)

__all__ = [
    "F1",
    "MAE",
    "MCC",
    "MSE",
    "PCC",
    "RMSE",
    "Accuracy",
    "Caffe",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "NegativeLogLikelihood",
    "PearsonCorrelation",
    "Perplexity",
    "TopKAccuracy",
    "Torch",
    "alias",
    "check_label_shapes",
    "create",
    "np",
    "register",
]
