"""A cell that somebody else watches, or whose arrays another thread may use, runs as written."""

from __future__ import annotations

import threading

import pytest
from cells import Shell

STARTS = {
    "a thread": (
        "import threading\nt = threading.Thread(target=work)\nt.start()\nt.join()",
        "another thread",
    ),
    "an executor": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(1) as pool:\n    made = pool.submit(work).result()",
        "another thread",
    ),
    "a timer": (
        "import threading\nt = threading.Timer(0, work)\nt.start()\nt.join()",
        "another thread",
    ),
    "a profiler": (
        "import sys\nsys.setprofile(lambda *a: None)\nwork()\nsys.setprofile(None)",
        "a profiler",
    ),
    "a trace function": (
        "import sys\nsys.settrace(lambda *a: None)\nwork()\nsys.settrace(None)",
        "a profiler",
    ),
}


@pytest.fixture(scope="module")
def shell():
    return Shell()


@pytest.mark.parametrize("what", STARTS)
def test_the_rest_of_the_cell_runs_as_written(shell, what):
    body, why = STARTS[what]
    cell = f"y = x * 2\nparts = [y + 1]\n{body}\nz = x * 2 + y\nw = [v * 2 for v in parts][0]"
    results = []
    for magic in ("", "%%hybridize --view none\n"):
        shell.run("import numpy as np\nx = np.arange(4.0)\ndef work(): x[0] += 100")
        shell.run(magic + cell)
        results.append([shell.ns[n].tolist() for n in "xyzw"])
    assert results[0] == results[1]
    assert any(why in text for _, text in shell.report.graph_breaks)
    shell.hybridize("y = x * 2 + 1", "--view none")
    assert not shell.report.graph_breaks  # the next cell is recorded


def test_a_thread_that_runs_already(shell):
    go, started = threading.Event(), threading.Event()

    def wait():
        started.set()
        go.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    started.wait()
    try:
        shell.run("import numpy as np\nx = np.arange(4.0)")
        shell.hybridize("y = x * 2 + 7", "--view none")
        assert shell.report.mode == "imperative"
        assert "another thread" in shell.report.graph_breaks[0][1]
    finally:
        go.set()
        thread.join()
    shell.hybridize("y = x * 2 + 7", "--view none")
    assert shell.report.mode == "symbolic"


@pytest.mark.parametrize("mode", ["%%hybridize --view none\n", "%%hybridize --force\n", ""])
def test_a_profiler_that_a_line_of_the_cell_starts_sees_every_call(steps, mode):
    shell = Shell()
    shell.run("import cProfile, pstats\ndef square(v):\n    return v * v\n")
    shell.run("" if mode else "%hybrid mode auto")
    for _ in range(8):
        shell.run(
            f"{mode}p = cProfile.Profile()\np.enable()\ns = 0\n"
            "for i in range(300):\n    s += square(i)\nq = [square(j) for j in range(200)]\n"
            "p.disable()\nstats = pstats.Stats(p).stats\n"
            "seen = sum(v[0] for k, v in stats.items() if k[2] == 'square')"
        )
        assert shell.ns["seen"] == 500
    shell.run("%hybrid mode imperative")
