"""Writes a Symbol or a HybridBlock as an ONNX model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import _core, nesting
from ... import sym as symbols
from ..._core import Graph, NDArray, Symbol
from ...base import MXNetError
from ...gluon.hybrid_block import HybridBlock
from ...gluon.parameter import DeferredInitializationError
from ...gluon.parameter_files import read_arrays
from ...whole_files import write_whole
from . import (  # noqa: F401
    write_binary,
    write_elementwise,
    write_images,
    write_indexing,
    write_layers,
    write_norms,
    write_reductions,
    write_shapes,
    write_softmax,
)
from .library import EXPORTED, number_of, onnx
from .writer import WRITERS, GraphWriter, NodeWriter

#: Inputs that matter in training alone; what they lead to is not written.
_LABELLED = (
    "SoftmaxOutput",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "SVMOutput",
)
_LIMIT = 2**31 - 1  # protobuf's


def export_model(
    sym: Any,
    params: Any = None,
    in_shapes: Any = None,
    in_types: Any = None,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Any = None,
    *,
    inputs: Any = None,
    opset: int = 17,
) -> str:
    """Writes an ONNX model, checked by ``onnx.checker``; MXNet 1.9's ``mx.onnx.export_model``.

    Args:
        sym: a Symbol, the name of a ``symbol.json``, or a HybridBlock.
        params: name -> array (``arg:`` and ``aux:`` before a name are understood), or the name of a
            ``.params`` file; of a block its own.
        in_shapes: one shape per input that is no parameter, in the order of ``list_arguments()``;
            None or 0 for a size that is open (the batch). Labels need none.
        in_types: one dtype for all inputs, or one each; float32.
        onnx_file_path: the file.
        dynamic: leaves the first size of every input open.
        dynamic_input_shapes: shapes with None for open sizes, in the place of ``in_shapes``.
        input_type, input_shape: older names of ``in_types`` and ``in_shapes``.
        inputs: example arrays, in the place of shapes and dtypes.
        opset: 17 to 21.
        verbose, run_shape_inference: as in MXNet; shapes are inferred and checked anyway.

    Returns:
        The file's name. The same arguments give the same bytes.

    Raises:
        ImportError: the onnx package is missing.
        MXNetError: a node has no ONNX form (named with its operator and the reason), a shape is
            missing, a parameter has no value.
    """
    library = onnx()
    if opset not in EXPORTED:
        raise MXNetError(
            f"onnx: given opset {opset}, expected {EXPORTED.start} to {EXPORTED.stop - 1}"
        )
    given = _as_list(inputs) if inputs is not None else None
    symbol, values = _program(sym, params, given)
    names = [n for n in symbol.list_arguments() if n not in values]
    missing = [n for n in symbol.list_auxiliary_states() if n not in values]
    if missing:
        raise MXNetError(f"onnx: the auxiliary state '{missing[0]}' has no value in params")
    used = _used(symbol.graph())
    needed = [n for n in names if n in used]
    if given is not None:
        shapes: list[Any] = [a.shape for a in given]
        types: Any = [np.dtype(a.dtype).name for a in given]
    else:
        shapes = _as_list(_first(dynamic_input_shapes, in_shapes, input_shape))
        types = _first(in_types, input_type, "float32")
    chosen = _match(needed, names, shapes, "shapes")
    if dynamic and dynamic_input_shapes is None:
        chosen = {n: (None, *s[1:]) if len(s) else s for n, s in chosen.items()}
    if not isinstance(types, (list, tuple)):
        types = [types] * len(needed)
    dtypes = _match(needed, names, list(types), "dtypes")
    model = build_model(
        symbol,
        values,
        {n: tuple(-1 if d in (None, 0, -1) else int(d) for d in s) for n, s in chosen.items()},
        {n: np.dtype(t).name for n, t in dtypes.items()},
        opset,
    )
    content = model.SerializeToString(deterministic=True)
    try:
        library.checker.check_model(model, full_check=True)
    except Exception as error:  # the checker has several types of its own
        raise MXNetError(f"onnx: the checker refuses the model: {error}") from error
    write_whole(onnx_file_path, content)
    if verbose:
        print(library.helper.printable_graph(model.graph))
    return os.fspath(onnx_file_path)


def build_model(
    symbol: Symbol,
    values: Mapping[str, np.ndarray],
    shapes: Mapping[str, tuple[int, ...]],
    dtypes: Mapping[str, str],
    opset: int,
) -> Any:
    """The ModelProto: ``values`` are constants, ``shapes`` (-1 for open) the inputs'."""
    helper = onnx().helper
    # Heads first, then every node's outputs: inference answers for all of them at once.
    everything = symbols.Group([symbol, symbol.get_internals()])
    known = {**shapes, **{n: v.shape for n, v in values.items()}}
    kinds = {**dtypes, **{n: v.dtype.name for n, v in values.items()}}
    present = set(symbol.list_inputs())
    _, out_shapes, _, out_dtypes = everything._infer(
        {n: s for n, s in known.items() if n in present},
        {n: t for n, t in kinds.items() if n in present},
    )
    graph = everything.graph()
    heads = graph.outputs[: len(symbol)]
    found = dict(zip(graph.outputs, zip(out_shapes, out_dtypes), strict=True))
    needed = _reachable(graph, heads)
    writer = GraphWriter(opset)
    at: dict[tuple[int, int], str] = {}
    declared: list[Any] = []
    for node in graph.nodes:
        if node.id not in needed:
            continue
        if node.kind in ("input", "constant"):
            name = at[node.id, 0] = writer.unique(node.name or "constant")
            if node.kind == "constant":
                if node.value is None:
                    raise MXNetError(f"onnx: constant '{node.name}' has no value")
                writer.initializer(name, node.value.asnumpy())
            elif node.name in values:
                writer.initializer(name, values[node.name])
            else:
                declared.append(_value_info(name, found[node.id, 0], batch=not declared))
            continue
        for i, name in enumerate(_write(writer, node, at, found)):
            at[node.id, i] = name
    wanted = [at[entry] for entry in heads]
    outputs = []
    fixed = {info.name for info in declared} | {t.name for t in writer.initializers}
    for entry, name, title in zip(heads, wanted, symbol.list_outputs(), strict=True):
        if name in fixed:  # an input, a constant, or an output already
            name = writer.node("Identity", [name], title, 1, {})[0]
        elif name != title:
            new = writer.unique(title)
            writer.rename(name, new)
            wanted[:] = [new if w == name else w for w in wanted]
            at.update({e: new for e, n in at.items() if n == name})
            name = at[entry]
        fixed.add(name)
        outputs.append(_value_info(name, found[entry]))
    # What a node replaced by a constant of its own (a factor that counts as 1) is not written.
    read = {name for node in writer.nodes for name in node.input} | {o.name for o in outputs}
    constants = [tensor for tensor in writer.initializers if tensor.name in read]
    made = helper.make_graph(writer.nodes, "graph", declared, outputs, constants)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(
        made,
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="jupyter_hybrid",
    )
    if model.ByteSize() > _LIMIT:
        raise MXNetError(f"onnx: the model has {model.ByteSize()} bytes, a file has 2 GiB at most")
    return model


