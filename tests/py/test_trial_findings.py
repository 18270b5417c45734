"""Cells whose results once differed from NumPy's: in-place geometry, aliases, lists as masks."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid.np_face import TracedArray


def same(setup: str, body: str, names: str, reason: str | None = None) -> Shell:
    """Runs the cell both ways; ``names`` are equal in value, kind, dtype, shape and type."""
    shell = Shell()
    shell.run("import numpy as np\n" + setup)
    shell.hybridize(body)
    plain, _ = imperative("import numpy as np\n" + setup + "\n" + body)
    for name in names.split():
        got, wanted = shell.ns[name], plain[name]
        real = np.asarray(got)
        np.testing.assert_array_equal(real, wanted, err_msg=name)
        assert real.dtype == np.asarray(wanted).dtype, name
        assert isinstance(got, type(wanted)), name
        assert np.shape(got) == np.shape(wanted), name
    if reason is not None:
        assert reason in str(shell.report.graph_breaks), shell.report.graph_breaks
    return shell


RESIZED = "an array is resized in place"


def test_resize_of_an_array_from_outside():
    setup = "x = np.arange(4.)"
    body = "y = x * 2\nx.resize(6, refcheck=False)\nt = x.sum()\nn = len(x)\nx[5] = 3\nu = x + 1"
    same(setup, body, "x y t n u", RESIZED)


def test_resize_of_a_large_array():
    setup = "x = np.ones(1_000_000)"
    body = "y = x * 2\nx.resize(20_000_000, refcheck=False)\nt = x.sum()"
    shell = same(setup, body, "t", RESIZED)
    assert shell.ns["y"].sum() == 2e6


@pytest.mark.parametrize("shape", ["(2, 3)", "2, 3", "8", "(2, 2)", "0"])
@pytest.mark.parametrize("made", ["np.arange(6.)", "np.arange(6.) * 2"])
def test_resize_of_an_array_of_the_cell(made, shape):
    body = f"x = {made}\nx.resize({shape})\nt = x.shape\nz = x.sum(0)\nx += 1\ns = x * 2"
    same("", body, "x t z s", RESIZED)


def test_resize_refuses_as_numpy_does():
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(6.)")
    failed = shell.hybridize("v = x[1:]\nx.resize(8)", fails=True)
    assert isinstance(failed.error, ValueError)
    np.testing.assert_array_equal(shell.ns["x"], np.arange(6.0))


def test_resize_keeps_what_views_showed():
    shell = Shell()
    shell.run("import numpy as np")
    shell.hybridize("x = np.arange(6.)\nv = x[1:]\nx.resize(800, refcheck=False)\ns = v.sum()")
    assert shell.ns["s"] == 15


@pytest.mark.parametrize("setup", ["x = np.arange(6.)", ""])
def test_shape_set_in_place_leaves_other_views(setup):
    made = "" if setup else "x = np.arange(6.)\n"
    body = made + "v = x[:]\nw = x[1:3]\nx.shape = 2, 3\nx[0, 1] = 9\nv[5] = 7\nw += 1\nt = v.shape"
    same(setup, body, "x v w t")


def test_shape_of_a_view_set_in_place():
    body = "v = x[:]\nv.shape = 2, 3\nv[1, 1] = 9\nt = x.shape\nx[0] = 5\nu = v * 2"
    same("x = np.arange(6.)", body, "x v t u")
    same("", "x = np.arange(6.) * 1\n" + body, "x v t u")


def test_dtype_set_in_place():
    body = "v = x[:]\nx.dtype = np.int32\nt = x + 1\nx[0] = 3\nw = v * 1"
    same("x = np.arange(6.)", body, "x v t w", "dtype is set")
    same("", "x = np.arange(6.) + 1\n" + body, "x v t w", "dtype is set")
    same("x = np.arange(6.)", "x.dtype = 'M8[s]'\nt = x[1:]", "x t", "dtype is set")


def test_resize_with_the_check_for_references():
    same("x = np.arange(6.)", "x.resize(8)\nx[7] = 3\nz = x * 2", "x z", RESIZED)
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(6.)")
    failed = shell.hybridize("y = x\nx.resize(8)", fails=True)
    assert isinstance(failed.error, ValueError)


@pytest.mark.parametrize(
    "write",
    [
        "np.copyto(b, a)", "b[...] = a", "b[:] = a", "b[None] = a", "b.flat = a", "b.real = a",
        "b[[True] * 3] = a", "b.put([0, 1, 2], a)", "np.putmask(b, [True] * 3, a)",
        "np.positive(a, out=b)", "np.conjugate(a, out=b)", "np.clip(a, None, None, out=b)",
        "np.round(a, 9, out=b)", "np.concatenate([a], out=b)", "np.take(a, [0, 1, 2], out=b)",
        "np.sum(a[None], axis=0, out=b)", "b.fill(a[1])",
    ],
)  # fmt: skip
def test_whole_writes_copy(write):
    body = f"b\n{write}\na += 1"
    same("a = np.arange(3.)\nb = np.zeros(3)", body, "a b")
    inside = same("", f"a = np.arange(3.) * 1\nb = np.zeros(3)\n{write}\ns = b + a", "a b s")
    inside.run("b[0] = 77")
    assert inside.ns["a"][0] != 77


def test_element_of_an_array_without_axes():
    shell = same("a = np.array(3.5)", "c = a[()]\nd = a[...]\na += 1", "a c d")
    assert type(shell.ns["c"]) is np.float64


@pytest.mark.parametrize(
    "use",
    ["b = a[[True, False]]", "a[[True, False]] = 1", "b = a[:, [False, False]]",
     "b = a[[[True, False, True]]]", "a[:, [True]] += 1", "a[..., [True]] = 3"],
)  # fmt: skip
def test_lists_as_masks_must_fit(use):
    shell = Shell()
    shell.run("import numpy as np\na = np.ones((3, 3))")
    with pytest.raises(IndexError) as wanted:
        imperative(use, {"a": np.ones((3, 3))})
    failed = shell.hybridize(use, fails=True)
    assert isinstance(failed.error, IndexError) and str(failed.error) == str(wanted.value)


@pytest.mark.parametrize("made", ["", "a = np.arange(9.).reshape(3, 3) * 1\n"])
def test_einsum_without_sums_is_a_view(made):
    body = made + (
        "d = np.einsum('ii->i', a)\nd[:] = 5\nt = np.einsum('ij->ji', a)\na[0, 1] = 9\n"
        "t[2, 0] = 7\ns = np.einsum('ij->', a)\nr = np.einsum('ii', a)\n"
        "w = np.einsum('...j->j...', a)\nw[1, 1] = 3"
    )
    same("" if made else "a = np.arange(9.).reshape(3, 3)", body, "a d t s r w")


def test_einsum_that_permutes_stays_in_the_graph():
    shell = same("a = np.arange(6.).reshape(2, 3)", "t = np.einsum('ij->ji', a)\nu = t * 2", "t u")
    assert not shell.report.graph_breaks


@pytest.mark.parametrize(
    "buffer", ["bytearray(np.arange(3.).tobytes())", "__import__('array').array('d', [1, 2, 3])"]
)
def test_memory_of_other_objects_is_written_at_once(buffer):
    body = (
        "a[0] = 9\nt = bytes(buf)\ny = a * 2\nmemoryview(buf).cast('B')[8:16] = b'12345678'\n"
        "s = a + 1\na += 1\nu = bytes(buf)"
    )
    setup = f"buf = {buffer}\na = np.frombuffer(buf)"
    same(setup, body, "a t y s u", "over the memory of another object")


def test_bytes_enter_the_graph():
    shell = same("a = np.frombuffer(np.arange(3.).tobytes())", "y = a * 2 + 1", "y")
    assert not shell.report.graph_breaks


def test_arrays_that_overlap_themselves():
    strided = "a = np.lib.stride_tricks.as_strided(base, (3, 3), (8, 8))"
    body = "y = base * 2\na[0, 1] = 9\na += 1\ns = a * 1\nw = base[::2]\na[2, 2] = 8\nq = w * 1"
    reason = "whose elements overlap one another"
    same(f"base = np.arange(6.)\n{strided}", body, "a base y s w q", reason)
    same("", f"base = np.arange(6.) * 1\n{strided}\n{body}", "a base y s w q", reason)


def test_read_only_views_stay_read_only():
    body = (
        "v = a.view()\nv.flags.writeable = False\nw = a[1:]\nw.setflags(write=False)\n"
        "u = a * 1\nx = u[:]\nu.flags.writeable = False\nx[0] = 5\na[1] = 7\ns = v + 1\nr = w * 1"
    )
    shell = same("a = np.arange(3.)", body, "a v w u x s r", ".flags are set")
    flags = {n: shell.ns[n].flags.writeable for n in "avwux"}
    assert flags == {"a": True, "v": False, "w": False, "u": False, "x": True}
    failed = shell.hybridize("v = a[:]\nv.flags.writeable = False\nv[0] = 1", fails=True)
    assert "read-only" in str(failed.error)


def test_overlapping_inputs_follow_a_write():
    same(
        "x = np.arange(6.)\nv = x[::2]",
        "s = v.sum()\nw = v[1:]\nx[2] = 9\nt = v.sum()\nu = w * 1",
        "s t u",
    )


@pytest.mark.parametrize("setup", ["a = np.arange(3.)\nm = memoryview(a)", "a = np.arange(3.)", ""])
def test_memoryviews_see_writes_at_once(setup):
    body = "a[0] = 9\nt = m[0]\ny = a * 2\nm[1] = 4\ns = a.sum()\nv = a[1:]\nv += 1\nu = m.tolist()"
    if "memoryview" not in setup:
        body = (
            ("" if setup else "a = np.arange(3.) * 1\n") + "w = a[::2]\nm = memoryview(a)\n" + body
        )
        body += "\nw[1] = 6\nr = m[2]\nz = w + 1"
    names = "a t y s v u" + (" w r z" if "w =" in body else "")
    same(setup, body, names, "that a memoryview shows")


@pytest.mark.parametrize(
    ("cell", "a", "b"),
    [
        ("b[:] = a; a += 1", [1, 2, 3], [0, 1, 2]),
        ("c = a * 1; a[:] = b; b[:] = c", [7, 7, 7], [0, 1, 2]),
        ("a.copyto(b); a += 1", [1, 2, 3], [0, 1, 2]),
        ("b[:] = a.reshape((3,)); a[0] = 9", [9, 1, 2], [0, 1, 2]),
        ("b[:] = a + 1; a += 1", [1, 2, 3], [1, 2, 3]),
    ],
)
def test_a_whole_nd_write_copies(cell, a, b):
    shell = Shell()
    shell.run("from jupyter_hybrid import nd\na = nd.arange(3)\nb = nd.full((3,), 7)\n")
    shell.hybridize(cell)
    assert shell.ns["a"].asnumpy().tolist() == a
    assert shell.ns["b"].asnumpy().tolist() == b
    shell.run("a += 10\n")
    assert shell.ns["b"].asnumpy().tolist() == b


def test_loops_that_write_an_input_many_times_over():
    shell = Shell()
    for _ in range(12):  # what a failed trace of the body leaves differs from run to run
        shell.run("import numpy as np\nbase = np.arange(12.0)\n")
        expected = np.arange(12.0)
        for _ in range(2):
            for i in range(1, 12):
                expected[i] += expected[i - 1]
            shell.hybridize("for i in range(1, len(base)):\n    base[i] += base[i - 1]\n")
            np.testing.assert_array_equal(shell.ns["base"], expected)


@pytest.mark.parametrize("middle", ["", "a[0:1] += 0.5\n", "bool(c.sum() > 0)\n"])
def test_a_window_made_after_a_waiting_write_is_one_on_the_written_array(middle):
    shell = Shell()
    setup = "from jupyter_hybrid import nd\na, c = nd.ones((3, 4)), nd.ones((3, 4))"
    body = f"""
