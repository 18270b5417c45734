"""Changed copies of good files: their bytes, their JSON, their protobuf messages."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Iterator
from typing import Any

NUMBERS = (0, 1, 2, 3, 7, 8, 9, 0x7F, 0xFF, 0xFFFF, 50_000, 1 << 28, 10**12, -1, -2)
EDGES = (0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
TEXTS = (
    *("", "None", "True", "nan", "-1", "0", "1e400", "(2,", "()", "(0,)", "(-1, -1)", "[]"),
    *("1000000000000", "(1000000, 1000000)", "(1000000000000,)", "18446744073709551616", "\0"),
    *("(" + "1, " * 40 + ")", "x" * 3000, "a/../../b", "é\u202e\U0001f600", "float32", "int8"),
)
FORMS = ("<B", "<H", ">H", "<I", ">I", "<Q", ">Q")


def changed_bytes(good: bytes, other: bytes, draw: random.Random) -> bytes:
    """One to four changes: a byte, a number, a piece that is lost, doubled, put in or cut off."""
    made = bytearray(good)
    for _ in range(draw.randint(1, 4)):
        near = draw.random() < 0.5  # headers stand at the beginning
        at = draw.randrange(min(96, len(made)) if near else len(made))
        length = draw.randint(1, 40)
        how = draw.randrange(7)
        if how == 0:
            made[at] = draw.randrange(256)
        elif how == 1:
            made[at] ^= 1 << draw.randrange(8)
        elif how == 2:
            form = draw.choice(FORMS)
            number = draw.choice(NUMBERS + EDGES) % (1 << 8 * struct.calcsize(form))
            made[at : at + struct.calcsize(form)] = struct.pack(form, number)
        elif how == 3:
            del made[at : at + length]
        elif how == 4:
            made[at:at] = made[at : at + length] * draw.choice((1, 1, 1, 50))
        elif how == 5:
            begin = draw.randrange(len(other))
            made[at : at + length] = other[begin : begin + length]
        else:
            del made[max(at, 4) :]
        made = made or bytearray(b"\0")
    return bytes(made)


# --- JSON ---------------------------------------------------------------------------------------
def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything in a document."""
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in rows:
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _places(item)


def _other_value(value: Any, draw: random.Random) -> Any:
    if isinstance(value, str) and draw.random() < 0.8:
        return draw.choice(TEXTS)
    if isinstance(value, int) and draw.random() < 0.8:
        return draw.choice((*NUMBERS, *EDGES, 0.5, 1e300))
    made: Any = copy.deepcopy(value)
    for _ in range(draw.choice((1, 10, 80))):
        made = [made] if draw.random() < 0.5 else {"nodes": made}
    return draw.choice((made, [], {}, None, True, "x", 5, [value] * 300))


def changed_json(good: bytes, draw: random.Random) -> bytes:
    """One to three values of a JSON document changed, lost, swapped or doubled."""
    document = json.loads(good)
    for _ in range(draw.randint(1, 3)):
        places = list(_places(document))
        if not places:
            break
        container, key = draw.choice(places)
        how = draw.randrange(6)
        if how < 3:
            container[key] = _other_value(container[key], draw)
        elif how == 3:
            del container[key]
        elif how == 4:
            from_where, other_key = draw.choice(places)
            container[key] = copy.deepcopy(from_where[other_key])
        elif isinstance(container, list):
            container[key:key] = container[key : key + 1] * draw.choice((1, 2, 100))
        else:
            container[draw.choice(TEXTS)] = container[key]
    text = json.dumps(document, ensure_ascii=draw.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


# --- Protobuf -----------------------------------------------------------------------------------
def _messages(message: Any) -> Iterator[Any]:
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in [value] if hasattr(value, "ListFields") else value:
                yield from _messages(inner)


def _other_scalar(field: Any, value: Any, draw: random.Random) -> Any:
    if field.type == field.TYPE_STRING:
        return draw.choice((*TEXTS, value + value))
    if field.type == field.TYPE_BYTES:
        return draw.choice((b"", value[: len(value) // 2], value + value, b"\xff" * 9))
    if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return draw.choice((0.0, -1.0, float("nan"), float("inf"), 1e30))
    if field.type == field.TYPE_ENUM:
        return draw.choice(field.enum_type.values).number
    return draw.choice((*NUMBERS, *EDGES, value + 1))


def _change_field(message: Any, draw: random.Random) -> None:
    field, value = draw.choice(message.ListFields())
    repeated = not isinstance(value, (str, bytes, int, float)) and not hasattr(value, "ListFields")
    how = draw.randrange(6)
    if how == 0:
        message.ClearField(field.name)
    elif repeated and how == 1:
        del value[draw.randrange(len(value))]
    elif repeated and how == 2:
        value.extend([copy.deepcopy(draw.choice(value)) for _ in range(draw.choice((1, 1, 60)))])
    elif repeated and field.type != field.TYPE_MESSAGE:
        at = draw.randrange(len(value))
        value[at] = _other_scalar(field, value[at], draw)
    elif field.type != field.TYPE_MESSAGE:
        setattr(message, field.name, _other_scalar(field, value, draw))


def changed_message(model: Any, draw: random.Random) -> bytes:
    """One to three fields of a protobuf message's copy changed, lost or doubled."""
    made = copy.deepcopy(model)
    for _ in range(draw.randint(1, 3)):
        found = [message for message in _messages(made) if message.ListFields()]
        if not found:
            break
        try:
            _change_field(draw.choice(found), draw)
        except (TypeError, ValueError):  # a number that the field has no room for
            continue
    return made.SerializeToString()
