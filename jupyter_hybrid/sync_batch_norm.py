"""``SyncBatchNorm`` on one device, where it is BatchNorm along axis 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import MXNetError


def refuse_devices(name: str, count: int) -> None:
    """Raises MXNetError for more devices than one: each normalizes its own part here."""
    if count > 1:
        raise MXNetError(
            f"SyncBatchNorm: given {name}={count}; statistics of several devices together are not "
            "carried here, on one device it is BatchNorm"
        )


def sync_batch_norm(
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    inputs: tuple[Any, ...],
    ndev: int,
    eps: float,
    options: dict[str, Any],
) -> Any:
    """BatchNorm of the inputs by ``call(inputs, attributes)``.

    With ``output_mean_var`` the third output is the variance; BatchNorm's is 1 / sqrt(var + eps).
    """
    refuse_devices("ndev", int(ndev))
    made = call(inputs, {"eps": eps, "axis": 1, **options})
    if not options["output_mean_var"]:
        return made
    data, mean, factor = made
    return data, mean, 1 / (factor * factor) - eps
