"""A unit as a small program for people: for each line of the user's text its instructions, the
variables with their types, and what is looked at before a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ... import _core
from ...reasons import NONE, Reason
from .code import Code
from .draws import DRAWN
from .functions import MATH_1, MATH_2
from .kinds import OTHER, TYPES, kind_words
from .parts import Part
from .unit import Made
from .values import WIDTH

_NAMES = {number: name for name, number in _core.units.OPCODES.items()}
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=",
}  # fmt: skip
_LOADED = "{0} = {1}[{several}]"
_STORED = "{1}[{several}] = {0}"
# Of an instruction's operands: as registers {0}, as numbers {n[0]}, where it goes on {to[0]}.
_TEXTS = {
    "commit": "commit: a step begins", "next": "{1} = next, else {to[2]}",
    "steps_of": "{0} = steps of range({1}, {2}, {3})", "move": "{0} = {1}", "move_c": "{0} = {1}",
    "pick": "{0} = {2} if {1} else {3}",
    "if_false": "if not {0}: {to[1]}", "if_zero_f": "if {0} == 0: {to[1]}",
    "not_i": "{0} = not {1}", "true_f": "{0} = {1} != 0", "true_c": "{0} = {1} != 0",
    "shift_fits": "check 0 <= {0} < {n[1]}", "fits": "check {0} fits {dtype[1]}",
    "exact_i": "check {0} is exact as a float", "nonzero_f": "check {0} != 0",
    "nonzero_i": "check {0} != 0",
    "number_f": "check {0} is no nan", "finite_f": "check {0} is finite",
    "add_ii": "{0} = {1} {signed}", "neg_i": "{0} = -{1}", "neg_f": "{0} = -{1}",
    "neg_c": "{0} = -{1}", "abs_i": "{0} = abs({1})", "abs_f": "{0} = abs({1})",
    "abs_c": "{0} = abs({1})", "invert_i": "{0} = ~{1}", "invert_u": "{0} = ~{1}",
    "round_f": "{0} = float32({1})", "to_f": "{0} = float({1})", "to_i": "{0} = int({1})",
    "floor_f": "{0} = floor({1})", "ceil_f": "{0} = ceil({1})", "near_f": "{0} = round({1})",
    "math_1": "{0} = {math_1}({1})",
    "math_2": "{0} = {math_2}({1}, {3})", "real_c": "{0} = {1}.real", "imag_c": "{0} = {1}.imag",
    "to_c": "{0} = complex({1})", "make_c": "{0} = complex({1}, {2})",
    "length": "{0} = length of {1}, axis {n[2]}", "min_i": "{0} = min({1}, {2})",
    "load_1": _LOADED, "load_2": _LOADED, "load_n": _LOADED,
    "store_1": _STORED, "store_2": _STORED, "store_n": _STORED,
    "view": "{0} = {1}[{parts}]", "turn": "{0} = {1}.T", "apply": "{0} = {loop}({inputs})",
    "apply_s": "{0} = {loop}({inputs})", "reduce": "{0} = {loop_2}.reduce({1})",
    "reduce_axis": "{0} = {loop_2}.reduce({1}, axis={n[3]})", "product": "{0} = {1} @ {2}",
    "convert": "{0} = {1} as {dtype[2]}", "filled": "{0} = new array of {3}",
    "ordered": "check {0} is in C order", "assign": "{0}[...] = {1}", "fill": "{0}[...] = {1}",
    "take": "{0} = {1}[{2}]", "choose": "{0} = where({several})",
    "put_at": "{0}[{1}] = {2}", "accumulate": "{0} = {loop_2}.accumulate({1})",
    "iota": "{0} = {3} numbers from {1}", "reshape": "{0} = {1} in another shape",
    "arg_best": "{0} = where {1} has its best", "append": "append {0}",
    "new_list": "{0} = {display}", "listed": "{0} = list({1})", "repeat": "{0} = {1} * {2}",
    "push": "append {0} to {1}", "insert": "{1}.insert({2}, {0})", "pop": "{0} = {1}.pop({2})",
    "extend": "{0}.extend({1})", "reverse": "{0}.reverse()", "sort": "{0}.sort()",
    "gather": "{0} = array of {1}", "find": "{0} = where {2} is in {1}",
    "is_like": "check {0} is {dtype[1]}, {n[2]}-D",
    "call": "{0} = {called}({given})", "draw": "{0} = a random number of {drawn}",
    **{f"if_{w}_{k}": f"if {{0}} {s} {{1}}: {{to[2]}}" for w, s in _SIGNS.items() for k in "if"},
    **{f"unless_{w}_f": f"if not {{0}} {s} {{1}}: {{to[2]}}" for w, s in _SIGNS.items()},
    **{f"{word}_{k}": f"{{0}} = {{1}} {s} {{2}}" for word, s in _SIGNS.items() for k in "ifc"},
}  # fmt: skip
_UNTOLD = frozenset({"jump", "back", "exit", "leave"})


@dataclass
class Line:
    """A line of the text, and what it became.

    Attributes:
        of: the function that it stands in, where the loop calls that.
        versions: its instructions, for each kinds of values that it was compiled for: (what the
            names hold where versions differ, texts).
        refused: why the unit leaves there.
    """

    number: int
    of: CodeType | None
    versions: list[tuple[str, list[str]]] = field(default_factory=list)
    refused: Reason = NONE


def listing(made: Made) -> list[Line]:
    """The lines of a unit, in the order of the text; functions that it calls after the loop."""
    return _Listing(made.code).lines()


def variables(made: Made) -> list[tuple[str, str]]:
    """The names that a unit binds, with the kinds that they take."""
    code, loop = made.code, made.loop
    found = []
    for name, slot in list(loop.slots.items())[: loop.bound]:
        if type(name) is Part and name.key is None:
            continue
        kinds = [code.entry[slot], *(kinds[slot] for kinds in code.kinds)]
        words = dict.fromkeys(kind_words(k) for k in kinds if k is not None)
        if words:  # a comprehension's variable is another one
            found.append((_plain(name), ", then ".join(words)))
    return found


def guards(made: Made) -> list[str]:
    """What is looked at when a run begins."""
    code, loop = made.code, made.loop
    found, same = [], []
    if loop.way:
        sources = [kind_words(k) for k in code.entry[loop.hidden + 3 :][: loop.sources] if k]
        found.append(f"goes through: {', '.join(sources) or 'range'}")
    for name, slot in loop.slots.items():
        kind = code.entry[slot]
        if kind is None or kind == OTHER:
            continue
        words = kind_words(kind)
        by_itself = type(kind) is tuple and kind[0] == "is"
        if by_itself and words == str(name):
            same.append(words)
        else:
            found.append(f"{_plain(name)}: {words}")
    functions = (c for known in (*loop.callees, loop.methods) for c in known.values())
    called = {c.code: f"{c.code.co_name}()" for c in functions}
    same += [*called.values(), *(f"{m.__name__}.{name}" for m, name, _ in code.attributes)]
    return [*found, f"the same as before: {', '.join(dict.fromkeys(same))}"] if same else found


def _plain(name: Any) -> str:
    """Of a comprehension's own variable as the user has written it."""
    return str(name).strip("<>")


