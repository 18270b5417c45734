"""Writes the browser's types and decoders of pictures from jupyter_hybrid/views/schema.py.

python tools/schema.py          # labextension/src/spec.ts and spec_decoders.ts, anew
python tools/schema.py --check  # fails where they are not what would be written
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from jupyter_hybrid.views import schema
from jupyter_hybrid.views.schema import AsCode, Columns, Exact, NotNegative, Or, Positive

SOURCES = Path(__file__).parent.parent / "labextension" / "src"
HEAD = "// Written by tools/schema.py from jupyter_hybrid/views/schema.py: change that.\n"
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean"}
DECODERS = {int: "integer", float: "number", str: "string", bool: "boolean"}
NOTED = {Positive: "length", NotNegative: "size", AsCode: "code", Exact: "exact"}

CHOICES = {value: name for name, value in vars(schema).items() if get_origin(value) is Literal}
# A description stands behind those that it speaks of.
RECORDS = [
    value
    for value in vars(schema).values()
    if isinstance(value, type) and hasattr(value, "__required_keys__")
]


def _plural(name: str) -> str:
    """``NodeKind`` -> ``NODE_KINDS``."""
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
    return words[:-1] + "IES" if words.endswith("Y") else words + "S"


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _fields(record: Any) -> dict[str, Any]:
    return get_type_hints(record, include_extras=True)


def _parts(hint: Any) -> tuple[Any, list[Any]]:
    """The bare type and its notes."""
    if get_origin(hint) is Annotated:
        bare, *notes = get_args(hint)
        return bare, notes
    return hint, []


def _but_none(hint: Any) -> Any:
    """``T`` of ``T | None``, otherwise None."""
    if get_origin(hint) not in (Union, types.UnionType):
        return None
    (bare,) = (part for part in get_args(hint) if part is not type(None))
    return bare


def _type(hint: Any) -> str:
    """As TypeScript writes it."""
    bare, _ = _parts(hint)
    inner = _but_none(bare)
    if inner is not None:
        return f"{_type(inner)} | null"
    if get_origin(bare) is list:
        of = _type(get_args(bare)[0])
        return f"({of})[]" if " " in of and not of.startswith("[") else f"{of}[]"
    if get_origin(bare) is tuple:
        return f"[{', '.join(map(_type, get_args(bare)))}]"
    return PLAIN.get(bare) or CHOICES.get(bare) or bare.__name__


def _is_chained(hint: Any) -> bool:
    """Its rows refer to those of the stage before, or it holds what does."""
    bare, notes = _parts(hint)
    if any(isinstance(note, Columns) and note.key for note in notes):
        return True
    return bare in RECORDS and any(map(_is_chained, _fields(bare).values()))


def _decoder(hint: Any, name: str) -> str:
    """The expression that reads it; ``name``: of the field, in what stands ``before``."""
    bare, notes = _parts(hint)
    inner = _but_none(bare)
    columns = next((note for note in notes if isinstance(note, Columns)), None)
    if inner is not None:
        return f"or({_noted(notes) or _decoder(inner, name)}, null)"
    if get_origin(bare) is list:
        (item,) = get_args(bare)
        if columns is not None and columns.key:
            found = f"table({_decoder(item, name)}, before?.{name})"
        elif columns is not None:
            found = f"table({_decoder(item, name)})"
        elif _is_chained(item):
            found = f"chained({_lower(item.__name__)})"
        else:
            found = f"list({_decoder(item, name)})"
    elif get_origin(bare) is tuple:
        found = f"pair({', '.join(_decoder(item, name) for item in get_args(bare))})"
    elif bare in CHOICES:
        found = f"choice({_plural(CHOICES[bare])})"
    elif bare in RECORDS:
        found = _lower(bare.__name__) + (f"(before?.{name})" if _is_chained(bare) else "")
    else:
        found = _noted(notes) or DECODERS[bare]
    default = next((note for note in notes if isinstance(note, Or)), None)
    if default is None:
        return found
    if default.value == {}:
        return f"filled({found})"
    return f"or({found}, {json.dumps(default.value)})"


def _noted(notes: list[Any]) -> str:
    return next((name for note, name in NOTED.items() if note in notes), "")


def _comment(words: str, indent: str) -> str:
    words = " ".join(words.replace("``", "`").split())
    return f"{indent}/** {words} */\n"


def written_types() -> str:
    """spec.ts"""
    text = HEAD + f"\nexport const GRAPH_MIME = {schema.MIME!r};\n"
    text += f"export const SPEC_VERSIONS = {list(schema.VERSIONS)};\n"
    for value, name in CHOICES.items():
        text += f"\nexport const {_plural(name)} = {list(get_args(value))} as const;\n"
        text += f"export type {name} = (typeof {_plural(name)})[number];\n"
    for record in RECORDS:
        text += "\n" + _comment(inspect.getdoc(record) or "", "")
        text += f"export interface {record.__name__} {{\n"
        for name, hint in _fields(record).items():
            for note in _parts(hint)[1]:
                text += _comment(note, "  ") if isinstance(note, str) else ""
            text += f"  {name}: {_type(hint)};\n"
        text += "}\n"
    return text


def written_decoders() -> str:
    """spec_decoders.ts"""
    text = ""
    for record in RECORDS:
        name = record.__name__
        rows = "".join(f"  {f}: {_decoder(hint, f)},\n" for f, hint in _fields(record).items())
        start = f"(before?: {name}) => " if _is_chained(record) else ""
        export = "export " if record in (schema.Spec, schema.Message) else ""
        typed, own = "", f"list({_lower(name)})"
        if own in rows:  # its decoder is not made yet
            typed = f": Decoder<{name}>"
            rows = rows.replace(own, f"list((value, path) => {_lower(name)}(value, path))")
        text += f"\n{export}const {_lower(name)}{typed} = {start}object<{name}>({{\n{rows}}});\n"
    used = set(re.findall(r"[A-Za-z_]+", text))
    tools = [
        "boolean",
        "choice",
        "code",
        "exact",
        "filled",
        "integer",
        "length",
        "list",
        "number",
        "object",
        "or",
    ]
    tools += ["pair", "size", "string", "type Decoder"]
    tables = ["chained", "table"]
    types_ = [f"type {record.__name__}" for record in RECORDS]
    constants = sorted(_plural(name) for name in CHOICES.values())

    def imported(names: list[str], source: str) -> str:
        kept = [name for name in names if name.split()[-1] in used]
        return f"import {{ {', '.join(kept)} }} from './{source}';\n" if kept else ""

    heads = imported(tools, "decode") + imported(constants + types_, "spec")
    return HEAD + heads + imported(tables, "table") + text


def stale() -> dict[Path, str]:
    """The files that are not what the schema says, with what they should hold."""
    made = {"spec.ts": written_types(), "spec_decoders.ts": written_decoders()}
    paths = {SOURCES / name: text for name, text in made.items()}
    return {path: text for path, text in paths.items() if _bare(_read(path)) != _bare(text)}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _bare(text: str) -> str:
    """Without what the formatter changes: white space, quotes, closing commas."""
    return re.sub(r",(?=[)}\]])", "", re.sub(r"\s+", "", text.replace('"', "'")))


def main() -> int:
    wrong = stale()
    if "--check" in sys.argv:
        for path in wrong:
            print(f"{path.name}: not what views/schema.py says; run tools/schema.py")
        return 1 if wrong else 0
    for path, text in wrong.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