c = c + c
z = bool(c.sum() > 0)
c[1:2] = 0
v = c.reshape((-1,))
z = bool(c.sum() > 0)
{middle}c[0:1] = 5
"""
    shell.run(setup)
    shell.hybridize(body)
    plain, _ = imperative(setup + body)
    shell.run("c[2] = 77")
    plain["c"][2] = 77
    for name in ("c", "v"):
        assert shell.ns[name].asnumpy().tolist() == plain[name].asnumpy().tolist(), name


@pytest.mark.parametrize("made", ["c.T", "c.reshape((4, 3))"])
@pytest.mark.parametrize("shown", ["first", "second", "c"])
@pytest.mark.parametrize("written", ["first", "second", "c"])
def test_windows_share_memory_that_was_computed_before_they_are_written(made, shown, written):
    setup = (
        "from jupyter_hybrid import nd\nc = nd.array([[0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1]])"
    )
    back = "first.T" if made == "c.T" else "first.reshape((3, 4))"
    cell = f"""
first = {made}
second = {back}
print({shown}.asnumpy().sum())
{written} += 10
"""
    expected, _ = imperative(setup + cell)
    shell = Shell()
    shell.run(setup)
    shell.hybridize(cell)
    for name in ("c", "first", "second"):
        assert np.array_equal(shell.ns[name].asnumpy(), expected[name].asnumpy()), name


def test_comparing_a_cell_reads_no_name_that_it_does_not_mention():
    shell = Shell()
    shell.run("import numpy as np")
    shell.hybridize("d1 = np.ones(3) * 2\nd2 = d1 + 1", "--out d2")
    shell.hybridize("kept = np.ones(4) * 3\nlast = kept + 1\nlast.sum()")
    shell.hybridize("q = np.arange(4.0) * 2\nq.sum()", "--compare --seconds 0.02")
    assert shell.report.compare.equal
    assert type(shell.ns["d1"]) is type(shell.ns["last"]) is TracedArray
    assert shell.ns["last"].tolist() == [4.0] * 4
    failed = shell.hybridize("q = d1 * 2", "--compare --seconds 0.02", fails=True)
    assert "d1 was planned away; add it to --out" in str(failed.error)


FAILING = {
    "a handler": """