class _Listing:
    def __init__(self, code: Code):
        self._code = code
        self._numbers = memoryview(code.bytes).cast("i")
        self._slots = {slot: _plain(name) for name, slot in code.loop.slots.items()}
        self._slots |= code.loop.inner
        self._constants = {register: repr(value) for register, value in code.constants}

    def lines(self) -> list[Line]:
        """By line and block: a block is compiled for several kinds, a line may have several."""
        found: dict[tuple[bool, int], dict[int, dict[tuple[str, ...], Any]]] = {}
        refused: dict[tuple[bool, int], Reason] = {}
        nodes: dict[tuple[bool, int], Any] = {}
        for block, kinds, at in self._instructions():
            node = self._code.nodes[at]
            key = getattr(node, "of", None) is not None, node.lineno
            nodes[key] = node
            parts = found.setdefault(key, {}).setdefault(block, {})
            parts.setdefault(kinds, []).append(self._text(at))
            if at in self._code.reasons:
                refused[key] = Reason.of(self._code.reasons[at])
        made = []
        for key in sorted(found):
            line = Line(key[1], getattr(nodes[key], "of", None), refused=refused.get(key, NONE))
            for versions in found[key].values():
                line.versions += self._told(versions)
            made.append(line)
        return made

    def _instructions(self) -> Iterator[tuple[int, Any, int]]:
        """(block, its kinds, number) of each."""
        starts = sorted((at, *key) for key, at in self._code.starts.items())
        ends = [at for at, *_ in starts[1:]] + [len(self._code.nodes)]
        for (first, block, kinds), end in zip(starts, ends, strict=True):
            for at in range(first, end):
                yield block, kinds, at

    def _told(self, versions: dict[Any, list[str]]) -> list[tuple[str, list[str]]]:
        """Versions that differ, each with the kinds by which they do."""
        different: dict[tuple[str, ...], Any] = {}
        for kinds, texts in versions.items():
            told = tuple(text for text in texts if text)
            different.setdefault(told, kinds)
        if len(different) == 1:
            return [("", list(texts)) for texts in different if texts]
        each = list(different.values())
        differ = [s for s in self._slots if len({kinds[s] for kinds in each}) > 1]
        return [
            (", ".join(f"{self._slots[s]}: {kind_words(kinds[s])}" for s in differ), list(texts))
            for texts, kinds in different.items()
            if texts
        ]

    # One instruction ------------------------------------------------------------------------------
    def _text(self, at: int) -> str:
        opcode, *numbers = self._numbers[at * WIDTH : (at + 1) * WIDTH]
        name = _NAMES[opcode]
        if name in _UNTOLD:
            return ""
        registers = [self._register(n) for n in numbers]
        text = _TEXTS[name]
        return text.format(*registers, n=numbers, **self._others(name, numbers))

    def _others(self, name: str, n: list[int]) -> dict[str, Any]:
        """What an instruction's text may name beside registers and numbers."""
        code = self._code
        others: dict[str, Any] = {"to": list(map(self._to, n)), "dtype": list(map(_dtype, n))}
        if name == "new_list":
            others["display"] = "()" if n[2] else "[]"
        elif name == "add_ii":
            others["signed"] = f"{'-' if n[2] < 0 else '+'} {abs(n[2])}"
        elif name in ("math_1", "math_2"):
            table: list[Any] = MATH_1 if name == "math_1" else MATH_2
            others[name] = table[n[2]].__name__
        elif name.startswith(("load", "store")):
            several = range(n[2], n[2] + n[3]) if name.endswith("n") else n[2:4][: int(name[-1])]
            others["several"] = ", ".join(map(self._register, several))
        elif name == "choose":
            others["several"] = ", ".join(map(self._register, range(n[1], n[1] + 3)))
        elif name == "view":
            parts = (code.parts[4 * k : 4 * k + 4] for k in range(n[2] // 4, n[2] // 4 + n[3]))
            others["parts"] = ", ".join(map(self._part, parts))
        elif name in ("apply", "apply_s"):
            function = code.loops[n[3]][0]
            others |= {"loop": function.__name__}
            others["inputs"] = ", ".join(map(self._register, n[1:3][: function.nin]))
        elif name in ("reduce", "reduce_axis", "accumulate"):
            others["loop_2"] = code.loops[n[2]][0].__name__
        elif name == "draw":
            low, high = map(self._register, (n[2], n[2] + 1))
            others["drawn"] = DRAWN[n[1]].format(low, high)
        elif name == "call":
            function = code.calls[n[1]][0]
            others["called"] = getattr(function, "__name__", "a function")
            others["given"] = ", ".join(map(self._register, range(n[2], n[2] + n[3])))
        return others

    def _to(self, at: int) -> str:
        """Where a jump leads."""
        count = len(self._code.nodes)
        while 0 <= at < count and (name := _NAMES[self._numbers[at * WIDTH]]) in ("jump", "back"):
            at = self._numbers[at * WIDTH + 1]
        if not 0 <= at < count:
            return ""
        return "end" if name == "exit" else f"go to line {self._code.nodes[at].lineno}"

    def _part(self, part: list[int]) -> str:
        way, *bounds = part
        if way == 2:
            return "None"
        if way == 0:
            return self._register(bounds[0])
        start, stop, step = ("" if b < 0 else self._register(b) for b in bounds)
        return f"{start}:{stop}" + (f":{step}" if step else "")

    def _register(self, number: int) -> str:
        if number in self._slots:
            return self._slots[number]
        if number in self._constants:
            return self._constants[number]
        temporary = number - self._code.first_temporary
        return f"t{temporary + 1}" if temporary >= 0 else f"h{number - self._code.loop.named + 1}"


def _dtype(number: int) -> str:
    return kind_words(f".{TYPES[number]}") if 0 <= number < len(TYPES) else ""
