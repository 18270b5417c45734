"""Cards: what a node's card in a picture says, and how large it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import indent
from typing import Any, cast

from .edges import shape_text
from .group_paths import is_gradient
from .notation import THEN, notation, number_text, other_attributes, short
from .schema import Family
from .visible import visible

# Pixels of one character: wide fonts are the measure, narrow ones leave some air.
_LABEL_CHAR, _DETAIL_CHAR = 8.0, 6.8
_WIDEST = 300.0


def node_label(node: Any, name: str, operands: Sequence[str] | None = None) -> str:
    """What a node's card says: ``c = b * a``, ``data``, ``print``.

    Args:
        node: of a graph.
        name: what the user calls its value, or "".
        operands: what the values that it reads are called; None: the operator alone is told.
    """
    if node.kind == "input":
        return name or str(node.name)
    if node.kind == "constant":
        return str(node.text or _number(node) or name or node.name)
    if node.kind == "effect":
        return str((node.text or "effect").partition("(")[0])
    if node.kind == "fused":
        ops = [short(m) for m in node.members]
        op = THEN.join(ops if len(ops) <= 4 else [*ops[:2], f"… {len(ops) - 3} more …", ops[-1]])
    else:
        op = short(node) if operands is None else notation(node, operands)
    return f"{name} = {op}" if name else op


def _number(node: Any) -> str:
    """A constant of one element as a number, else empty."""
    if node.value is None or node.value.size != 1:
        return ""
    return number_text(node.value.asnumpy().item())


def user_names(names: dict[int, str], node: Any, offset: int = 0) -> list[str]:
    """The user's name for each of a node's values, or ""."""
    if node.kind == "fused":
        return [names.get(member + offset, "") for member, _ in node.member_outputs]
    return [names.get(node.id + offset, "")] * max(1, len(node.shapes))


def names_at(names: dict[int, str], graph: Any, offset: int = 0) -> dict[int, str]:
    """``names`` with those of a graph's results: a pass may have put another node in the place of
    the one that the user has named."""
    known = set(names.values())
    ends = zip(graph.outputs, graph.output_names, strict=False)
    ours = [(entry, name) for entry, name in ends if name in known]
    if not ours:
        return names
    found, nodes = dict(names), {n.id: n for n in graph.nodes}
    for (id_, out), name in ours:
        node = nodes[id_]
        made_by = node.member_outputs[out][0] if node.members else id_
        if node.kind in ("op", "fused"):
            found.setdefault(made_by + offset, name)
    return found


def user_name(names: dict[int, str], node: Any, offset: int = 0) -> str:
    """What the user calls what a node makes; of a kernel with several values: ``d, ·``."""
    made = user_names(names, node, offset)
    if node.kind == "fused" and any(made):
        return ", ".join(name or "·" for name in made)
    return made[0]


def is_copy(node: Any) -> bool:
    return bool(node.kind == "op" and node.op == "copy_to_device")


def family_of(node: Any) -> Family:
    """By which a card is coloured: the operator's family, or what else the node is."""
    if node.kind not in ("op", "fused"):
        return cast(Family, node.kind)
    if is_copy(node):
        return "copy"
    return "gradient" if is_gradient(node.scope) else cast(Family, node.family)


def detail_of(node: Any, label: str, sources: dict[int, Any] | None = None) -> str:
    """The attributes of an operator that its label does not say; of a kernel, what it is.

    With ``sources``, the nodes by id of a graph on several devices, where it runs.
    """
    text = other_attributes(node, label)
    if node.kind == "fused":
        rows = ", row by row" if node.family == "reduce" else ""
        text = f"one kernel of {len(node.members)} operators{rows}"
    if sources is None or node.kind in ("constant", "effect"):
        return text
    if is_copy(node):
        return f"{sources[node.inputs[0][0]].ctx} → {node.ctx}"
    if not text and node.shapes and node.shapes[0] is not None:
        text = f"{shape_text(node.shapes[0])} {node.dtypes[0]}"
    return f"{text} on {node.ctx}".lstrip()


def on_several_devices(graph: Any) -> bool:
    places = {
        str(n.ctx) if n.ctx.device_type == "gpu" else n.ctx.device_id
        for n in graph.nodes
        if n.kind not in ("constant", "effect")
    }
    return len(places) > 1


def bodies_of(node: Any) -> str:
    """The program text of a loop's or branch's bodies; empty for other nodes."""
    bodies: dict[str, Any] = getattr(node, "bodies", None) or {}
    return "\n".join(f"{name}:\n{indent(str(body), '  ')}" for name, body in bodies.items())


def card_size(node: Any, label: str, detail: str, chip: bool) -> tuple[float, int]:
    """The card's width and height in pixels, from its texts as the browser sets them."""
    given = node.kind in ("input", "constant")
    inset = 34 if node.kind in ("input", "effect") else 18
    glyph = 0 if node.kind == "effect" else 18
    if not detail and node.shapes and node.shapes[0]:
        detail = f"{shape_text(node.shapes[0])} {node.dtypes[0]}"
    below = len(detail) * _DETAIL_CHAR + (72 if chip else 0)
    wide = max(len(visible(label)) * _LABEL_CHAR + glyph, below) + inset
    height = 44 if detail or not given else 30
    return round(min(max(wide, 64), _WIDEST), 1), height


def given_name(node: Any) -> str:
    """The node's own name within its block, unless it is only its operator counted."""
    counted = node.kind in ("op", "fused") and re.fullmatch(
        rf"_*{re.escape(node.op.lower())}_*\d*", node.name.lower()
    )
    return "" if counted else str(node.name_in_block)
