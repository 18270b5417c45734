"""Deferred names that a cell may read are computed in its first moment, as a part of it."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from cells import Shell
from jupyter_client.manager import start_new_kernel

from jupyter_hybrid import engine
from jupyter_hybrid.np_face import TracedArray

HOUR = 3600
SETUP = "import numpy as np\nran = []"
MADE = "b = np.arange(5.0) * 3\nc = b + 1"
READERS = {
    "a plain cell": "ran.append(1)\nd = b * 2",
    "a cell of one name": "ran.append(1) or b",
    "a hybridized cell": "%%hybridize\nran.append(1)\nd = b * 2",
    "an imperative cell": "%%imperative\nran.append(1)\nd = b * 2",
    "a cell with time": "%%time\nran.append(1)\nd = b * 2",
    "a line with time": "%time ran.append(1) or b * 2",
    "a cell with timeit": "%%timeit -n1 -r1\nran.append(1)\nd = b * 2",
    "a cell that awaits": "import asyncio\nawait asyncio.sleep(0)\nran.append(1)\nd = b * 2",
    "a hybridized cell that awaits": (
        "%%hybridize\nimport asyncio\nawait asyncio.sleep(0)\nran.append(1)\nd = b * 2"
    ),
    "a cell that runs another": "get_ipython().run_cell('ran.append(1); d = b * 2')",
    "imports from the future": "from __future__ import annotations\nran.append(1)\nd = b * 2",
}


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(SETUP)
    made.hybridize(MADE)
    assert type(made.ns["b"]) is TracedArray
    return made


@pytest.fixture
def interrupted(shell: Shell) -> Iterator[Callable[[str], object]]:
    """Runs a cell that waits for what is held, until an interrupt comes; gives what it raised."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def run(cell: str) -> object:
        with engine.using(slow=HOUR):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            found = shell.run(cell, fails=True)
            engine.configure(slow=0)
        return found.error

    before = signal.signal(signal.SIGALRM, stop)
    yield run
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_name_of_ipythons_may_be_the_users(shell):
    shell.ns["get_ipython"] = None
    assert list(shell.run("f = b * 2\nf").value) == [0.0, 6.0, 12.0, 18.0, 24.0]
    assert type(shell.ns["b"]) is np.ndarray


@pytest.mark.parametrize("cell", READERS.values(), ids=READERS)
def test_an_interrupt_ends_the_cell(cell, shell, interrupted):
    assert type(interrupted(cell)) is KeyboardInterrupt
    assert shell.ns["ran"] == [] and "d" not in shell.ns
    assert type(shell.ns["b"]) is TracedArray
    shell.run(cell)
    assert shell.ns["ran"] == [1] and shell.ns["b"].tolist() == [0, 3, 6, 9, 12]


def test_the_interrupt_is_shown_at_the_cell(shell, interrupted):
    error = interrupted("# two lines\n\nran.append(1)\nd = b * 2")
    shown = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error._render_traceback_()))
    places = re.findall(r"^(?:Cell|File) (.*?)[:,]", shown, re.MULTILINE)
    assert "line 3\n" in shown and len(places) == 2 and places[1] == __file__  # the handler


def test_nothing_else_of_a_cell_changes(shell):
    """Lines of errors, and what is shown, stay those of the cell."""
    error = shell.run("first = b[0]\n\n{}[first]", fails=True).error
    assert error.__traceback__.tb_next.tb_next is None
    assert error.__traceback__.tb_next.tb_lineno == 3
    shell.hybridize(MADE)
    np.testing.assert_array_equal(shell.run("b").value, np.arange(5.0) * 3)
    shell.hybridize(MADE)
    shell.ip.ast_node_interactivity = "all"
    try:
        assert shell.run("print('one')\nb.tolist()").out.split("\n")[0] == "one"
    finally:
        shell.ip.ast_node_interactivity = "last_expr"
    assert type(shell.ns["b"]) is np.ndarray


def test_an_error_is_raised_by_the_line_that_reads(shell):
    shell.run("from jupyter_hybrid import nd")
    shell.hybridize("p = nd.array([1.0, 2.0])\nq = nd.take(p, nd.array([5]), mode='raise')\nr = p")
    with engine.using(kind="naive"):
        found = shell.run("ran.append(q.shape)\nq.asnumpy()", fails=True)
    assert "given index 5" in str(found.error)
    assert shell.ns["ran"] == [(1,)]


def test_a_warning_of_an_earlier_cell_does_not_end_a_later_one(shell):
    shell.hybridize("a = np.zeros(3)\nb = 1 / a\nc = b + 1")
    shell.run("import warnings\nwarnings.simplefilter('error')")
    found = shell.run("ran.append(b[0])")
    assert shell.ns["ran"] == [np.inf]
    assert "divide by zero" in found.out


def test_unloading_leaves_the_shell_as_it_was(shell):
    hooks = [len(callbacks) for callbacks in shell.ip.events.callbacks.values()]
    shell.hybridize("late = np.arange(5.0) * 2")
    shell.run("%unload_ext jupyter_hybrid\nlate")  # which reads it
    assert shell.ip.ast_transformers == []
    assert [len(callbacks) for callbacks in shell.ip.events.callbacks.values()] != hooks
    shell.run("%load_ext jupyter_hybrid")
    assert [len(callbacks) for callbacks in shell.ip.events.callbacks.values()] == hooks


KERNEL = f"""%load_ext jupyter_hybrid
{SETUP}
import signal
from jupyter_hybrid import engine
def stop(number, frame):
    raise KeyboardInterrupt
def comes(info):
    if 'b * 2' in info.raw_cell:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
_ = signal.signal(signal.SIGALRM, stop)
get_ipython().events.register('pre_run_cell', comes)"""


def test_a_kernel_answers_an_interrupt():
    manager, client = start_new_kernel()
    try:

        def run(cell: str, **asked: str) -> dict:
            reply = client.execute_interactive(
                cell, user_expressions=asked, timeout=60, output_hook=lambda message: None
            )
            return reply["content"]

        for cell in (KERNEL, f"%%hybridize --view none\n{MADE}"):
            assert run(cell)["status"] == "ok"
        run(f"engine.configure(slow={HOUR})")
        assert run(READERS["a plain cell"])["ename"] == "KeyboardInterrupt"
        told = run("engine.configure(slow=0)", ran="ran", kind="type(b).__module__")
        values = [v["data"]["text/plain"] for v in told["user_expressions"].values()]
        assert values == ["[]", repr(TracedArray.__module__)]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
