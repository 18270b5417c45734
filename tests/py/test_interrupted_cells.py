"""An interrupted cell leaves what plain Python has at the end of a line, and nothing is lost.

Programs are held by slow motion, so that they are under way whenever the interrupt comes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid import engine

HOUR = 3600
MANY = 4_000_000  # elements: some steps of a loop are a program


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("import numpy as np")
    return made


@pytest.fixture
def held() -> Iterator[None]:
    """Nothing that is queued runs before the test says so."""
    with engine.using(slow=HOUR):
        yield
        engine.configure(slow=0)


# A process of its own: beside a thread of the user's a cell runs as written.
WHEN_IT_WAITS = """
import os, sys, time
process, calm = int(sys.argv[1]), 0
while calm < 10:  # as many looks, each of which finds the main thread asleep
    time.sleep(0.02)
    with open(f"/proc/{process}/task/{process}/stat") as file:
        calm = calm + 1 if file.read().rpartition(")")[2].split()[0] == "S" else 0
os.kill(process, int(sys.argv[2]))
"""


@pytest.fixture
def interrupt() -> Iterator[Callable[..., None]]:
    """Interrupts the main thread, as the keyboard does: once it waits, or ``after`` so many
    seconds; ``release``: what is queued may run from then on."""
    releases = False
    started = []

    def stop(number: int, frame: FrameType | None) -> None:
        if releases:
            engine.configure(slow=0)
        raise KeyboardInterrupt

    def start(release: bool = False, after: float | None = None) -> None:
        nonlocal releases
        releases = release
        if after is None:
            arguments = [str(os.getpid()), str(int(signal.SIGALRM))]
            started.append(subprocess.Popen([sys.executable, "-Sc", WHEN_IT_WAITS, *arguments]))
        else:
            signal.setitimer(signal.ITIMER_REAL, after)

    before = signal.signal(signal.SIGALRM, stop)
    yield start
    for process in started:
        process.kill()
        process.wait()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


LOOP = f"""y = np.ones({MANY})
total = 0.0
for i in range(60):
    before = y
    y = y * 1.01 + 0.5
    if i == 40:
        {{stop}}
"""


def _compiled(body: str) -> CodeType:
    """An interrupt of what `exec` is given as text ends Python with that signal, though caught."""
    return compile(body, "<plain>", "exec")


def same(shell: Shell, body: str, names: str, setup: str = "") -> None:
    """The names hold what plain Python has when the body raises at the same place."""
    plain, _ = imperative("import numpy as np\n" + setup)
    with pytest.raises(KeyboardInterrupt):
        exec(_compiled(body), plain)
    for name in names.split():
        np.testing.assert_allclose(
            np.asarray(shell.ns[name]), plain[name], rtol=1e-12, err_msg=name
        )


def test_names_keep_their_values_when_a_wait_ends(shell, held, interrupt):
    interrupt()
    shell.hybridize(LOOP.format(stop="total = float(y.sum())"), "--force", fails=True)
    engine.configure(slow=0)
    assert shell.ns["total"] == 0.0
    same(shell, LOOP.format(stop="raise KeyboardInterrupt"), "y before i")
    shell.run("later = y + before")
    assert type(shell.ns["y"]) is type(shell.ns["later"]) is np.ndarray


def test_programs_under_way_are_taken_back(shell, held):
    body = LOOP.format(stop="raise KeyboardInterrupt")
    shell.hybridize(body, "--force", fails=True)
    engine.configure(slow=0)
    same(shell, body, "y before i")


def test_the_cell_may_go_on(shell, held, interrupt):
    body = "try:\n" + "".join(
        f"    {line}\n" for line in LOOP.format(stop="total = float(y.sum())").splitlines()
    )
    interrupt(release=True)
    shell.hybridize(body + "except KeyboardInterrupt:\n    z = y - before", "--force")
    same(shell, LOOP.format(stop="raise KeyboardInterrupt"), "y before i")
    np.testing.assert_allclose(shell.ns["z"], shell.ns["y"] - shell.ns["before"])


def test_what_a_name_is_computed_from_may_change_afterwards(shell, held):
    setup = f"x = np.linspace(0.0, 1.0, {MANY})\n"
    body = (
        "y = x\nfor i in range(60):\n    y = np.sin(y) + x\n    if i == 9: raise KeyboardInterrupt"
    )
    shell.run(setup)
    shell.hybridize(body, "--force", fails=True)
    engine.configure(slow=0)
    shell.run("x[:] = 0")
    same(shell, body, "y i", setup)


WRITTEN = """for i in range(60):
    x[1:] = x[:-1] * 0.5 + 1
    y = np.sin(x) + y
    kept.append(y)
    table["last"] = y
    if i == 3: raise KeyboardInterrupt"""


def test_what_was_written_before_stays_written(shell):
    setup = f"x = np.linspace(0.0, 1.0, {MANY})\ny = x * 0\nkept = []\ntable = {{}}\n"
    shell.run(setup)
    shell.hybridize(WRITTEN, "--force", fails=True)
    same(shell, WRITTEN, "x y i", setup)
    plain, _ = imperative("import numpy as np\n" + setup)
    with pytest.raises(KeyboardInterrupt):
        exec(_compiled(WRITTEN), plain)
    assert all(type(v) is np.ndarray for v in [*shell.ns["kept"], shell.ns["table"]["last"]])
    np.testing.assert_allclose(shell.ns["kept"], plain["kept"], rtol=1e-12)
    assert shell.ns["table"]["last"] is shell.ns["kept"][-1]


def test_a_deferred_name_is_not_lost(shell, interrupt):
    shell.hybridize(f"b = np.full({MANY}, 2.0) * 3\nc = b + 1")
    with engine.using(slow=HOUR):
        interrupt()
        with pytest.raises(KeyboardInterrupt):  # read by nobody's cell
            shell.ns["b"] * 2
        engine.configure(slow=0)
    shell.run("d = b * 2")
    assert type(shell.ns["b"]) is np.ndarray
    np.testing.assert_array_equal(shell.ns["d"], np.full(MANY, 12.0))


ND = """y = nd.random.uniform(shape=({size},))
for i in range({steps}):
    y = nd.exp(-y) + y * 0.5"""


def test_draws_stay_the_same(shell, held, interrupt):
    """What is computed once more is computed from the numbers that were drawn."""
    shell.run("from jupyter_hybrid import nd, random\nrandom.seed(3)")
    interrupt(after=0.2)
    shell.hybridize(ND.format(size=MANY, steps=10**6), "--force", fails=True)
    engine.configure(slow=0)
    made, steps = shell.ns["y"].asnumpy(), shell.ns["i"]
    assert steps > 0
    shell.run("random.seed(3)")
    shell.run(ND.format(size=MANY, steps=steps))
    np.testing.assert_allclose(made, shell.ns["y"].asnumpy(), rtol=1e-5)


TRAINED = """w = nd.array([1.0] * 400_000)
w.attach_grad()
for step in range(5):
    with autograd.record():
        loss = (w * w).sum()
    loss.backward()
    w[:] = w - 0.25 * w.grad
    if step == 3: raise KeyboardInterrupt"""


def test_parameters_are_those_of_the_last_step(shell):
    shell.run("from jupyter_hybrid import nd, autograd")
    shell.hybridize(TRAINED, "--force", fails=True)
    assert np.unique(shell.ns["w"].asnumpy()).tolist() == [1 / 16]