def _write(writer: GraphWriter, node: Any, at: dict, found: dict) -> list[str]:
    inputs = [tuple(e) for e in node.inputs]
    outputs = [found.get((node.id, i), (None, None)) for i in range(len(node.shapes) or 1)]
    context = NodeWriter(
        writer, node, [at.get(e, "") for e in inputs], [found[e] for e in inputs], outputs
    )
    function = WRITERS.get(node.op)
    if function is None:
        context.fail(_reason(node))
    for _, dtype in [*context._kinds, *outputs]:
        if dtype is not None:
            try:
                number_of(dtype)
            except MXNetError as error:
                context.fail(str(error))
    result = function(context)
    return result if isinstance(result, list) else [result]


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """MXNet's names of the operators that are written; some need an opset above 17.

    Raises:
        MXNetError: the opset is not one that is written.
    """
    if opset_version is not None and opset_version not in EXPORTED:
        raise MXNetError(
            f"onnx: given opset {opset_version}, expected {EXPORTED.start} to {EXPORTED.stop - 1}"
        )
    return sorted(row["name"] for row in _core.mx_table() if row["op"] in WRITERS)


def _reason(node: Any) -> str:
    op = str(node.op)
    if node.kind != "op" or op in ("cond", "while_loop", "foreach"):
        return "control flow with graphs of its own is not written"
    if op.startswith("linalg_"):
        return "ONNX has no such decomposition"
    if (op.startswith(("random_", "sample_")) and "_pdf_" not in op) or op == "shuffle":
        return "it draws random numbers"
    if "grad" in op or op in ("pool_max_select",):
        return "it is part of a gradient, ONNX models here are for inference"
    if op.endswith("_update") or op == "moving_average":
        return "it is an optimizer's step"
    if "shift" in op:
        return "ONNX shifts unsigned integers only"
    if op == "RNN":
        return "recurrent layers are not written"
    return "no ONNX operator computes it"


