"""The instructions of a unit: a loop's blocks, each compiled for every kind of values it meets.

Blocks are followed from the loop's head with the kinds at hand. Where a name holds an int at first
and a float64 later, what follows is compiled once for either, so every instruction knows its
operands' types.
"""

from __future__ import annotations

import ast
from array import array
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ... import _core
from ...reasons import Told
from . import arithmetic, pure
from .blocks import Loop
from .kinds import Stream, is_array, letter_of
from .parts import Attr, Block, Leaves, Refusal, first_of
from .steps import STEPS, Steps
from .values import WIDTH

_OPCODES = _core.units.OPCODES
_ARRAYS = frozenset(
    _OPCODES[name]
    for name in (
        "view",
        "turn",
        "apply",
        "reduce",
        "reduce_axis",
        "product",
        "convert",
        "filled",
        "take",
        "choose",
        "put_at",
        "accumulate",
        "iota",
        "reshape",
        "arg_best",
        "call",
    )
)
_WRITES = frozenset(
    number
    for name, number in _OPCODES.items()
    if name.startswith("store_")
    or name in ("put_at", "assign", "fill", "push", "insert", "pop", "extend", "reverse", "sort")
)
_NAMES = {number: name for name, number in _OPCODES.items()}
# What instructions leave for, by the first words of their names.
_RESULTS = {
    **dict.fromkeys(("load", "store"), "an index out of range, or an item of another type"),
    **dict.fromkeys(("add", "sub", "mul", "pow", "shl", "neg", "abs"), "an integer beyond 64 bits"),
    **dict.fromkeys(("floordiv", "mod", "div", "nonzero"), "a division by zero, or a nan"),
    **dict.fromkeys(("fits", "exact", "invert"), "an integer that its dtype can't hold"),
    **dict.fromkeys(("take", "put"), "an index out of range, or shapes that do not fit"),
    **dict.fromkeys(("pop", "find", "sort", "gather"), "no such item in a list, or other kinds"),
    **dict.fromkeys(("push", "insert", "extend", "reverse"), "a list that may not grow here"),
    "is": "an array of another dtype or rank in a list", "number": "a nan in a list",
    "shift": "a shift by so many bits",
    "to": "a float that no integer of 64 bits is",
    "finite": "a result for which math raises", "steps": "a range of such numbers",
    "draw": "random numbers of such a range",
    "call": "a function that warns, raises or gives something else",
}  # fmt: skip
_LATER, _UPDATES = 16, 32  # flags of `apply`
_TEMPORARIES = 64
_CONSTANTS = 256
_MOST = 400  # blocks, each for some kinds
# Branches where a comparison does not hold.
_FAILS = {
    "eq_i": "if_ne_i", "ne_i": "if_eq_i", "eq_f": "unless_eq_f", "lt_f": "unless_lt_f",
    "le_f": "unless_le_f", "ne_f": "if_eq_f",
}  # fmt: skip
_TURNED = {"lt_i": "if_le_i", "le_i": "if_lt_i"}  # fails: the other way round, operands swapped


def _with_slot(kind: Any, slot: int) -> Any:
    """The kind; a generator's with the slot that holds it."""
    known = type(kind) is tuple and type(kind[1]) is Stream
    return ("is", Stream(kind[1].kind, slot)) if known else kind


