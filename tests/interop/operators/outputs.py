"""Outputs that bring their loss's gradient, and CTC."""

from __future__ import annotations

from case import Family
from drawn import FLOATS, given, real, whole

f = Family("outputs")
CASES = f.cases
TWO = ("float32", "float64")

for name in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"):
    f.every(FLOATS, name, real(3, 2), real(3, 2))
    f.add(name, real(3, 1), real(3))
    f.add(name, real(4, 2), real(4, 2), grad_scale=0.5)
for name in ("SoftmaxOutput", "Softmax"):
    f.every(TWO, name, real(3, 4), whole(3, below=4))
    for attrs in (
        {"grad_scale": 2.0},
        {"use_ignore": True, "ignore_label": 1.0},
        {"normalization": "batch"},
        {"normalization": "valid", "use_ignore": True, "ignore_label": 0.0},
        {"smooth_alpha": 0.1},
        {"out_grad": True},
    ):
        f.add(name, real(4, 3), given([0, 1, 2, 1], fixed=True), **attrs)
    f.add(name, real(2, 3, 4), whole(2, 4, below=3), multi_output=True)
    f.add(name, real(2, 3, 4), whole(2, 4, below=3), multi_output=True, normalization="valid")
    f.add(name, real(2, 3, 4), whole(2, 3, below=4), preserve_shape=True)
    f.add(name, real(3, 4), real(3, 4, low=0, high=1))
f.every(TWO, "SVMOutput", real(3, 4), whole(3, below=4))
f.add("SVMOutput", real(3, 4), whole(3, below=4), margin=0.5, regularization_coefficient=2.0)
f.add("SVMOutput", real(3, 4), whole(3, below=4), use_linear=True)

for name in ("CTCLoss", "ctc_loss", "contrib.CTCLoss", "contrib.ctc_loss"):
    labels = given([[1, 2, 0], [3, 1, 2]], fixed=True)
    f.add(name, real(5, 2, 4), labels)
    f.add(name, real(5, 2, 4), given([[0, 1, -1], [2, 0, 1]], fixed=True), blank_label="last")
    f.add(name, real(6, 2, 4), labels, given([4, 6], fixed=True), use_data_lengths=True)
    f.add(
        name,
        real(6, 2, 4),
        labels,
        given([5, 6], fixed=True),
        given([1, 3], fixed=True),
        use_data_lengths=True,
        use_label_lengths=True,
    )
