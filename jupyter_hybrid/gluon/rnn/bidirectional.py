"""BidirectionalCell: one cell forwards through a sequence, another one backwards."""

from __future__ import annotations

from typing import Any

from ..parameter import tensor_types
from .cell import HybridRecurrentCell, RecurrentCell
from .sequences import as_steps, backwards, masked


class BidirectionalCell(HybridRecurrentCell):
    """Outputs of both directions are joined along the features. Schuster and Paliwal (1997).

    Args:
        l_cell: runs forwards.
        r_cell: runs backwards.
        output_prefix: begins the outputs' names.
    """

    def __init__(self, l_cell: RecurrentCell, r_cell: RecurrentCell, output_prefix: str = "bi_"):
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Any) -> Any:
        raise NotImplementedError("a bidirectional cell has no step; use unroll")

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        cells: Any = self._children.values()
        return [info for cell in cells for info in cell.state_info(batch_size)]

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        self._only_unmodified()
        cells: Any = self._children.values()
        return [state for cell in cells for state in cell.begin_state(**kwargs)]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Runs both cells; see :meth:`RecurrentCell.unroll`."""
        self.reset()
        steps = as_steps(length, inputs, layout, False)
        F, axis = steps.F, steps.axis
        states = list(self._first_states(begin_state, steps))
        left, right = self._children.values()
        count = len(left.state_info())  # type: ignore[attr-defined]
        options = {"layout": layout, "valid_length": valid_length}
        ahead, left_states = left.unroll(  # type: ignore[attr-defined]
            length, steps.values, states[:count], merge_outputs=merge_outputs, **options
        )
        turned = backwards(F, steps.values, valid_length)
        behind, right_states = right.unroll(  # type: ignore[attr-defined]
            length, turned, states[count:], merge_outputs=False, **options
        )
        behind = backwards(F, behind, valid_length)
        if merge_outputs is None:
            merge_outputs = isinstance(ahead, tensor_types)
        outputs = self._joined(F, ahead, behind, layout, merge_outputs)
        if valid_length is not None:
            outputs = masked(F, outputs, length, valid_length, axis, merge_outputs)
        return outputs, [*left_states, *right_states]

    def _joined(self, F: Any, ahead: Any, behind: Any, layout: str, merged: bool) -> Any:
        start = self._output_prefix
        if merged:
            whole = F.stack(*behind, axis=layout.find("T"))
            return F.concat(ahead, whole, dim=2, name=f"{start}out")
        ahead = as_steps(None, ahead, layout, False).values
        pairs = enumerate(zip(ahead, behind, strict=True))
        return [F.concat(one, other, dim=1, name=f"{start}t{i}") for i, (one, other) in pairs]

    def __repr__(self) -> str:
        left, right = self._children.values()
        return f"{type(self).__name__}(forward={left}, backward={right})"
