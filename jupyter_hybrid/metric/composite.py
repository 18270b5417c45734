"""Metrics of several metrics, and of functions; metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .base import EvalMetric, alias, create_registered, numpy_of, pairs, register


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric from a name, an instance, a function of (label, prediction), a configuration, or a
    list of such. Raises AssertionError for an unknown name."""
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for child in metric:
            composite.add(create(child, *args, **kwargs))
        return composite
    return create_registered(metric, *args, **kwargs)


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics of the same labels and predictions; names and values are lists."""

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        self.metrics: list[EvalMetric] = []
        super().__init__(
            name, output_names=output_names, label_names=label_names, has_global_stats=True
        )
        self.metrics = [create(metric) for metric in metrics or []]

    def add(self, metric: Any) -> None:
        """One more; whatever :func:`create` takes."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """The metric of that number. Raises ValueError; MXNet's gives the error back."""
        try:
            return self.metrics[index]
        except IndexError:
            raise ValueError(
                f"metric {index} is out of range: there are {len(self.metrics)}"
            ) from None

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        if self.label_names is not None:
            label = {k: v for k, v in label.items() if k in self.label_names}
        if self.output_names is not None:
            pred = {k: v for k, v in pred.items() if k in self.output_names}
        for metric in self.metrics:
            metric.update_dict(label, pred)

    def update(self, labels: Any, preds: Any) -> None:
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[Any, Any]:
        return _joined([metric.get() for metric in self.metrics])

    def get_global(self) -> tuple[Any, Any]:
        return _joined([metric.get_global() for metric in self.metrics])

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {**config, "metrics": [metric.get_config() for metric in self.metrics]}


def _joined(results: list[tuple[Any, Any]]) -> tuple[list[str], list[Any]]:
    names: list[str] = []
    values: list[Any] = []
    for name, value in results:
        names += name if isinstance(name, list) else [name]
        values += value if isinstance(value, list) else [value]
    return names, values


@register
class CustomMetric(EvalMetric):
    """A function of (label, prediction) as NumPy arrays, which gives a value, or the sum of values
    and their number.

    Args:
        feval: the function.
        name: its own name unless said.
        allow_extra_outputs: there may be more predictions than labels.
    """

    def __init__(
        self,
        feval: Callable[[Any, Any], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        if name is None:
            name = feval.__name__
            name = f"custom({name})" if "<" in name else name
        super().__init__(
            name,
            feval=feval,
            allow_extra_outputs=allow_extra_outputs,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        self._feval, self._allow_extra_outputs = feval, allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        if self._allow_extra_outputs:
            listed = [(numpy_of(a), numpy_of(b)) for b, a in zip(preds, labels)]
        else:
            listed = pairs(labels, preds)
        for label, pred in listed:
            value = self._feval(label, pred)
            self.add_batch(*(value if isinstance(value, tuple) else (value, 1)))

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("CustomMetric cannot be serialized")


def np(
    numpy_feval: Callable[[Any, Any], Any],
    name: str | None = None,
    allow_extra_outputs: bool = False,
) -> CustomMetric:
    """A :class:`CustomMetric` of a function of NumPy arrays."""

    def feval(label: Any, pred: Any) -> Any:
        return numpy_feval(label, pred)

    feval.__name__ = numpy_feval.__name__
    return CustomMetric(feval, name, allow_extra_outputs)
