"""Private layers and helpers of MXNet's that cells, quantized layers and the like derive from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import nd, sym
from ...gluon.nn.convolving import Convolving
from ...gluon.nn.pooling import Pooling
from ...gluon.parameter import tensor_types
from ...gluon.rnn import sequences


def format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, Any, int]:
    """The steps merged, as a list, or as they are; their axis in ``layout``; nd or sym; the batch's
    size, 0 of Symbols. ``in_layout`` is that of the inputs, if it is another one."""
    given = in_layout if in_layout is not None and isinstance(inputs, tensor_types) else layout
    steps = sequences.as_steps(length, inputs, given, merge)
    values, axis = steps.values, layout.find("T")
    first: Any = values if isinstance(values, tensor_types) else values[0]
    batch = first.shape[steps.batch_axis] if steps.F is nd else 0
    if isinstance(values, tensor_types) and axis != steps.axis:
        values = steps.F.swapaxes(values, dim1=axis, dim2=steps.axis)
    return values, axis, steps.F, batch


def begin_state(cell: Any, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any:
    """States of zeros where none are given, on the inputs' device."""
    if begin_state is not None:
        return begin_state
    if F is not nd:
        return cell.begin_state(func=sym.zeros, batch_size=batch_size)
    first: Any = inputs if isinstance(inputs, tensor_types) else inputs[0]
    return cell.begin_state(func=nd.zeros, batch_size=batch_size, ctx=first.context)


def cells_state_info(cells: Sequence[Any], batch_size: int) -> list[dict[str, Any]]:
    return [info for cell in cells for info in cell.state_info(batch_size)]


def cells_begin_state(cells: Sequence[Any], **options: Any) -> list[Any]:
    return [state for cell in cells for state in cell.begin_state(**options)]


def reverse_sequences(steps: Sequence[Any], unroll_step: int, valid_length: Any = None) -> Any:
    return sequences.backwards(sequences.face_of(steps[0]), steps, valid_length)


def indent(text: str, spaces: int) -> str:
    """All lines but the first, further to the right."""
    return text.replace("\n", "\n" + " " * spaces)


def infer_weight_shape(op_name: str, data_shape: Sequence[int], kwargs: dict[str, Any]) -> Any:
    """The shapes of a layer's arguments for data of a shape."""
    data = sym.var("data", shape=tuple(data_shape))
    return getattr(sym, op_name)(data, **kwargs).infer_shape_partial()[0]


class Conv(Convolving):
    """A convolution along as many axes as its kernel has sizes.

    Args:
        op_name: "Convolution" or "Deconvolution".
        adj: output padding of the latter.
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sequence[int],
        strides: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        op_name: str = "Convolution",
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ):
        self.__dict__.update(_axes=len(kernel_size), _operator=op_name, _op_name=op_name)
        super().__init__(
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            in_channels,
            prefix=prefix,
            params=params,
        )
        if adj is not None:
            self._kwargs["adj"] = (adj,) * self._axes if isinstance(adj, int) else tuple(adj)


class Pool(Pooling):
    """Windows along as many axes as there are sizes."""

    def __init__(
        self,
        pool_size: Sequence[int],
        strides: Any,
        padding: Any,
        ceil_mode: bool,
        global_pool: bool,
        pool_type: str,
        layout: str,
        count_include_pad: bool | None = None,
        **kwargs: Any,
    ):
        self.__dict__.update(_axes=len(pool_size), _type=pool_type)
        super().__init__(**kwargs)
        counted = {} if count_include_pad is None else {"count_include_pad": count_include_pad}
        self._make(pool_size, strides, padding, layout, ceil_mode, global_pool, **counted)


NAMES: dict[tuple[str, str], Any | Callable[..., Any]] = {
    ("gluon.rnn.rnn_cell", "_format_sequence"): format_sequence,
    ("gluon.rnn.rnn_cell", "_get_begin_state"): begin_state,
    ("gluon.rnn.rnn_cell", "_cells_state_info"): cells_state_info,
    ("gluon.rnn.rnn_cell", "_cells_begin_state"): cells_begin_state,
    ("gluon.rnn.rnn_cell", "_mask_sequence_variable_length"): sequences.masked,
    ("gluon.rnn.rnn_cell", "_reverse_sequences"): reverse_sequences,
    ("gluon.nn.conv_layers", "_infer_weight_shape"): infer_weight_shape,
    ("gluon.nn.conv_layers", "_Conv"): Conv,
    ("gluon.nn.conv_layers", "_Pooling"): Pool,
    ("gluon.utils", "_indent"): indent,
    ("gluon.block", "_indent"): indent,
}
