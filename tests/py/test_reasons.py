"""Reasons travel as a message and its arguments; every message is written out where it is given."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from cells import Shell

import jupyter_hybrid
from jupyter_hybrid import _core
from jupyter_hybrid.np_face.errors import NotCovered
from jupyter_hybrid.reasons import NONE, Reason
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.messages import stop

ROOT = Path(jupyter_hybrid.__file__).parent
# What makes a reason of its first argument; what takes one, or a reason, in its place.
MAKERS = {"Reason", "Reasoned", "NotCovered", "NoSource", "NotSkipped", "NotWhole"}
TAKERS = {
    "change", "flush", "flush_if_active", "imperative", "leave_graph", "look", "pause", "put_aside",
    "raise_here", "run_waiting", "settle_writes", "step_outside", "sync", "to_numpy", "waste",
}  # fmt: skip


def test_a_reason_is_its_text_and_knows_its_message():
    inner = Reason("attribute {name} of {kind}", name="q", kind=dict)
    outer = Reason("{why} in line {line}", why=inner, line=3)
    assert outer == "attribute q of <class 'dict'> in line 3" == f"{outer}"
    assert outer.id == "{why} in line {line}"
    assert outer.args == {"why": inner, "line": 3} and outer.args["why"].id == inner.id
    assert {outer: 1}[str(outer)] == 1  # places are told apart by text
    plain = Reason("100 % of {what}")
    assert (plain, plain.args) == ("100 % of {what}", {})
    assert not NONE


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_of_a_reason_know_its_message_too(copied):
    reason = Reason("{what} of {n}", what=Reason("an {x}", x="{y}"), n=2)
    again = copied(reason)
    assert again == reason == "an {y} of 2"
    assert (again.id, again.args, again.args["what"].id) == (reason.id, reason.args, "an {x}")


def test_what_rewritten_code_and_the_core_tell_is_a_reason():
    told = ("class {name} is made", "name", "Net")
    assert Reason.of(told) == "class Net is made" and Reason.of(told).args == {"name": "Net"}
    assert Reason.of("an import").id == "an import"
    known = Reason("x")
    assert Reason.of(known) is known
    with pytest.raises(NotCovered) as raised:
        _core.region((3,), (object(),))
    assert str(raised.value) == "an index of type object"
    assert raised.value.reason.args == {"kind": "object"}


# Every place that makes one -----------------------------------------------------------------------
def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """(where, what is called, the call) of all calls in the package."""
    for path in sorted({*ROOT.rglob("*.py")} - {ROOT / "reasons.py"}):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                yield f"{path.relative_to(ROOT)}:{node.lineno}", name, node


def fault(call: ast.Call) -> str:
    """What is wrong with a message and its arguments; "" for nothing."""
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        passed_on = isinstance(first, (ast.Name, ast.Call, ast.IfExp)) and not call.keywords
        return "" if passed_on else "a message that is not written out"
    fields = list(Formatter().parse(first.value))
    if any(spec or conversion for _, _, spec, conversion in fields):
        return "an argument with a format: whoever speaks another language has its own"
    wanted = {name for _, name, _, _ in fields if name is not None}
    given = {keyword.arg or "**" for keyword in call.keywords}
    return "" if wanted == given else f"wants {sorted(wanted)}, is given {sorted(given)}"


def test_every_message_gets_the_arguments_that_it_names():
    found = [(where, fault(call)) for where, name, call in calls() if name in MAKERS]
    assert [(where, wrong) for where, wrong in found if wrong] == []
    assert len(found) > 250


def test_what_is_told_has_the_arguments_that_it_names():
    found, wrong = 0, []
    for path in sorted(ROOT.rglob("*.py")):
        tuples = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Tuple))
        for node in tuples:
            first, *rest = (getattr(e, "value", None) for e in (*node.elts, ast.Constant("")))
            names = re.findall(r"{([a-z]\w*)}", first) if isinstance(first, str) else []
            found += bool(names)
            if names and names != rest[:-1:2]:
                wrong.append((path.name, first))
    assert wrong == [] and found >= 6


def test_whoever_takes_a_reason_is_given_one():
    def is_text(value: ast.expr) -> bool:
        return isinstance(value, ast.JoinedStr) or (
            isinstance(value, ast.Constant) and isinstance(value.value, str)
        )

    formatted = [
        where
        for where, name, call in calls()
        if name in ("Leaves", "contact") and any(isinstance(a, ast.JoinedStr) for a in call.args)
    ]
    assert formatted == []
    wrong = [
        where for where, name, call in calls() if name in TAKERS and any(map(is_text, call.args))
    ]
    assert wrong == []


# In a picture -------------------------------------------------------------------------------------
def test_a_picture_has_the_messages_of_its_breaks():
    shell = Shell()
    shell.run(
        "import numpy as np\nx = np.arange(3.0)\n"
        "class Own:\n    def __getattr__(self, name):\n        return 1.0\nown = Own()"
    )
    shell.hybridize(
        "y = x * 2\nown.q\nfor i in range(3):\n    y = y + 1\n    print(y)\n"
        "print(np.linalg.eig(np.outer(y, y))[0].size)",
        "--force",
    )
    spec = spec_of(shell.report)
    told = {(b["line"], b["id"]): b for b in spec["breaks"]}
    shown = told[6, "print shows a value"]
    assert (shown["reason"], shown["args"], shown["count"]) == ("print shows a value", [], 3)
    assert 0 < shown["seconds"] == shell.report.graph_breaks[1].seconds
    asked = told[3, "attribute {name} of {kind}"]
    assert asked["reason"] == "attribute q of Own"
    assert [(a["name"], a["text"], a["id"]) for a in asked["args"]] == [
        ("name", "q", ""),
        ("kind", "Own", ""),
    ]
    assert told[7, "{name} is not covered"]["args"][0]["text"] == "np.linalg.eig"
    assert {e["id"] for e in spec["ends"]} <= {id for _, id in told}


def test_why_a_body_has_to_run_is_a_message():
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(3.0)")
    shell.hybridize("y = x * 2\nprint(len(y))", "--force")
    why = shell.report.not_skipped
    assert (why.id, why.args) == ("{name}() is not known to be pure", {"name": "print"})


def test_messages_among_the_arguments_of_one_are_messages_in_a_picture():
    lines = Reason("lines {first}-{last}", first=2, last=4)
    made = stop((2, Reason("{lines} left to Python", lines=lines)), 5, 0.25)
    (argument,) = made["args"]
    assert (made["reason"], made["count"], made["seconds"]) == ("lines 2-4 left to Python", 5, 0.25)
    assert (argument["text"], argument["id"]) == ("lines 2-4", "lines {first}-{last}")
    assert [(a["name"], a["text"], a["args"]) for a in argument["args"]] == [
        ("first", "2", []),
        ("last", "4", []),
    ]