def _value_info(name: str, kind: tuple, batch: bool = False) -> Any:
    # Sizes of one name are equal in ONNX: each open one has its own.
    shape, dtype = kind
    if shape is None or dtype is None:
        raise MXNetError(f"onnx: the shape or dtype of '{name}' does not follow; give the inputs'")
    try:
        number = number_of(dtype)
    except MXNetError as error:
        raise MXNetError(f"onnx: '{name}': {error}") from None
    sizes = [f"{name}_dim{i}" if s == -1 else s for i, s in enumerate(shape)]
    if batch and shape and shape[0] == -1:
        sizes[0] = "batch"
    return onnx().helper.make_tensor_value_info(name, number, sizes)


def _reachable(graph: Graph, heads: Sequence[tuple[int, int]]) -> set[int]:
    """Nodes that the heads need at inference: labels of output layers are not followed."""
    needed: set[int] = set()
    nodes = {node.id: node for node in graph.nodes}
    waiting = [node for node, _ in heads]
    while waiting:
        id = waiting.pop()
        if id in needed:
            continue
        needed.add(id)
        node = nodes[id]
        sources = node.inputs[:1] if node.op in _LABELLED else node.inputs
        waiting += [source for source, _ in sources]
    return needed


def _used(graph: Graph) -> set[str]:
    needed = _reachable(graph, graph.outputs)
    return {node.name for node in graph.nodes if node.id in needed}


# What the caller gave -----------------------------------------------------------------------------
def _program(
    given: Any, params: Any, inputs: list[Any] | None
) -> tuple[Symbol, dict[str, np.ndarray]]:
    if isinstance(given, HybridBlock):
        return _of_block(given, params, inputs)
    symbol = given if isinstance(given, Symbol) else symbols.load(given)
    if params is None:
        params = {}
    elif not isinstance(params, Mapping):
        params = read_arrays(os.fspath(params))
    values = {
        name.removeprefix("arg:").removeprefix("aux:"): _numpy(a) for name, a in params.items()
    }
    arguments = set(symbol.list_inputs())
    return symbol, {n: v for n, v in values.items() if n in arguments}


def _of_block(
    block: HybridBlock, params: Any, inputs: list[Any] | None
) -> tuple[Symbol, dict[str, np.ndarray]]:
    if params is not None:
        raise MXNetError("onnx: a block brings its own parameters; leave params out")
    if inputs is not None:
        block._infer_params(*inputs)
        symbol = block._trace(tuple(inputs))[1]
    elif block._cached is not None:
        symbol = block._cached.symbol
    else:
        count = len(getattr(block, "_inputs", [None]))
        try:
            symbol = block._trace((nesting.ARRAY,) * count)[1]
        except (TypeError, DeferredInitializationError) as error:  # of several inputs, say
            raise MXNetError(f"onnx: {error}; call the block once or pass inputs=...") from error
    found = block.collect_params()
    try:
        values = {n: _numpy(found[n].list_data()[0]) for n in symbol.list_inputs() if n in found}
    except DeferredInitializationError as error:
        raise MXNetError(f"onnx: {error}; call the block once or pass inputs=an input") from None
    return symbol, values


def _numpy(array: Any) -> np.ndarray:
    return array.asnumpy() if isinstance(array, NDArray) else np.asarray(array)


def _first(*given: Any) -> Any:
    return next((g for g in given if g is not None), None)


def _as_list(given: Any) -> list[Any]:
    """A list of what may be one: a shape, an array or a sequence of them."""
    if given is None:
        return []
    if isinstance(given, (NDArray, np.ndarray)):
        return [given]
    given = list(given)
    if given and all(g is None or isinstance(g, (int, str, np.integer)) for g in given):
        return [tuple(given)]
    return given


def _match(needed: list[str], names: list[str], given: list[Any], what: str) -> dict[str, Any]:
    """One of ``given`` for each input; labels that nothing needs may have theirs or not."""
    order = needed if len(given) == len(needed) else names
    if len(given) != len(order):
        raise MXNetError(
            f"onnx: given {len(given)} {what}, expected {len(needed)}: for {', '.join(needed)}"
        )
    return {n: g for n, g in zip(order, given) if n in needed}


__all__ = ["build_model", "export_model", "get_operator_support"]
