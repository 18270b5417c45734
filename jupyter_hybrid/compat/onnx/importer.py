"""Reads an ONNX model as a Symbol with parameters, or as a SymbolBlock."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import nd, sym
from ..._core import NDArray, Symbol
from ...base import MXNetError
from ...gluon.parameter_files import fill
from ...gluon.symbol_block import SymbolBlock
from . import (  # noqa: F401
    read_elementwise,
    read_indexing,
    read_layers,
    read_norms,
    read_recurrent,
    read_shapes,
)
from .fold import folded
from .library import dtype_of
from .reader import array_of, check, read_model
from .values import READERS, GraphReader, NodeReader, Value, known_value

Shapes = Mapping[str, Sequence[int | None]]


def import_model(
    model_file: str | os.PathLike[str], shapes: Shapes | None = None
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """(symbol, arg_params, aux_params) of an ONNX model of opset 13 to 21.

    Args:
        model_file: the file. Tensors stored beside it are read from its folder only.
        shapes: input name -> shape, where the model leaves sizes open that must be known.

    Returns:
        The symbol's inputs have the model's names (those that the outputs depend on); its
        constants are in ``arg_params``, moving statistics in ``aux_params``.

    Raises:
        ImportError: the onnx package is missing.
        MXNetError: the file is corrupt or too large, or a node (named, with its operator and the
            opset) has no form here.
        OSError: the file cannot be read.
    """
    symbol, params, _ = _read(model_file, shapes or {})
    states = {n: params.pop(n) for n in symbol.list_auxiliary_states()}
    return symbol, params, states


def import_to_gluon(
    model_file: str | os.PathLike[str], ctx: Any = None, shapes: Shapes | None = None
) -> SymbolBlock:
    """:func:`import_model` as a block; its inputs come in the model's order."""
    symbol, params, inputs = _read(model_file, shapes or {})
    if not inputs:
        raise MXNetError(f"{os.fspath(model_file)}: its outputs depend on no input")
    block = SymbolBlock(symbol, [sym.var(n) for n in inputs])
    found = dict(block.collect_params().items())
    for name, parameter in found.items():
        if np.dtype(params[name].dtype).kind != "f":
            parameter.grad_req = "null"
    fill(found, params, os.fspath(model_file), ctx, False, True, cast_dtype=True)
    return block


def get_model_metadata(
    model_file: str | os.PathLike[str],
) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Names and shapes of a model's inputs and outputs, 0 for a size that is open.

    Returns:
        ``{"input_tensor_data": [(name, shape), ...], "output_tensor_data": [...]}``; parameters
        are no inputs.
    """
    graph = read_model(model_file)[0].graph
    constants = {tensor.name for tensor in graph.initializer}

    def rows(values: Any) -> list[tuple[str, tuple[int, ...]]]:
        return [
            (v.name, tuple(int(d.dim_value) for d in v.type.tensor_type.shape.dim))
            for v in values
            if v.name not in constants
        ]

    return {"input_tensor_data": rows(graph.input), "output_tensor_data": rows(graph.output)}


def _read(
    path: str | os.PathLike[str], shapes: Shapes
) -> tuple[Symbol, dict[str, NDArray], list[str]]:
    model, opset = read_model(path)
    _require_known(model.graph, opset)
    check(model, path)
    reader = GraphReader()
    values: dict[str, Value] = {}
    inputs = []
    constants = {t.name for t in model.graph.initializer}
    for given in model.graph.input:
        if given.name not in constants:  # before opset 9 initializers were inputs too
            values[given.name] = _input(reader, given, shapes)
            inputs.append(given.name)
    unknown = [n for n in shapes if n not in inputs]
    if unknown:
        raise MXNetError(f"onnx: there is no input '{unknown[0]}'; there are {', '.join(inputs)}")
    for tensor in model.graph.initializer:
        array = array_of(tensor, f"initializer '{tensor.name}'")
        values[tensor.name] = known_value(array, tensor.name)
    for node in model.graph.node:
        _node(reader, node, opset, values)
    heads = []
    for output in model.graph.output:
        if output.name not in values:
            raise MXNetError(f"onnx: nothing computes the output '{output.name}'")
        heads.append(reader.symbol(values[output.name]))
    if not heads:
        raise MXNetError("onnx: the model has no outputs")
    symbol = heads[0] if len(heads) == 1 else sym.Group(heads)
    arguments = set(symbol.list_inputs())
    params = {n: _array(a) for n, a in reader.params.items() if n in arguments}
    try:
        symbol.attr_dict()
    except UnicodeDecodeError as error:
        raise MXNetError(f"onnx: a name or an attribute is not UTF-8: {error}") from None
    return symbol, params, [n for n in inputs if n in arguments]


def _require_known(graph: Any, opset: int) -> None:
    for node in graph.node:
        label = node.name or (node.output[0] if node.output else "")
        where = f"onnx: node '{label}', operator {node.op_type}, opset {opset}"
        if node.domain not in ("", "ai.onnx"):
            raise MXNetError(f"{where}: domain '{node.domain}' is not ONNX's own")
        if node.op_type not in READERS:
            raise MXNetError(f"{where}: there is no operator for it here")


def _input(reader: GraphReader, given: Any, shapes: Shapes) -> Value:
    kind = given.type.tensor_type
    if not given.type.HasField("tensor_type"):
        raise MXNetError(f"onnx: input '{given.name}' is no tensor")
    dtype = dtype_of(kind.elem_type, f"input '{given.name}'").name
    shape: tuple[int, ...] | None = None
    if kind.HasField("shape"):
        shape = tuple(
            int(d.dim_value) if d.HasField("dim_value") and d.dim_value > 0 else -1
            for d in kind.shape.dim
        )
    if given.name in shapes:
        chosen = tuple(-1 if s in (None, 0, -1) else int(s) for s in shapes[given.name] or ())
        if shape is not None and (
            len(shape) != len(chosen)
            or any(a != b for a, b in zip(shape, chosen) if -1 not in (a, b))
        ):
            raise MXNetError(f"onnx: input '{given.name}' has {shape}, given {chosen}")
        shape = chosen
    declared = None if shape is None else tuple(0 if s == -1 else s for s in shape)
    name = reader.unique(given.name)
    other = {} if dtype == "float32" else {"dtype": dtype}
    return Value(sym.var(name, shape=declared, **other), None, shape, dtype, given.name)


def _node(reader: GraphReader, node: Any, opset: int, values: dict[str, Value]) -> None:
    missing = next((n for n in node.input if n and n not in values), None)
    if missing is not None:
        raise MXNetError(f"onnx: node '{node.name}' reads '{missing}', which nothing computes")
    inputs = [values[n] if n else None for n in node.input]
    context = NodeReader(reader, node, inputs, opset)
    made = folded(context)
    if made is None:
        try:
            made = READERS[node.op_type](context)
        except MXNetError:
            raise
        except Exception as error:  # a file may hold anything where an attribute should be
            context.fail(f"an attribute or input has no meaning: {error}")
    made = made if isinstance(made, list) else [made]
    for i, name in enumerate(node.output):
        if not name:
            continue
        if i >= len(made):
            context.fail(f"its output {i} ('{name}') is not computed here")
        value = made[i]
        values[name] = value
        value.name = value.name or name


def _array(array: np.ndarray) -> NDArray:
    made = nd.array(array, dtype=array.dtype)
    return made if made.shape == array.shape else made.reshape(array.shape)
