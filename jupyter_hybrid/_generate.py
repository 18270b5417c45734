"""Source text of the nd and sym functions, made from the op table; also the source of the stubs."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import _core
from ._signatures import SIGNATURES

#: Where operators with these prefixes are functions, as in MXNet: nd.contrib, sym.linalg, ...
#: Of those of random the samplers have better written forms.
ROOMS = {"_contrib_": "contrib", "_linalg_": "linalg", "_image_": "image", "_random_": "random"}

_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "ints": "int | Sequence[int | None]",
    "reals": "float | Sequence[float]",
    "scalar": "float",
    "dtype": "DTypeLike",
    "any": "Any",
}


@dataclass
class Parameter:
    """One attribute of a face function."""

    name: str
    type: str
    required: bool
    default: Any
    doc: str
    choices: list[str] | None = None
    ignored: bool = False  # MXNet's, without a meaning here: handed on only when it is given


@dataclass
class Face:
    """One function of nd and sym: an MXNet name on a core operator.

    ``name`` is the function's, ``op`` the operator's: "arange_like", "_contrib_arange_like".
    """

    name: str
    op: str
    doc: str
    inputs: list[dict[str, Any]]
    variadic: bool
    parameters: list[Parameter] = field(default_factory=list)

    @property
    def python_inputs(self) -> list[str]:
        """Names of the inputs that are no keywords."""
        return [i["name"] + "_" * keyword.iskeyword(i["name"]) for i in self.inputs]


def faces() -> tuple[Face, ...]:
    """Every function of nd and sym themselves, in the order of the table."""
    return _all_faces().get("", ())


def room_faces(room: str) -> tuple[Face, ...]:
    """Every function of a module of theirs: "contrib", "linalg", "image", "random"."""
    return _all_faces().get(room, ())


@lru_cache(maxsize=1)
def _all_faces() -> dict[str, tuple[Face, ...]]:
    ops = {op["name"]: op for op in _core.op_table()}
    found: dict[str, list[Face]] = {}
    for row in _core.mx_table():
        op = ops[row["op"]]
        mx_name = {core: mx for mx, core in row["renamed"].items()}
        parameters = [
            Parameter(
                mx_name.get(a["name"], a["name"]),
                a["type"],
                a["required"],
                a["default"],
                a["doc"],
                a["choices"],
            )
            for a in op["attrs"]
            if a["name"] not in row["fixed"]
        ]
        parameters = _ordered(row["name"], parameters)
        for room, name in _places(row["name"]):
            face = Face(name, row["name"], op["doc"], op["inputs"], op["variadic"], parameters)
            found.setdefault(room, []).append(face)
    return {room: tuple(made) for room, made in found.items()}


def _ordered(op: str, parameters: list[Parameter]) -> list[Parameter]:
    """In MXNet's order, with those that have no meaning here."""
    if op not in SIGNATURES:
        return parameters
    own = {p.name: p for p in parameters}
    text = "MXNet's; without a meaning here"
    ordered = []
    for entry in SIGNATURES[op]:
        name, _, default = entry.partition("=")
        value = ast.literal_eval(default or "None")
        ignored = Parameter(name, "any", False, value, text, ignored=True)
        ordered.append(own.pop(name, ignored))
    return ordered + list(own.values())


def _places(op: str) -> Iterator[tuple[str, str]]:
    """(module, function) of an operator; one whose name begins with "_" is in _internal, too."""
    if not op.startswith("_"):
        yield "", op
        return
    yield "_internal", op
    for prefix, room in ROOMS.items():
        name = op.removeprefix(prefix)
        if name != op and (room != "random" or name.endswith("_like")):
            yield room, name


def function_source(face: Face, symbolic: bool) -> str:
    """A function that calls ``_invoke`` (nd) or ``_apply`` (sym)."""
    tail = ["name=None", "attr=None"] if symbolic else ["out=None", "name=None"]
    signature = [*_inputs(face, symbolic), *_defaults(face)]
    if not face.inputs:  # of symbols without a meaning: where they are bound says it
        signature.insert(_place_of_ctx(face), "ctx=None")
    head = f"def {face.name}({', '.join([*signature, *tail, '**attrs'])}):\n"
    return head + f"    {_docstring(face, symbolic)!r}\n" + _body(face, symbolic)


def method_source(face: Face, symbolic: bool) -> str:
    """The same as a method: the first input is ``self``."""
    rest = [f"{n}=None" if symbolic or i["optional"] else n for n, i in _rest(face)]
    tail = ["name=None", "attr=None"] if symbolic else ["*", "out=None", "name=None"]
    head = f"def {face.name}({', '.join(['self', *rest, *_defaults(face), *tail, '**attrs'])}):\n"
    face_name = "sym" if symbolic else "nd"
    inputs = ", ".join(["self", *(n for n, _ in _rest(face))])
    doc = f"Method form of :func:`{face_name}.{face.name}`."
    return head + f"    {doc!r}\n" + _call(face, symbolic, f"({inputs},)")