try:
    z = [1 / i for i in (1, 0)]
except ZeroDivisionError:
    y = x * 2
""",
    "an error that is kept": """
try:
    z = {1 / i for i in (1, 0)}
except ZeroDivisionError as error:
    kept = [error]
y = x * 2
""",
    "a finally": """
try:
    try:
        z = {i: 1 / i for i in (1, 0)}
    finally:
        y = x * 2
except ZeroDivisionError:
    pass
""",
    "what a loop goes through": """
try:
    for v in [1 / i for i in (1, 0)]:
        pass
except ZeroDivisionError:
    y = x * 2
""",
    "a lambda": """
parts = lambda: [1 / i for i in (1, 0)]
try:
    parts()
except ZeroDivisionError:
    y = x * 2
""",
    "a context manager": """
class Later:
    def __enter__(self):
        pass
    def __exit__(self, *error):
        self.y = x * 2
        return True
later = Later()
with later:
    z = [1 / i for i in (1, 0)]
y = later.y
""",
    "a loop in a context manager": """
import contextlib
with contextlib.suppress(ZeroDivisionError):
    for k in range(3):
        z = [k / i for i in (1, 0)]
y = x * k
""",
    "a context manager's own": """
import contextlib
try:
    with contextlib.nullcontext([1 / i for i in (1, 0)]):
        pass
except ZeroDivisionError:
    y = x * 2
""",
}


@pytest.mark.parametrize("where", FAILING)
@pytest.mark.parametrize("inside", [False, True], ids=["in a cell", "in a function"])
def test_an_error_in_a_comprehension_of_numbers_leaves_what_is_pending_whole(where, inside):
    body = f"x = np.arange(300.0) + 1\n{FAILING[where]}\nlast = x + y"
    if inside:
        lines = body.replace("\n", "\n    ")
        body = f"def f():\n    {lines}\n    return y, last\ny, last = f()"
    same("", body, "y last")


@pytest.mark.parametrize("around", ["", "for k in range(3):\n    "])
def test_a_cell_that_ends_with_such_an_error_leaves_nothing_behind(monkeypatch, around):
    shell, told = Shell(), []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    failed = shell.hybridize(f"{around}z = [1 / i for i in (1, 0)]", fails=True)
    assert type(failed.error) is ZeroDivisionError
    del failed
    monkeypatch.setattr(sys, "last_traceback", None, raising=False)
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    monkeypatch.setattr(sys, "last_exc", None, raising=False)
    shell.run("1")
    gc.collect()
    assert not told
