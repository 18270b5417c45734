"""The form of a picture's data: what Python makes, files keep and the browser reads.

The one description for both languages. mypy holds Python to it; ``tools/schema.py`` writes the
browser's types and decoders from it. Notes of a field: words are its documentation, :class:`Or` is
what a reader takes where it is absent (older files), :class:`Columns` how a long list is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

A = TypeVar("A")
B = TypeVar("B")

MIME = "application/vnd.jupyter-hybrid.graph.v1+json"
VERSIONS = (1, 2)  # that are read; the last is written. 2: long lists may be columns


@dataclass(frozen=True)
class Or:
    """What stands for an absent value."""

    value: Any


@dataclass(frozen=True)
class Columns:
    """A list that is sent by columns when it is long.

    Args:
        key: a row of the stage before with the same values of these, and all others equal, is
            not sent again.
    """

    key: tuple[str, ...] = ()


class Positive:
    """A number above zero."""


class NotNegative:
    """A number that is zero or more."""


class AsCode:
    """A text that keeps its lines and tabs when it is drawn."""


class Exact:
    """A text that is used, not only drawn."""


Text = Annotated[str, Or("")]
Code = Annotated[str, Or(""), AsCode]
File = Annotated[str, Or(""), Exact]
Truth = Annotated[bool, Or(False)]
Count = Annotated[int, Or(0)]
Id = Annotated[int | None, Or(None)]  # of something that may not be there
Size = Annotated[int, NotNegative, Or(0)]
Rate = Annotated[float, NotNegative, Or(0)]
Figure = Annotated[float | None, Or(None)]

Family = Literal[
    "elementwise",
    "linear",
    "conv",
    "reduce",
    "shape",
    "random",
    "index",
    "loss",
    "creation",
    "copy",
    "gradient",
    "input",
    "constant",
    "effect",
    "other",
]
Action = Literal["folded", "merged", "removed", "fused", "rewritten", "added", "moved", "kept"]
View = Literal["graph", "memory", "program"]
NodeKind = Literal["input", "constant", "op", "fused", "effect", "output"]
NameState = Literal["kept", "deferred", "planned away"]
EdgeKind = Literal["data", "order"]
GroupKind = Literal["block", "part", "line", "prefix", "repeat", "step", "range"]
BufferKind = Literal["arena", "output", "input"]
Category = Literal[
    "parameter", "input", "constant", "activation", "gradient", "temporary", "result"
]


class Cell(TypedDict):
    """The user's cell. Lines of nodes count from 1 in the whole cell, its magic line included."""

    id: Annotated[str | None, Or(None)]
    lines: list[Code]
    first_line: Count


class Place(TypedDict):
    """A line of code that is not in the picture's own cell; neither cell nor file: nobody knows."""

    cell: Annotated[str | None, Or(None), "its id"]
    file: Annotated[File, "relative to the kernel's working directory where it is in it, or to ~"]
    line: int
    code: Code


class Member(TypedDict):
    """An operator of a fused kernel."""

    id: int
    op: Text
    label: Text
    line: Id


class Node(TypedDict):
    """A node of the graph; w and h are its card's size, in layout pixels."""

    id: int
    op: Text
    kind: Annotated[NodeKind, Or("op")]
    label: Text
    detail: Text
    name: Text
    family: Annotated[Family, Or("other")]
    line: Id
    col: Id
    code: Code
    places: Annotated[list[int], "indexes of the lines outside of the cell that it came from"]
    shape: Annotated[list[int] | None, Or(None)]
    dtype: Text
    bytes: Annotated[
        int | None, NotNegative, Or(None), "of its values; null: a shape or dtype is not known"
    ]
    device: Text
    kernel: Id
    buffer: Id
    origins: list[int]
    forward: Annotated[list[int], "of a gradient: the nodes that it belongs to"]
    scope: Text
    segment: Count
    head: Truth
    members: list[Member]
    body: Annotated[Code, "the program text of a control-flow node's bodies"]
    group: Annotated[Id, "index of the innermost group"]
    host: Annotated[Id, "of a parameter: the operator on whose card it can be written"]
    w: Annotated[float, Positive, Or(132)]
    h: Annotated[float, Positive, Or(44)]


class Edge(TypedDict):
    """A value that a node reads, or a wait."""

    src: int
    dst: int
    out: Count
    arg: Count
    label: Text
    bytes: Size
    kind: Annotated[EdgeKind, Or("data")]


class Graph(TypedDict):
    """One stage's nodes, in the order of the cell, and edges."""

    nodes: Annotated[list[Node], Columns(("id",))]
    edges: Annotated[list[Edge], Columns(("src", "dst", "out", "arg", "kind"))]


class Group(TypedDict):
    """What nodes can be collapsed into."""

    label: Text
    kind: Annotated[GroupKind, Or("range")]
    parent: Id


class Change(TypedDict):
    """What a pass did to one node of the stage before."""

    node: int
    action: Annotated[Action, Or("kept")]
    into: Id
    why: Text
    step: Annotated[
        int, Or(-1), "the rewrite of its pass that it is part of, in their order; -1: not told"
    ]
    rule: Annotated[Text, "of that rewrite: `x * 1 -> x`; empty: not told"]
    line: Id