class Code(Steps):
    """What :class:`Loop` becomes for the kinds that its slots have at first.

    Attributes:
        letters: how the machine keeps the loop's variables, by the number of their kinds.
        kinds: these kinds.
        entry: the kinds that the slots have at first.
        nodes: of each instruction, what it does a part of.
        reasons: of instructions that always leave.
        starts: where the blocks begin, by their numbers, each for some kinds.
        watches: is NumPy to warn of floating-point exceptions?
        attributes: of modules, what they were: (module, name, value).
        drawn_from: generators of random numbers, or the slots of those that names hold.
        keeps_pairs: those of which it draws normal numbers that come in pairs, of which it keeps
            the second itself.
        gives_pairs: those whose methods it calls that may take that from the generator.
    """

    def __init__(self, loop: Loop, kinds: tuple[Any, ...]):
        self.loop = loop
        self.watches = False
        self.attributes: list[tuple[ModuleType, str, Any]] = []
        self.letters: list[str] = []
        self.kinds: list[tuple[Any, ...]] = []
        kinds = tuple(map(_with_slot, kinds, range(len(kinds))))
        self.entry = kinds
        self.nodes: list[Any] = []
        self.reasons: dict[int, Told] = {}
        self._code = array("i")
        self.first_temporary = loop.size
        self._next = loop.size
        self.pinned = -1
        self.taken: dict[int, int] = {}
        self.computed_later: dict[int, int] = {}  # where registers get what may be
        self.parts: list[int] = []  # of views
        self.loops: list[tuple[Any, str, bool, float]] = []  # of whole arrays
        # Functions, arguments, results, whether they draw, and of pairs by which source.
        self.calls: list[tuple[Any, list[Any], Any, bool, int]] = []
        self.drawn_from: list[Any] = []
        self.keeps_pairs: list[Any] = []
        self.gives_pairs: list[Any] = []
        self.appends: list[tuple[int, Any]] = []  # to the list of a slot, of a kind
        self._constants: dict[tuple[type, str], int] = {}
        self._values: list[Any] = []
        self._now: list[Any] = []  # kinds of the slots
        self._node: Any = loop.node
        self.starts: dict[tuple[int, tuple[Any, ...]], int] = {}
        self._open: list[tuple[int, int, tuple[int, tuple[Any, ...]]]] = []  # jumps to patch
        self._known: dict[tuple[Any, ...], int] = {}
        self.takes_steps = False  # can one end where the next begins?
        self._compile((loop.first.number, self._key(loop.first, kinds)))
        # Python tests a `while` once more that has ended: that has drawn and written nothing yet.
        tests_again = not loop.way and (bool(self.drawn_from) or loop.test_writes)
        if self.works_with_arrays or tests_again:  # a step is long beside a snapshot
            for at in range(0, len(self._code), WIDTH):
                if self._code[at] == _OPCODES["commit"]:
                    self._code[at + 4] = 1
                elif self._code[at] == _OPCODES["exit"] and self._code[at + 1] == 0:
                    self._code[at + 3] = int(tests_again)

    def why_left(self, at: int) -> Refusal:
        """What keeps the unit from going on at an instruction."""
        what = _NAMES[self._code[at * WIDTH]].partition("_")[0]
        why = self.reasons.get(at) or _RESULTS.get(what, "NumPy has to warn, or shapes do not fit")
        return Refusal.at(why, self.nodes[at])

    def why_none(self) -> Refusal:
        """What no step can be taken without."""
        left = [self.why_left(at) for at in self.reasons]
        return first_of(left) or Refusal.at("it takes no step", self.loop.node)

    # The instructions -----------------------------------------------------------------------------
    @property
    def registers(self) -> int:
        return self.first_temporary + _TEMPORARIES + len(self._values)

    @property
    def bytes(self) -> bytes:
        return self._code.tobytes()

    @property
    def constants(self) -> list[tuple[int, Any]]:
        first = self.first_temporary + _TEMPORARIES
        return [(first + k, value) for k, value in enumerate(self._values)]

    @property
    def works_with_arrays(self) -> bool:
        return not _ARRAYS.isdisjoint(self._code[::WIDTH])

    @property
    def has_effects(self) -> bool:
        """Does a step do more than give names values?"""
        writes = (n for n, one in enumerate(self._code[::WIDTH]) if one == _OPCODES["call"])
        return (
            bool(self.drawn_from)
            or not _WRITES.isdisjoint(self._code[::WIDTH])
            or any(self._code[n * WIDTH + 5] for n in writes)
            or any(type(name) is Attr for name in list(self.loop.slots)[: self.loop.bound])
        )

    def _add(self, name: str, *operands: int) -> None:
        self._code.append(_OPCODES[name])
        self._code.extend(operands)
        self._code.extend((0,) * (WIDTH - 1 - len(operands)))
        self.nodes.append(self._node)

    def emit(self, name: str, *operands: int) -> int:
        """An instruction; the register of its result."""
        made = self._temporary()
        self._add(name, made, *operands)
        return made

    def check(self, name: str, *operands: int) -> None:
        """One without a result."""
        self._add(name, *operands)

    def _temporary(self) -> int:
        if self._next == self.first_temporary + _TEMPORARIES:
            raise Leaves("an expression of too many parts", None)
        self._next += 1
        return self._next - 1

    def is_temporary(self, register: int) -> bool:
        return 0 <= register - self.first_temporary < _TEMPORARIES

    def computes(self, value: tuple[Any, int]) -> None:
        """What is emitted next takes this array: if nobody else does, it computes it, too."""
        at = self.computed_later.get(value[1])
        if at is not None and value[1] != self.pinned:
            self._code[at * WIDTH + 5] |= _LATER

    def updates(self, value: tuple[Any, int]) -> None:
        """What computes this array writes into its first operand, as NumPy does it."""
        at = self.computed_later.get(value[1])
        if at is not None:
            self._code[at * WIDTH + 5] |= _UPDATES

    def consecutive(self, registers: list[int]) -> int:
        """The first of so many registers side by side with these values."""
        first = self._next
        for register in registers:
            self._add("move", self._temporary(), register)
        return first

    def consecutive_of(self, values: Sequence[tuple[Any, int]]) -> int:
        """The same of values, complex ones too."""
        first = self._next
        for kind, register in values:
            name = "move_c" if letter_of(kind) == "c" else "move"
            self._add(name, self._temporary(), register)
        return first

    def call_number(
        self,
        function: Any,
        given: Sequence[tuple[Any, int]],
        result: Any,
        draws: pure.Draws | None = None,
    ) -> int:
        """The number of a function that is called so."""
        self.calls.append(pure.described(function, given, result, draws))
        return len(self.calls) - 1

    def loop_number(self, function: Any, letters: str, in_place: bool, beginning: float) -> int:
        """The number of NumPy's loop for these dtypes."""
        loop = function, letters, in_place, beginning
        for number, known in enumerate(self.loops):
            if known[:3] == loop[:3] and repr(known[3]) == repr(beginning):
                return number
        self.loops.append(loop)
        return len(self.loops) - 1

    def constant(self, value: Any) -> int:
        """The register of a number."""
        known = type(value), repr(value)
        found = self._constants.get(known)
        if found is None:
            if len(self._values) == _CONSTANTS:
                raise Leaves("too many numbers", None)
            found = self.first_temporary + _TEMPORARIES + len(self._values)
            self._constants[known] = found
            self._values.append(value)
        return found

    def constant_of(self, register: int) -> Any:
        """The number that a register always has, or None."""
        k = register - self.first_temporary - _TEMPORARIES
        return self._values[k] if k >= 0 else None

    def small(self, register: int) -> int | None:
        """Such an integer, where it fits into an instruction."""
        found = self.constant_of(register)
        return int(found) if type(found) in (int, bool) and abs(found) < 2**31 else None

    # Blocks ---------------------------------------------------------------------------------------
    def _key(self, block: Block, kinds: Any) -> tuple[Any, ...]:
        live, named = self.loop.live[block.number], self.loop.named
        return tuple(k if n < named or n in live else None for n, k in enumerate(kinds))

    def _compile(self, first: tuple[int, tuple[Any, ...]]) -> None:
        waiting = [first]
        while waiting:
            at = waiting.pop()
            if at in self.starts:
                continue
            if len(self.starts) == _MOST:
                raise Leaves("values change their kinds too often", self.loop.node)
            self.starts[at] = len(self.nodes)
            next_ones = self._block(self.loop.blocks[at[0]], list(at[1]))
            first_number = self.loop.first.number
            self.takes_steps |= any(number == first_number for number, _ in next_ones)
            waiting += next_ones
            # What comes next stands next.
            if waiting and waiting[-1] not in self.starts and self._open:
                where, operand, target = self._open[-1]
                last = where == len(self.nodes) - 1
                if last and target == waiting[-1] and self._code[where * WIDTH] == _OPCODES["jump"]:
                    self._open.pop()
                    del self._code[-WIDTH:]
                    self.nodes.pop()
        for where, operand, target in self._open:
            self._code[where * WIDTH + operand] = self.starts[target]

    def _to(self, name: str, operands: tuple[int, ...], block: Block) -> tuple[int, Any]:
        """A jump, whose last operand is the place of a block for the present kinds."""
        target = block.number, self._key(block, self._now)
        self._open.append((len(self.nodes), len(operands) + 1, target))
        self._add(name, *operands, 0)
        return target

    def _number_of_kinds(self) -> int:
        kinds = tuple(self._now[: self.loop.bound])
        found = self._known.get(kinds)
        if found is None:
            found = self._known[kinds] = len(self.kinds)
            self.kinds.append(kinds)
            self.letters.append("".join(map(letter_of, kinds)))
        return found

    def _block(self, block: Block, kinds: list[Any]) -> list[Any]:
        """Compiles one for these kinds; the blocks that follow."""
        self._now = kinds
        if block.every:
            self._node = self.loop.node
            self._add("commit", self._number_of_kinds(), 0, 0, block.every)
        node: Any = self.loop.node
        try:
            for kind, *step, node in block.steps:
                self._node = node
                self._next, self.pinned = self.first_temporary, -1
                self.computed_later.clear()
                act: Any = STEPS[kind]
                act(self, *step)
            last: Any = block.end
            kind, *end, node = (*last, node) if last[0] == "exit" else last
            self._node = node
            self._next, self.pinned = self.first_temporary, -1
            self.computed_later.clear()
            if kind == "exit":
                self._add("exit", end[0], self._number_of_kinds())
                self.takes_steps |= end[0] == 1
                return []
            if kind == "leave":
                raise Leaves(end[0], node)
            if kind == "jump":
                return [self._to("back" if end[0].number <= block.number else "jump", (), end[0])]
            if kind == "next":
                return self._step(*end)
            return self._branch(*end)
        except Leaves as problem:
            self.reasons[len(self.nodes)] = problem.args[0]
            self._add("leave")
            return []

    def _step(self, first: int, slot: int, body: Block, over: Block) -> list[Any]:
        ended = self._to("next", (first, slot), over)
        self._now[slot] = "int"
        return [ended, self._to("jump", (), body)]

    def _branch(self, test: Any, then: Block, otherwise: Block) -> list[Any]:
        if isinstance(test, ast.Compare) and type(test.ops[0]) in arithmetic.COMPARED:
            left, right = self._value(test.left), self._value(test.comparators[0])
            if is_array(left[0]) or is_array(right[0]):
                raise Leaves("the truth of an array", None)
            _, name, x, y = arithmetic.compared(self, test.ops[0], left, right)
            if name in _TURNED:
                failed = self._to(_TURNED[name], (y, x), otherwise)
                return [failed, self._to("jump", (), then)]
            if name in _FAILS:
                failed = self._to(_FAILS[name], (x, y), otherwise)
                return [failed, self._to("jump", (), then)]
            made = self.emit(name, x, y)
            return [self._to("if_false", (made,), otherwise), self._to("jump", (), then)]
        value = self._value(test)
        if value[0] in ("float", ".d", ".f") and self.constant_of(value[1]) is None:
            failed = self._to("if_zero_f", (value[1],), otherwise)
            return [failed, self._to("jump", (), then)]
        truth = arithmetic.truth_of(self, value)
        if type(truth) is bool:
            return [self._to("jump", (), then if truth else otherwise)]
        return [self._to("if_false", (truth,), otherwise), self._to("jump", (), then)]
