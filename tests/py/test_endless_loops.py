"""Loops that never end can be interrupted, and do not keep the process from ending."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import nd


def endless(x):
    while x > 0:
        x = x + 1
    return x


@pytest.mark.alone
def test_an_interrupt_ends_the_loop() -> None:
    made = jh.script(endless)(nd.ones(1))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            made.asnumpy()
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(jh.MXNetError, match=r"while_loop: interrupted after \d+ steps"):
        made.asnumpy()
    assert jh.script(endless)(nd.zeros(1)).asscalar() == 0


HEAD = """
import jupyter_hybrid as jh
from jupyter_hybrid import _core, engine, nd
import test_endless_loops
loop = jh.script(test_endless_loops.endless)
"""
ENDINGS = {
    "running": "loop(nd.ones(1))",
    # Held until the process ends, so that it starts then.
    "starting": "engine.configure(slow=3600)\nloop(nd.ones(1))\nloop(nd.ones(1))",
    "again and again": """
for _ in range(200):
    engine.configure(kind="threaded")
    made = [loop(nd.ones(1)) for _ in range(3)]
    _core.shutdown()
    for x in made:
        try:
            x.asnumpy()
            raise AssertionError("an endless loop has a value")
        except jh.MXNetError as error:
            assert "interrupted" in str(error) or "dropped" in str(error), error
""",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_process_ends(ending: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{HEAD}{ENDINGS[ending]}\nprint('left')"],
        capture_output=True, text=True, timeout=120, cwd=__file__.rpartition("/")[0],
    )  # fmt: skip
    assert done.stdout == "left\n", done.stderr