class Kernel(TypedDict):
    """One launch: the operators that it computes, and their lines."""

    id: int
    op: Text
    nodes: list[int]
    lines: list[int]
    text: Text


class Stage(TypedDict):
    """The graph after a pass."""

    name: Text
    label: Text
    summary: Text
    graph: Graph
    changes: Annotated[list[Change], Columns()]
    program: Code
    program_nodes: Annotated[
        list[int],
        "for each line of the program its node, or a member of one; -1: none; empty: not told",
    ]
    kernels: Annotated[list[Kernel], Columns()]


class Skipped(TypedDict):
    """A pass that changed nothing, and why."""

    name: Text
    label: Text
    why: Text


class Step(TypedDict):
    """One step of the plan."""

    step: int
    node: int
    label: Text
    line: Id


class Value(TypedDict):
    """What a buffer holds from a step on."""

    node: int
    label: Text
    start: int
    category: Category
    line: Annotated[int | None, Or(None), "of its operator; a kernel's values have several"]


class Held(TypedDict):
    """An array of the caller's, alive all the while; ``written``: the program fills it."""

    node: int
    label: Text
    bytes: Size
    line: Id
    category: Category
    written: Truth
    start: Annotated[int, Or(0), "the steps of the part that reads or fills it"]
    end: Annotated[int, Or(0)]


class Attempt(TypedDict):
    """A way to place the buffers, and the height that it reached."""

    method: Text
    bytes: Size
    s: Annotated[Figure, "what it took; None: not measured alone"]
    offsets: Annotated[list[int], "of the buffers ``attempted``; empty: not kept"]


class Buffer(TypedDict):
    """One buffer of the plan: ``bytes`` at ``offset``, alive from step ``start`` to step ``end``,
    both included."""

    id: int
    node: Annotated[int, Or(-1)]
    label: Text
    bytes: Annotated[int, NotNegative]
    offset: Size
    start: int
    end: int
    kind: Annotated[BufferKind, Or("arena")]
    line: Id
    shares: list[int]
    values: Annotated[list[Value], "what it holds, one after the other; empty: not told"]


class DeviceMemory(TypedDict):
    """What a program on several devices takes on one of them, in bytes."""

    device: Text
    arena_bytes: Size
    planned_bytes: Size
    lower_bound_bytes: Size


class Memory(TypedDict):
    """The memory plan, in bytes."""

    steps: Annotated[list[Step], Columns()]
    buffers: Annotated[list[Buffer], Columns()]
    held: Annotated[list[Held], Columns(), "what it reads and fills of the caller's; no buffers"]
    arena_bytes: Size
    planned: Size
    lower_bound: Size
    imperative: Size
    optimal: Truth
    placed: Annotated[
        list[int], "buffers of the arena in the order in which the planner placed them"
    ]
    devices: list[DeviceMemory]
    unsure: Annotated[
        Size, "results of a cell's parts that count as held to its end: nothing tells who lets go"
    ]
    repeated: Annotated[Count, "parts of the cell that ran several times"]
    method: Text
    attempts: Annotated[
        list[Attempt],
        "the planner's methods on the largest arena, each alone; that of ``method`` is the plan's",
    ]
    attempted: Annotated[list[int], "the buffers of that arena"]
    arena_bound: Annotated[Size, "the most of their bytes alive at one step; 0: not known"]


class KernelTime(TypedDict):
    """Of one kernel of the plan: seconds, FLOP and bytes, of all its runs together."""

    node: int
    s: Annotated[float, NotNegative]
    flop: Rate
    bytes: Rate
    members: Annotated[
        list[tuple[int, float]],
        "of a fused kernel: (member, share of the time as its cost is estimated)",
    ]


class Serials(TypedDict):
    """Of one program in a kernel's process: ``count`` ids from ``offset`` on."""

    process: Text
    first: int
    count: int
    offset: Count


class Totals(TypedDict, total=False):
    """What the cell costs; null where it was not measured. Bytes and seconds."""

    bytes_imperative: Figure
    bytes_planned: Figure
    bytes_lower_bound: Figure
    arena_bytes: Figure
    kernels_before: Figure
    kernels_after: Figure
    compile_s: Figure
    record_s: Annotated[Figure, "Python's time for recording"]
    settle_s: Annotated[Figure, "standing still where a value was needed"]
    run_s: Figure
    took_s: Annotated[Figure, "the cell, from its start to its end"]
    loops_s: Annotated[Figure, "of it, loops that ran compiled"]
    running: Annotated[Truth, "the program is not through yet: its time is not known"]
    cached: Truth
    replay: Annotated[Text, "replayed, skipped or compiled; empty where it is not known"]


class Message(TypedDict):
    """What is told, as a template and its arguments, each a text or a message itself."""

    name: Annotated[Text, "of the argument that it is; empty: of none"]
    text: Annotated[Text, "in English"]
    id: Annotated[
        Text, "the template, in which `{name}` stands for an argument; empty: a text alone"
    ]
    args: list[Message]


