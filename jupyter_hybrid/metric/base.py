"""What all metrics share: sums over batches, names, a registry."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..nd import NDArray

_registry: dict[str, type[EvalMetric]] = {}


def register(klass: type[EvalMetric], name: str | None = None) -> type[EvalMetric]:
    """Makes a metric known by a name, its class's unless said; usable as a decorator."""
    name = (name or klass.__name__).lower()
    if name in _registry:
        warnings.warn(f"a metric takes the name {name!r} of another one", stacklevel=2)
    _registry[name] = klass
    return klass


def alias(*aliases: str) -> Callable[[type[EvalMetric]], type[EvalMetric]]:
    """Makes a metric known by further names."""

    def add(klass: type[EvalMetric]) -> type[EvalMetric]:
        for name in aliases:
            register(klass, name)
        return klass

    return add


def create_registered(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric from an instance, a name, or a configuration, also as JSON."""
    if isinstance(metric, EvalMetric):
        if args or kwargs:
            raise AssertionError("metric: an instance takes no further arguments")
        return metric
    if isinstance(metric, Mapping):
        return create_registered(**metric)
    if not isinstance(metric, str):
        raise AssertionError(f"metric: expected a name, got {type(metric).__name__}")
    if metric.startswith("["):
        name, options = json.loads(metric)
        return create_registered(name, **options)
    if metric.startswith("{"):
        return create_registered(**json.loads(metric))
    kind = _registry.get(metric.lower())
    if kind is None:
        known = ", ".join(sorted(_registry))
        raise AssertionError(f"metric {metric!r} is not registered; there are {known}")
    return kind(*args, **kwargs)


def numpy_of(array: Any) -> np.ndarray:
    """The elements of an array of any kind."""
    return array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """Raises ValueError unless there are as many labels as predictions; with ``shape``, unless
    their shapes are the same. With ``wrap``, single arrays come back as lists."""
    mine, theirs = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if mine != theirs:
        raise ValueError(f"Shape of labels {mine} does not match shape of predictions {theirs}")
    if wrap:
        labels = [labels] if isinstance(labels, NDArray) else labels
        preds = [preds] if isinstance(preds, NDArray) else preds
    return labels, preds


def pairs(labels: Any, preds: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """(label, prediction) of each output, as NumPy arrays."""
    labels, preds = check_label_shapes(labels, preds, wrap=True)
    return [(numpy_of(a), numpy_of(b)) for a, b in zip(labels, preds, strict=True)]


class EvalMetric:
    """Base class; write ``update(self, labels, preds)`` to make your own: it adds to ``sum_metric``
    and ``num_inst``, of which the value is the quotient.

    Args:
        name: shown beside the value.
        output_names, label_names: those that :meth:`update_dict` takes; None: all.
        has_global_stats: ``global_sum_metric`` and ``global_num_inst`` are added to as well.
    """

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ):
        self.name = str(name)
        self.output_names, self.label_names = output_names, label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """What makes the same metric: ``create(**config)``."""
        names = {"output_names": self.output_names, "label_names": self.label_names}
        return {**self._kwargs, "metric": type(self).__name__, "name": self.name, **names}

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """:meth:`update` with the arrays of the metric's names."""
        self.update(_chosen(label, self.label_names), _chosen(pred, self.output_names))

    def update(self, labels: Any, preds: Any) -> None:
        """Adds a batch: lists of arrays, one for each output."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def reset(self) -> None:
        """Forgets all batches."""
        self.num_inst: Any = 0
        self.sum_metric: Any = np.float64(0)  # a float and a float32 make a float32 in NumPy 2
        self.global_num_inst: Any = 0
        self.global_sum_metric: Any = np.float64(0)

    def reset_local(self) -> None:
        """Forgets the batches since the last one, but for the global value."""
        self.num_inst, self.sum_metric = 0, np.float64(0)

    def add_batch(self, value: Any, count: Any) -> None:
        """Adds a batch's sum of values, of so many, to all sums."""
        self.sum_metric += value
        self.global_sum_metric += value
        self.num_inst += count
        self.global_num_inst += count

    def get(self) -> tuple[Any, Any]:
        """(name, value since the last reset); nan of nothing."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """(name, value of all batches since :meth:`reset`)."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def _value(self, total: Any, count: Any) -> Any:
        if count == 0:
            return float("nan")
        value = total / count
        return float(value) if isinstance(value, np.floating) else value

    def get_name_value(self) -> list[tuple[str, Any]]:
        """Names and values, as pairs."""
        return _named(*self.get())

    def get_global_name_value(self) -> list[tuple[str, Any]]:
        """The same of the global values."""
        return _named(*self.get_global())


def _chosen(arrays: Mapping[str, Any], names: Iterable[str] | None) -> list[Any]:
    return list(arrays.values()) if names is None else [arrays[name] for name in names]


def _named(names: Any, values: Any) -> list[tuple[str, Any]]:
    if not isinstance(names, list):
        names = [names]
    return list(zip(names, values if isinstance(values, list) else [values], strict=True))
