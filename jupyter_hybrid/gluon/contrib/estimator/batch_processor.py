"""What an estimator does with one batch."""

from __future__ import annotations

from typing import Any

from .... import autograd
from ...utils import split_and_load

__all__ = ["BatchProcessor"]

_Parts = tuple[list[Any], list[Any], list[Any], list[Any]]


class BatchProcessor:
    """Splits a batch over the devices, computes and differentiates the loss; to be subclassed."""

    def _get_data_and_label(
        self, batch: Any, ctx: list[Any], batch_axis: int = 0
    ) -> tuple[list[Any], list[Any]]:
        data = split_and_load(batch[0], ctx_list=ctx, batch_axis=batch_axis)
        return data, split_and_load(batch[1], ctx_list=ctx, batch_axis=batch_axis)

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> _Parts:
        """(data, labels, predictions, losses) of a batch of validation data, by device."""
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        return data, label, pred, [estimator.val_loss(p, y) for p, y in zip(pred, label)]

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> _Parts:
        """The same of a batch of training data, with gradients computed."""
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(p, y) for p, y in zip(pred, label)]
        for part in loss:
            part.backward()
        return data, label, pred, loss
