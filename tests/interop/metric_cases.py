"""Every metric, in words that both libraries understand.

    PYTHON tests/interop/metric_cases.py FILE.npz

with a Python that has MXNet 1.9.1 writes what it computes; tests/py/test_metric.py compares.
"""

from __future__ import annotations

import sys

import numpy as np

# By name: (metric, its arguments, kind of data)
METRICS = {
    "accuracy": ("acc", {}, "classes"),
    "accuracy_axis": ("accuracy", {"axis": 2}, "images"),
    "accuracy_chosen": ("accuracy", {}, "chosen"),
    "top2": ("top_k_acc", {"top_k": 2}, "classes"),
    "top9": ("top_k_accuracy", {"top_k": 9}, "many"),
    "f1": ("f1", {}, "binary"),
    "f1_micro": ("f1", {"average": "micro"}, "binary"),
    "mcc": ("mcc", {}, "binary"),
    "mcc_micro": ("mcc", {"average": "micro"}, "binary"),
    "pcc": ("pcc", {}, "classes"),
    "pcc_chosen": ("pcc", {}, "chosen"),
    "mae": ("mae", {}, "numbers"),
    "mse": ("mse", {}, "numbers"),
    "rmse": ("rmse", {}, "rows"),
    "ce": ("ce", {}, "classes"),
    "ce_eps": ("crossentropy", {"eps": 0.1}, "classes"),
    "nll": ("nll_loss", {}, "classes"),
    "perplexity": ("perplexity", {"ignore_label": None}, "sequence"),
    "perplexity_ignored": ("perplexity", {"ignore_label": 1, "axis": -1}, "sequence"),
    "pearson": ("pearsonr", {}, "numbers"),
    "pearson_micro": ("pearsoncorrelation", {"average": "micro"}, "rows"),
    "loss": ("loss", {}, "rows"),
    "torch": ("torch", {}, "rows"),
    "caffe": ("caffe", {}, "numbers"),
}


def batch(kind: str, rng) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Labels and predictions."""

    def scores(*shape):
        made = rng.uniform(0.05, 1, size=shape)
        return made / made.sum(-1, keepdims=True)

    made = {
        "classes": lambda: (rng.randint(0, 4, 6), scores(6, 4)),
        "many": lambda: (rng.randint(0, 12, 6), scores(6, 12)),
        "chosen": lambda: (rng.randint(0, 3, 6), rng.randint(0, 3, 6)),
        "images": lambda: (rng.randint(0, 3, (2, 5)), scores(2, 5, 3)),
        "binary": lambda: (rng.randint(0, 2, 7), scores(7, 2)),
        "numbers": lambda: (rng.normal(size=5), rng.normal(size=5)),
        "rows": lambda: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2))),
        "sequence": lambda: (rng.randint(0, 4, (2, 3)), scores(6, 4)),
    }[kind]
    outputs = [made() for _ in range(2)]
    return [a.astype("float32") for a, _ in outputs], [b.astype("float32") for _, b in outputs]


def measured(mx, name: str) -> np.ndarray:
    """Values and global ones after three batches, the last after reset_local()."""
    kind, options, data = METRICS[name]
    metric, rng, seen = mx.metric.create(kind, **options), np.random.RandomState(4), []
    for step in range(3):
        if step == 2:
            metric.reset_local()
        labels, preds = batch(data, rng)
        metric.update([mx.nd.array(a) for a in labels], [mx.nd.array(b) for b in preds])
        seen += [metric.get()[1], metric.get_global()[1], metric.num_inst, metric.global_num_inst]
    return np.array(seen, dtype="float64")


if __name__ == "__main__":
    import mxnet

    np.savez_compressed(sys.argv[1], **{name: measured(mxnet, name) for name in METRICS})
