"""A stage as a still picture shows it: groups that are not open are one card each, all placed."""

from __future__ import annotations

from typing import Any

from .around import lead_around
from .layout import MARGIN, Box, Layout, layered
from .opening import chain, is_made, made_in
from .schema import Edge, Graph, Group, Node, Spec, Stage

Card = dict[str, Any]  # a node or an edge, with where it stands


def collapsed(spec: Spec, stage: Stage) -> Card:
    """Cards with ``x`` and ``y`` (centres), edges with ``points``, frames, in pixels.

    Returns:
        ``nodes``, ``edges``, ``frames`` (label, x, y, w, h; of open groups that hold no others'
        cards), ``width`` and ``height``.
    """
    groups, graph = spec["groups"], stage["graph"]
    cards, card_of = _cards(spec, graph)
    edges = _merged(graph["edges"], card_of)
    width, height = _place(groups, cards, edges)
    return {
        "nodes": list(cards.values()),
        "edges": edges,
        "frames": _frames(groups, list(cards.values())),
        "width": round(width, 1),
        "height": round(height, 1),
    }


def _place(groups: list[Group], cards: dict[int, Card], edges: list[Card]) -> tuple[float, float]:
    """Places cards and edges: a cell's parts one below another. Returns the whole's size."""
    part = {i: _part_of(groups, i, card) for i, card in cards.items()}
    order = _in_order(list(cards), edges)
    place = {i: at for at, i in enumerate(order)}
    pieces: list[tuple[list[Card], Layout]] = []
    for number in dict.fromkeys(part[i] for i in order):
        boxes = [
            Box(i, cards[i]["w"], cards[i]["h"], late=not is_made(cards[i]))
            for i in order
            if part[i] == number
        ]
        inner = [
            e
            for e in edges
            if part[e["src"]] == part[e["dst"]] == number and place[e["src"]] < place[e["dst"]]
        ]
        pieces.append((inner, layered(boxes, [(e["src"], e["dst"]) for e in inner])))
    width, height = max((layout.width for _, layout in pieces), default=2 * MARGIN), 0.0
    for inner, layout in pieces:
        left = (width - layout.width) / 2
        for i, box in layout.boxes.items():
            cards[i].update(x=round(box.x + left, 1), y=round(box.y + height, 1))
        for edge, points in zip(inner, layout.lines, strict=True):
            edge["points"] = [[round(x + left, 1), round(y + height, 1)] for x, y in points]
        height += layout.height
    moved, width = lead_around(cards, edges, width)  # between parts; some run backwards
    for card in cards.values():
        card["x"] = round(card["x"] + moved, 1)
    for edge in edges:
        edge["points"] = [[round(x + moved, 1), round(y, 1)] for x, y in edge["points"]]
    return width, height


def _part_of(groups: list[Group], card: int, shown: Card) -> int | None:
    """The part of the cell that a card is in; a closed part's own card has an id below 0."""
    around = chain(groups, shown["group"] if card >= 0 else -1 - card)
    return next((g for g in around if groups[g]["kind"] == "part"), None)


def _in_order(cards: list[int], edges: list[Card]) -> list[int]:
    """Sources before targets; where groups read one another, as they are given."""
    sources: dict[int, list[int]] = {}
    for edge in edges:
        sources.setdefault(edge["dst"], []).append(edge["src"])
    order: dict[int, None] = {}
    seen: set[int] = set()
    for card in cards:
        stack = [card]
        while stack:
            top = stack[-1]
            if top in seen:
                order.setdefault(stack.pop())
            else:
                seen.add(top)
                stack += [s for s in sources.get(top, ()) if s not in seen]
    return list(order)


def _cards(spec: Spec, graph: Graph) -> tuple[dict[int, Card], dict[int, int]]:
    """(cards by id, node -> the card that stands for it); a group's card has an id below 0."""
    groups, opened = spec["groups"], set(spec["initial"]["open"])
    made = made_in(graph, groups)
    here = {node["id"] for node in graph["nodes"]}
    cards: dict[int, Card] = {}
    card_of: dict[int, int] = {}
    hosted = [n for n in graph["nodes"] if spec["initial"]["fold"] and n["host"] in here]
    on_cards = {n["id"] for n in hosted}
    for node in graph["nodes"]:
        if node["id"] in on_cards:
            continue
        around = [
            g for g in chain(groups, node["group"]) if made[g] > 1 or groups[g]["kind"] == "part"
        ]
        closed = next((g for g in around if g not in opened), None)
        if closed is None:
            card_of[node["id"]] = node["id"]
            cards[node["id"]] = {**node, "group": around[-1] if around else None}
            continue
        card_of[node["id"]] = -1 - closed
        if -1 - closed not in cards:
            inner = around[: around.index(closed)]
            cards[-1 - closed] = _group_card(node, groups[closed], closed, made[closed]) | {
                "group": inner[-1] if inner else None
            }
    for node in hosted:
        if node["host"] is not None:
            card_of[node["id"]] = card_of[node["host"]]
    return cards, card_of


def _group_card(first: Node, group: Group, index: int, made: int) -> Card:
    detail = f"{made:,} operators"
    wide = 8.0 * max(len(group["label"]), len(detail)) + 52
    return first | {
        "id": -1 - index, "op": "", "kind": "group", "family": "other", "label": group["label"],
        "detail": detail, "name": "", "line": None, "code": "", "shape": None, "dtype": "",
        "bytes": None, "kernel": None, "buffer": None, "head": False, "members": [],
        "w": min(300.0, max(96.0, wide)), "h": 44,
    }  # fmt: skip


def _merged(edges: list[Edge], card_of: dict[int, int]) -> list[Card]:
    """The edges between cards; several of which either stands for a group are one."""
    found: dict[Any, Card] = {}
    values: dict[Any, set[tuple[int, int]]] = {}
    for edge in edges:
        source, target = card_of[edge["src"]], card_of[edge["dst"]]
        if source == target:
            continue
        plain = source == edge["src"] and target == edge["dst"]
        key = (source, target, edge["out"], edge["arg"]) if plain else (source, target)
        made = values.setdefault(key, set())
        made.add((edge["src"], edge["out"]))
        if key not in found:
            found[key] = {**edge, "src": source, "dst": target}
        elif len(made) > 1:
            found[key]["label"] = f"{len(made):,} values"
    return list(found.values())


def _frames(groups: list[Group], cards: list[Card]) -> list[Card]:
    inside: dict[int, list[Card]] = {}
    for card in cards:
        for group in chain(groups, card["group"]):
            inside.setdefault(group, []).append(card)
    frames = []
    for group, own in sorted(inside.items()):
        if len(own) < 2:
            continue
        left = min(c["x"] - c["w"] / 2 for c in own) - 12
        top = min(c["y"] - c["h"] / 2 for c in own) - 22
        right = max(c["x"] + c["w"] / 2 for c in own) + 12
        bottom = max(c["y"] + c["h"] / 2 for c in own) + 12
        # A frame says "these and no others": none where the layout put other work in between.
        members = {c["id"] for c in own}
        others = (c for c in cards if is_made(c))
        if any(
            c["id"] not in members and left < c["x"] < right and top < c["y"] < bottom
            for c in others
        ):
            continue
        frames.append(
            {"label": groups[group]["label"], "x": round(left, 1), "y": round(top, 1),
             "w": round(right - left, 1), "h": round(bottom - top, 1)}
        )  # fmt: skip
    return frames
