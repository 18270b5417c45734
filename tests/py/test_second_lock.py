"""Code that runs unasked in a recorded cell finds everything computed, and its writes are seen."""

from __future__ import annotations

import sys
import weakref

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid.capture import second_lock
from jupyter_hybrid.capture.recorder import Recorder

# Each helper writes x from code that no line of the cell calls.
UNASKED = {
    "a finalizer": (
        "class Thing:\n    def __del__(self): x[0] += 100\nheld = [Thing(), Thing()]",
        "held.pop()",
    ),
    "a weak reference's callback": (
        "import weakref\nclass Thing: pass\nheld = [Thing()]\n"
        "def gone(r): x[0] += 100\nr = weakref.ref(held[0], gone)",
        "held.clear()",
    ),
    "a weak reference's finalizer": (
        "import weakref\nclass Thing: pass\nheld = [Thing()]\n"
        "f = weakref.finalize(held[0], x.fill, 7)",
        "held.clear()",
    ),
    "a cycle's finalizer": (
        "class Thing:\n    def __del__(self): x[0] += 100\nheld = Thing()\nheld.me = held",
        "held = None\nimport gc\ngc.collect()",
    ),
    "a callback of the collector": (
        "import gc\ndef note(phase, info):\n    if phase == 'start': x[0] += 1\n"
        "gc.callbacks.append(note)",
        "gc.collect()\ngc.callbacks.clear()",
    ),
    "a signal handler": (
        "import signal\ndef handler(*a): x[0] += 100\n"
        "before = signal.signal(signal.SIGUSR1, handler)\ndel handler",
        "signal.raise_signal(signal.SIGUSR1)\nsignal.signal(signal.SIGUSR1, before)",
    ),
    "a generator that is freed": (
        "def steps():\n    try: yield 1\n    finally: x[0] += 100\nheld = [steps()]\nnext(held[0])",
        "held.clear()",
    ),
    "a generator that a loop leaves": (
        "def steps():\n    try: yield from (1, 2)\n    finally: x[0] += 100",
        "for i in steps():\n    y = x * 2\n    break",
    ),
    "a generator that gets an error": (
        "def steps():\n    try: yield 1\n    except OSError: x[0] += 100; yield 2\n"
        "held = steps()\nnext(held)",
        "y = [x * 2, held.throw(OSError())][0]",
    ),
    "a coroutine that is freed": (
        "import types\n@types.coroutine\ndef wait(): yield\nasync def work():\n"
        "    try: await wait()\n    finally: x[0] += 100\nheld = [work()]\nheld[0].send(None)",
        "held.clear()",
    ),
    "a stream": (
        "import sys\nclass Loud:\n    def write(self, text): x[0] += 1\n    def flush(self): pass\n"
        "before, sys.stdout = sys.stdout, Loud()",
        "print('text', 3)\nsys.stdout = before",
    ),
}


@pytest.fixture(scope="module")
def shell():
    return Shell()


def _both(shell: Shell, helper: str, body: str) -> list[list[list[float]]]:
    results = []
    for magic in ("", "%%hybridize --view none\n"):
        shell.run("held = None\nimport numpy as np\nx = np.arange(4.0)\n" + helper)
        shell.run(magic + body)
        results.append([np.array(shell.ns[n]).tolist() for n in ("x", "y", "z")])
    return results


@pytest.mark.held_up("its subject")
@pytest.mark.parametrize("what", UNASKED)
def test_its_writes_are_seen(shell, what):
    helper, line = UNASKED[what]
    plain, recorded = _both(shell, helper, f"y = x * 2\n{line}\nz = x * 2 + y.sum()")
    assert plain == recorded


@pytest.mark.held_up("its subject")
def test_a_finalizer_at_the_end_of_a_function(shell):
    helper = "class Thing:\n    def __del__(self): x[0] += 100\nmake = Thing"
    body = "def f(v):\n    t = make()\n    return v * 2\ny = f(x)\nz = f(x) + y"
    plain, recorded = _both(shell, helper, body)
    assert plain == recorded


@pytest.mark.held_up("its subject")
def test_what_touched_no_array_in_an_earlier_cell(shell):
    """What a name holds decides, in each cell anew."""
    note = (
        "def note(unused, n=1):\n    for v in values: v[0] += 50\n    if n: note(unused, n - 1)\n"
    )
    shell.run("import numpy as np\nx = np.arange(4.0)\nvalues = []\n" + note)
    shell.hybridize("y = x * 2\nnote(0, 50)\nz = x * 2", "--view none")
    shell.run("class Thing: __del__ = note\nheld = [Thing()]\nvalues.append(x)")
    shell.hybridize("y = x * 2\nheld.clear()\nz = x * 2", "--view none")
    assert shell.ns["y"].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert shell.ns["z"].tolist() == [200.0, 2.0, 4.0, 6.0]


# Before 3.11 every call takes room of C's stack anyway.
DEEP = 60_000 if sys.version_info >= (3, 11) else 5_000


@pytest.mark.parametrize("before", ["y = x * 2", "pass"], ids=["something waits", "nothing waits"])
def test_deep_recursion_has_the_room_it_had(shell, before):
    shell.run(f"import sys\nlimit = sys.getrecursionlimit()\nsys.setrecursionlimit({DEEP + 1000})")
    try:
        shell.run("import numpy as np\nx = np.arange(4.0)")
        shell.hybridize(
            "class Chain:\n"
            "    def length(self, n):\n        return 0 if n == 0 else 1 + self.length(n - 1)\n"
            f"{before}\nn = Chain().length({DEEP})\nz = x + x",
            "--view none",
        )
    finally:
        shell.run("sys.setrecursionlimit(limit)")
    assert shell.ns["n"] == DEEP


def test_who_may_start():
    def users():
        pass

    assert second_lock.may_start(np.mean.__wrapped__.__code__)
    assert not second_lock.may_start(Shell.run.__code__)
    assert not second_lock.may_start(users.__code__)
    assert second_lock.may_start(Recorder.wrap.__code__)
    assert second_lock.may_start(weakref.WeakSet.add.__code__)
    assert not second_lock.may_start(weakref.finalize.__call__.__code__)