def methods(taken: set[str]) -> Iterator[Face]:
    """Functions that are methods as well: lower-case, of at least one array."""
    for face in faces():
        if face.inputs and not face.variadic and face.name.islower() and face.name not in taken:
            yield face


def stub(face: Face, symbolic: bool, method: bool = False) -> str:
    """The typed signature."""
    kind = "Symbol" if symbolic else "NDArray"
    operand = f"{kind} | float" if len(face.inputs) == 2 else kind
    parts = ["self"] if method else []
    inputs = list(zip(face.python_inputs, face.inputs))
    if face.variadic and not method:
        parts.append(f"*{face.python_inputs[0]}: {kind} | Sequence[{kind}]")
    else:
        for name, info in inputs[1:] if method else inputs:
            optional = symbolic or info["optional"]
            parts.append(f"{name}: {operand} | None = ..." if optional else f"{name}: {operand}")
    options = [f"{p.name}: {_TYPES[p.type]} | None = ..." for p in face.parameters]
    if not face.inputs:
        options.insert(_place_of_ctx(face), "ctx: Any = ...")
    parts += options
    if symbolic:
        parts += ["name: str | None = ...", "attr: dict[str, str] | None = ..."]
    else:
        parts += ["*"] * method
        parts += ["out: Any = ...", "name: str | None = ..."]
    parts.append("**attrs: Any")
    result = kind if symbolic else "Any"
    return f"def {face.name}({', '.join(parts)}) -> {result}: ..."


def _rest(face: Face) -> list[tuple[str, dict[str, Any]]]:
    return list(zip(face.python_inputs[1:], face.inputs[1:]))


def _inputs(face: Face, symbolic: bool) -> list[str]:
    if face.variadic:
        return [f"*{face.python_inputs[0]}"]
    return [
        f"{name}=None" if symbolic or info["optional"] else name
        for name, info in zip(face.python_inputs, face.inputs)
    ]


def _chooses_device(face: Face, symbolic: bool) -> bool:
    return not symbolic and not face.inputs


def _place_of_ctx(face: Face) -> int:
    """Among the parameters of an array from nothing, as in MXNet: after the shape."""
    names = [p.name for p in face.parameters]
    return names.index("shape") + 1 if "shape" in names else len(names)


def _defaults(face: Face) -> list[str]:
    # A required attribute left out is reported by the core, with the operator's name.
    return [f"{p.name}={None if p.required else p.default!r}" for p in face.parameters]


def _call(face: Face, symbolic: bool, inputs: str) -> str:
    named = [p.name for p in face.parameters if not p.ignored]
    attrs = "{" + ", ".join(f"{n!r}: {n}" for n in named) + "}"
    head = "".join(
        f"    if {p.name} is not {p.default!r}:\n        attrs[{p.name!r}] = {p.name}\n"
        if p.default is None or isinstance(p.default, bool)
        else f"    if {p.name} != {p.default!r}:\n        attrs[{p.name!r}] = {p.name}\n"
        for p in face.parameters
        if p.ignored
    )
    if symbolic:
        hint = "" if face.name == face.op else f", {face.name!r}"
        return head + (
            f"    return _apply({face.op!r}, {inputs}, "
            f"{{**attrs, **{attrs}}} if attrs else {attrs}, name, attr{hint})\n"
        )
    ctx = "ctx" if _chooses_device(face, symbolic) else "None"
    return head + (
        f"    return _invoke({face.op!r}, {inputs}, {{**attrs, **{attrs}}} if attrs else {attrs},"
        f" out, {ctx}, name)\n"
    )


def _body(face: Face, symbolic: bool) -> str:
    if not face.variadic:
        inputs = "(" + "".join(f"{n}, " for n in face.python_inputs) + ")"
        return _call(face, symbolic, inputs)
    data = face.python_inputs[0]
    flatten = f"    if len({data}) == 1 and isinstance({data}[0], (list, tuple)):\n"
    return flatten + f"        {data} = {data}[0]\n" + _call(face, symbolic, data)


def _docstring(face: Face, symbolic: bool) -> str:
    kind = "Symbol" if symbolic else "NDArray"
    lines = [face.doc, ""]
    if face.inputs or face.parameters:
        lines.append("Args:")
    for name, info in zip(face.python_inputs, face.inputs):
        lines.append(f"    {name} ({kind}): {info['doc']}")
    for p in face.parameters:
        default = "required" if p.required else f"default {p.default!r}"
        choices = f"; one of {', '.join(p.choices)}" if p.choices else ""
        lines.append(f"    {p.name} ({p.type}, {default}): {p.doc}{choices}")
    return "\n".join(lines)
