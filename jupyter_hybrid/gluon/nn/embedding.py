"""Embedding: rows of a table."""

from __future__ import annotations

from typing import Any

from ..hybrid_block import HybridBlock


class Embedding(HybridBlock):
    """The row of a table for every index: an array of ``x.shape + (output_dim,)``.

    Args:
        input_dim: number of rows; indices are 0 to input_dim - 1.
        output_dim: elements of a row.
        dtype: element type of the table.
        sparse_grad: accepted for MXNet's sake; the gradient is dense all the same, which is said
            once.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype}
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({{input_dim}} -> {{output_dim}}, {{dtype}})".format(
            **self._kwargs
        )
