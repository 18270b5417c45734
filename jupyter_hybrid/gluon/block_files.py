"""Files of blocks: parameters by attribute path, and how blocks are nested and named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import nd
from ..whole_files import write_whole
from .checks import CheckError
from .parameter_files import fill, read_arrays

if TYPE_CHECKING:
    from .block import Block
    from .parameter import Parameter


def save_parameters(block: Block, filename: str, deduplicate: bool) -> None:
    """See :meth:`Block.save_parameters`."""
    params = block.structured_params()
    if deduplicate:  # the last of its names, as MXNet writes it
        last = {id(param): name for name, param in params.items()}
        params = {name: p for name, p in params.items() if last[id(p)] == name}
    nd.save(filename, {name: param._reduce() for name, param in params.items()})


def load_parameters(block: Block, filename: str, *options: Any) -> None:
    """See :meth:`Block.load_parameters`."""
    arrays = read_arrays(filename)
    params = block.structured_params()
    if not arrays and not params:
        return
    if not any("." in name for name in arrays) and not set(arrays) & set(params):
        params = _by_name(block, arrays)
    fill(params, arrays, filename, *options)


def _by_name(block: Block, arrays: dict[str, Any]) -> dict[str, Parameter]:
    """Parameters by full names, or by those without the block's prefix, as the file has them."""
    full = dict(block.collect_params().items())
    if set(arrays) & set(full):
        return full
    return {name.removeprefix(block.prefix): param for name, param in full.items()}


# The model: names and children, as MXNet 1.9.1 writes them -------------------------------------
def save_model(block: Block, prefix: str) -> None:
    """See :meth:`Block.save`."""
    model: dict[str, Any] = {}
    _describe(block, [0], model)
    write_whole(f"{prefix}-model.json", json.dumps(model))
    save_parameters(block, f"{prefix}-model.params", deduplicate=False)


def load_model(block: Block, prefix: str) -> None:
    """See :meth:`Block.load`."""
    file_name = f"{prefix}-model.json"
    with open(file_name, encoding="utf-8") as file:
        model = json.load(file)
    _restore(block, [0], model, file_name)
    block.load_parameters(f"{prefix}-model.params")


def _key(block: Block, index: list[int]) -> str:
    return f"{type(block).__name__.lower()}{index[0]}"


def _describe(block: Block, index: list[int], into: dict[str, Any]) -> None:
    described: dict[str, Any] = {"orig_name": block.name}
    into[_key(block, index)] = described
    if hasattr(block, "_active"):
        cached = block._cached  # type: ignore[attr-defined]
        described["hybridized"] = cached is not None
        if cached is not None:
            described["in_format"] = cached.in_format
            described["out_format"] = cached.out_format
            described["inputs"] = [variable.tojson() for variable in cached.variables]
            described["symbol"] = cached.symbol.tojson()
    described["children"] = {}
    for name, child in block._children.items():
        index[0] += 1
        described["children"][child.name] = name
        _describe(child, index, described)


def _restore(block: Block, index: list[int], model: Any, file_name: str) -> None:
    try:
        described = model[_key(block, index)]
        name, names = described["orig_name"], described["children"]
        hybridized = bool(described.get("hybridized"))
    except (KeyError, TypeError, AttributeError):
        raise CheckError(
            f"{file_name}: describes no {type(block).__name__} at place {index[0]}; the net has to "
            "be made as the one that was saved"
        ) from None
    block.rename(str(name))
    if hybridized and hasattr(block, "_active"):
        block._active = True  # of a HybridBlock
    for child in block._children.values():
        index[0] += 1
        _restore(child, index, described, file_name)
    if any(child.name not in names for child in block._children.values()):
        raise CheckError(f"{file_name}: the children of {name} are {', '.join(map(str, names))}")
    renamed = [(str(names[child.name]), child) for child in block._children.values()]
    block._children.clear()
    block._children.update(renamed)
