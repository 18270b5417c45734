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
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            made.asnumpy()
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(jh.MXNetError, match=r"while_loop: interrupted after \d+ steps"):
        made.asnumpy()
    assert jh.script(endless)(nd.zeros(1)).asscalar() == 0


def test_the_process_ends() -> None:
    code = (
        "import jupyter_hybrid as jh\n"
        "from jupyter_hybrid import nd\n"
        "import test_endless_loops\n"
        "jh.script(test_endless_loops.endless)(nd.ones(1))\n"
        "print('left')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
        cwd=__file__.rpartition("/")[0],
    )  # fmt: skip
    assert done.stdout == "left\n", done.stderr
