"""The guards of rewritten cells: what waits is computed before code runs that nobody has seen."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

# Each line runs code of `Writer` that writes x; y is recorded before it and z after it.
CLASS = """
class Writer:
    def __init__(self, x): self.__dict__["x"] = x
    def _write(self, *rest): self.x[...] += 100; return 1.0
    __add__ = __radd__ = __lt__ = __gt__ = __eq__ = __neg__ = __iadd__ = __matmul__ = _write
    __hash__ = None
    def __bool__(self): self._write(); return True
    def __len__(self): self._write(); return 3
    def __index__(self): self._write(); return 1
    def __contains__(self, v): self._write(); return True
    def __getitem__(self, k): self._write(); return 2.0
    def __setitem__(self, k, v): self._write()
    def __delitem__(self, k): self._write()
    def __getattr__(self, name): self._write(); return 2.0
    def __setattr__(self, name, v): self._write()
    def __iter__(self):
        for i in range(3):
            self._write(); yield i
    def __call__(self, *a): return self._write()
    def __str__(self): self._write(); return "w"
    def __format__(self, s): self._write(); return "w"
    def __enter__(self): self._write()
    def __exit__(self, *a): self._write()
    @property
    def p(self): return self._write()
class Key:
    def __init__(self, w): self.w = w
    def __hash__(self): self.w._write(); return 1
    def __eq__(self, o): self.w._write(); return True
"""
USES = [
    "r = w + 1", "r = 1 + w", "r = x + w", "r = w < 1", "r = 1 < 2 < w", "r = w == 1", "r = -w",
    "r = w @ 1", "w += 1; r = 1", "r = 3 if w else 4", "r = not w", "r = w and 5", "r = 1 in w",
    "r = len(w)", "r = w[0]", "w[0] = 1; r = 1", "del w[0]; r = 1", "r = w.q", "w.q = 1; r = 1",
    "r = w.p", "r = [i for i in w]", "r = {i: 1 for i in w}", "a, b, c = w; r = a",
    "r = max(*w)", "r = sum(i for i in w)", "r = list(w)", "r = w()", "r = str(w)", "r = f'{w}'",
    "r = f'{[w]}'.__class__", "r = '%s' % w", "print(w); r = 1", "r = [*w]",
    "r = (lambda *a: 1)(*w)",
    "with w: r = 1", "r = {k: 1}[k]", "r = {k, 1}.__class__", "r = len({k: y.sum()})",
    "d[k] = 1; r = 1", "r = [w] == [1]", "r = len(sorted([w, w]))", "r = [w].count(1)",
    "for i, j in zip(w, w): r = i", "for i, j in enumerate(w): r = i", "assert w; r = 1",
    "while w:\n    r = 1\n    break", "r = [v for v in [1, 2] if w]", "r = list(map(w, [1]))",
    "r = getattr(w, 'zz')", "setattr(w, 'zz', 1); r = 1", "r = np.vectorize(w)([1.0]).sum()",
    "r = [1, 2, 3][w:]", "r = x[:w].sum()", "r = x[w, None].sum()", "x[w:] = 1; r = 1",
    "r = slice(w) == slice(1)", "r = slice(w).indices(3)",
    "h.w.x.fill(7); r = 1", "r = list(map(x.fill, [1, 2]))", "w.q += 1; r = 1", "w[0] += 1; r = 1",
]  # fmt: skip


def _cell(use: str) -> str:
    return f"y = x * 2\n{use}\nz = x * 2\ny.sum(), z.sum()"


@pytest.fixture(scope="module")
def shell():
    return Shell()


SETUP = """
import numpy as np
from types import SimpleNamespace
x = np.arange(4.0); w = Writer(x); k = Key(w); d = {}; h = SimpleNamespace(w=w)
"""


@pytest.mark.parametrize("use", USES)
def test_unseen_code_that_writes(shell, use):
    results = []
    for magic in ("", "%%hybridize --view none\n"):
        shell.run(CLASS + SETUP)
        shell.run(magic + _cell(use))
        results.append([np.array(shell.ns[n]).tolist() for n in ("x", "y", "z")])
        results[-1].append(repr(shell.ns["r"]))
    assert results[0] == results[1]


def test_a_function_that_says_it_is_numpys(shell):
    """``functools.wraps`` copies ``__module__``: who wrote a function, its globals say."""
    shell.run("import functools\nimport numpy as np\nx = np.arange(4.0)")
    shell.run(
        "write = functools.wraps(np.mean)(lambda: x.__iadd__(100) is None)\n"
        "write.__module__ = 'numpy'"
    )
    shell.hybridize("y = x * 2\nq = write()\nz = y.sum()", "--view none")
    shell.run("")
    assert shell.ns["y"].tolist() == [0.0, 2.0, 4.0, 6.0]


def test_a_bound_of_a_slice_is_asked_as_often(shell):
    """NumPy asks it once, and an element that is changed in place is read and written."""
    counts = []
    for magic in ("", "%%hybridize --view none\n"):
        shell.run(
            "import numpy as np\nx, asked, parts = np.arange(6.0), [], [1, 2, 3]\n"
            "class One:\n    def __index__(self): asked.append(x.copy()); x[0] += 1; return 1"
        )
        shell.run(
            f"{magic}one = One()\ny = x * 2\na = x[:one]\nb = x[[0, 2], None][one:]\n"
            "x[one:] += 1\ndel parts[one:]\nz = y + x"
        )
        counts.append(
            [[v.tolist() for v in shell.ns["asked"]], *(shell.ns[n].tolist() for n in "abxyz")]
        )
    assert counts[0] == counts[1] and shell.ns["parts"] == [1]


def test_a_class_that_says_it_is_ours(shell):
    """Any class may have any ``__module__``; ours stand in our modules under their names."""
    shell.run("import functools\nimport numpy as np\nx = np.arange(4.0)")
    shell.run("class Call(functools.partial): pass\nCall.__module__ = 'jupyter_hybrid.nd'")
    shell.hybridize("y = x * 2\nCall(x.fill)(7)\nz = x * 2", "--view none")
    assert shell.ns["y"].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert shell.ns["z"].tolist() == [14.0] * 4
