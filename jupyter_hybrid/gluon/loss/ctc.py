"""CTCLoss: sequences whose labels are not aligned with them."""

from __future__ import annotations

from typing import Any

from .. import own_nets
from ..checks import CheckError
from .base import Loss


class CTCLoss(Loss):
    """Connectionist temporal classification: ``-log`` of the probability that softmax(pred) gives
    the label once repeats and blanks are left out; shape (batch,). Graves et al. (2006). The last
    class is the blank.

    Args:
        layout: of the predictions: "NTC" or "TNC".
        label_layout: of the labels: "NT" or "TN"; a label ends at -1, or at its length.

    Raises:
        CheckError: for another layout.
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Any,
    ):
        if layout not in ("NTC", "TNC"):
            raise CheckError(f"CTCLoss: layout: expected 'NTC' or 'TNC', got {layout!r}")
        if label_layout not in ("NT", "TN"):
            raise CheckError(f"CTCLoss: label_layout: expected 'NT' or 'TN', got {label_layout!r}")
        self._layout, self._label_layout = layout, label_layout
        super().__init__(weight, label_layout.find("N"), **kwargs)

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Lengths are (batch,): steps of each prediction, and of each label."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._batch_axis == 1:
            label = F.swapaxes(label, dim1=0, dim2=1)
        lengths = {"data_lengths": pred_lengths, "label_lengths": label_lengths}
        loss = F.CTCLoss(
            pred,
            label,
            **{name: value for name, value in lengths.items() if value is not None},
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return self._weighted(F, loss, sample_weight)


own_nets.register(CTCLoss, several=True)