class Stop(TypedDict):
    """A place in the cell where the graph was cut, and why: a message and its arguments."""

    line: Id
    reason: Annotated[Text, "in English; in older files all there is, with count and price"]
    id: Annotated[Text, "of the message, as in ``Message``; empty: an older file's"]
    args: list[Message]
    count: Annotated[int, NotNegative, Or(1), "how often it came up"]
    seconds: Annotated[float, NotNegative, Or(0), "what it cost altogether; 0: not known"]


class LaterName(TypedDict):
    """A name whose value is computed when it is read; ``price``: what that costs, in words."""

    name: Text
    price: Text
    bytes: Size


class Name(TypedDict):
    """An array name of the cell, as a switch; ``price``: what keeping it adds, in words."""

    name: str
    line: Id
    state: NameState
    price: Text
    fixed: Annotated[Text, "why it is kept in any case; empty: it can be switched"]
    shares: Annotated[list[str], "other names of the same array"]


class UnitVersion(TypedDict):
    """A line's instructions for the kinds of values that its names hold."""

    kinds: Text
    instructions: list[str]


class UnitRow(TypedDict):
    """A line of the user's text with what it became."""

    line: int
    own: Annotated[bool, Or(True), "it stands in this cell"]
    of: Annotated[Text, "the function that it stands in, where the loop calls that"]
    code: Code
    versions: Annotated[
        list[UnitVersion], "its instructions; several where the names hold other kinds by turns"
    ]
    refused: Annotated[Text, "why the unit left or was refused there"]
    reasons: Annotated[list[Message], "the same, each reason; empty: an older file's"]


class Unit(TypedDict):
    """A loop's unit: one body, run for every step."""

    title: Text
    compiled: Annotated[Truth, "some of its steps ran compiled"]
    text: Annotated[Text, "how long, where it left, why it has no unit"]
    rows: list[UnitRow]
    variables: Annotated[list[tuple[str, str]], "names that it binds, with their types"]
    guards: Annotated[list[str], "what is looked at when it begins"]


class Initial(TypedDict):
    """What is shown first; ``open``: groups; ``fold``: parameters are on their operators' cards."""

    stage: Count
    view: Annotated[View, Or("graph")]
    open: list[int]
    fold: Truth


class Beside(TypedDict):
    """Another picture, to be compared with the one that holds it."""

    title: Text
    cell: Annotated[Cell | None, Or(None)]
    places: list[Place]
    stages: list[Stage]
    groups: Annotated[list[Group], Columns()]
    ends: list[Stop]
    initial: Annotated[Initial, Or({})]


class Spec(TypedDict):
    """One picture of a cell, a block or a graph."""

    version: int
    id: Text
    title: Text
    cell: Annotated[Cell | None, Or(None)]
    places: Annotated[list[Place], "lines of other cells and of files that nodes came from"]
    stages: list[Stage]
    groups: Annotated[
        list[Group],
        Columns(),
        "the same in every stage; a parent stands before its children",
    ]
    skipped: list[Skipped]
    memory: Annotated[Memory | None, Or(None)]
    heat: Annotated[
        list[KernelTime],
        Columns(),
        "what the kernels of the last run took; empty: it was not measured",
    ]
    serials: Annotated[list[Serials], "what the trace calls nodes of the plan: id - offset + first"]
    totals: Annotated[Totals, Or({})]
    breaks: list[Stop]
    ends: Annotated[list[Stop], "why each segment but the last ends where it does"]
    deferred: list[LaterName]
    names: list[Name]
    replanned: Annotated[
        str | None,
        Or(None),
        "the first line that would run this plan; null: it is the one that ran",
    ]
    notes: list[Text]
    units: Annotated[list[Unit], "loops that ran compiled, or have no unit"]
    initial: Annotated[Initial, Or({})]
    beside: Annotated[Beside | None, Or(None), "another picture, shown side by side with this"]


def pair(first: A, second: B) -> tuple[A, B]:
    """Two values as JSON has them."""
    return cast("tuple[A, B]", [first, second])


@cache
def columns_in(record: type) -> dict[str, tuple[type, Columns | None]]:
    """The fields of a record that are sent as columns, and those that hold such fields: the type
    of their rows, and how these are sent (None: as they are)."""
    found: dict[str, tuple[type, Columns | None]] = {}
    for name, hint in get_type_hints(record, include_extras=True).items():
        notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        columns = next((note for note in notes if isinstance(note, Columns)), None)
        row = record_of(hint)
        is_new = row is not record  # a record may hold others of its kind
        if row is not None and (columns is not None or (is_new and columns_in(row))):
            found[name] = (row, columns)
    return found


def record_of(hint: Any) -> type | None:
    """The record that a field, or each row of it, is; None when it is none."""
    if hasattr(hint, "__required_keys__"):
        return cast(type, hint)
    return next((r for part in get_args(hint) if (r := record_of(part)) is not None), None)
