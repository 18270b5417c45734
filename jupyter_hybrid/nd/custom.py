"""``nd.Custom``: operators that Python defines, run when they are called."""

from __future__ import annotations

from typing import Any

from .._core import NDArray
from ..custom_call import CustomCall


def Custom(
    *data: NDArray, op_type: str | None = None, out: Any = None, name: str | None = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """The operator that was registered as ``op_type``; see :mod:`jupyter_hybrid.operator`.

    Args:
        data: its inputs, then its auxiliary states; keywords with arrays name them instead.
        op_type: the name that was given to ``operator.register``.
        out: an array, or a list of them, that gets the outputs.
        kwargs: arguments of its property, which gets them as text.

    Returns:
        One array, or a list of arrays.

    Raises:
        MXNetError: ``op_type`` is unknown, or the number of arrays is wrong; or the operator
            raised something, in ``backward()`` too: that is the error's cause, with its lines.
    """
    arrays = {key: value for key, value in kwargs.items() if isinstance(value, NDArray)}
    call = CustomCall(op_type, {k: v for k, v in kwargs.items() if k not in arrays})
    made = call.run(call.by_name(data, arrays))
    if out is not None:
        for target, value in zip(out if isinstance(out, (list, tuple)) else [out], made):
            target[:] = value
        return out
    return made[0] if len(made) == 1 else made


__all__ = ["Custom"]
