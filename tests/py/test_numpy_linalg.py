"""``np.linalg`` in the graph against NumPy's own; errors with NumPy's class, text and line."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative
from numpy_samples import sample
from traced import check

RNG = np.random.default_rng(3)
A = RNG.normal(size=(2, 5, 5)) + 4 * np.eye(5)
CLOSE = {"ulp": 64, "scale": 1e-11}
FUNCTIONS = {
    "inv": lambda np, a: np.linalg.inv(a),
    "det": lambda np, a: np.linalg.det(a),
    "slogdet": lambda np, a: np.linalg.slogdet(a),
    "cholesky": lambda np, a: np.linalg.cholesky(a @ np.matrix_transpose(a)),
    "upper": lambda np, a: np.linalg.cholesky(a @ np.matrix_transpose(a), upper=True),
    "eigh": lambda np, a: np.linalg.eigh(a),
    "eigh of the upper": lambda np, a: np.linalg.eigh(a, UPLO="U"),
    "eigvalsh": lambda np, a: np.linalg.eigvalsh(a),
    "svd": lambda np, a: np.linalg.svd(a),
    "thin svd": lambda np, a: np.linalg.svd(a, full_matrices=False),
    "singular values": lambda np, a: np.linalg.svd(a, compute_uv=False),
    "qr": lambda np, a: np.linalg.qr(a),
    "complete qr": lambda np, a: np.linalg.qr(a, mode="complete"),
    "r": lambda np, a: np.linalg.qr(a, mode="r"),
    "matrix_rank": lambda np, a: np.linalg.matrix_rank(a),
    "pinv": lambda np, a: np.linalg.pinv(a),
}
ANY_SHAPE = [n for n in FUNCTIONS if "svd" in n or "qr" in n or n == "r"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_square(name):
    f = FUNCTIONS[name]
    for a in (A, A[0], A[0, :1, :1], np.asarray(A[1].T), A[0, ::2, ::2].copy()):
        check(f, a, captured=name != "matrix_rank", **CLOSE)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_dtypes(name, dtype):
    a = A.astype("float32") if dtype == "float32" else np.array([[4, 1, 0], [1, 7, 2], [2, 3, 9]])
    close = {"ulp": 64, "scale": 1e-4} if dtype == "float32" else CLOSE
    check(FUNCTIONS[name], a, captured=False, **close)


@pytest.mark.parametrize("name", ANY_SHAPE)
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (2, 4, 3), (1, 5)])
def test_rectangles(name, shape):
    check(FUNCTIONS[name], sample(shape, "float64"), **CLOSE)


def test_solve():
    for a, b in [
        (A, RNG.normal(size=(2, 5, 3))),
        (A, RNG.normal(size=5)),
        (A[0], RNG.normal(size=5)),
        (A, RNG.normal(size=(5, 1))),
        (A[0], RNG.normal(size=(4, 5, 2))),
    ]:
        check(lambda np, a, b: np.linalg.solve(a, b), a, b, **CLOSE)


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "svd", "qr"])
def test_empty_matrices_and_nan(name):
    check(FUNCTIONS[name], np.zeros((0, 0)), captured=False)
    check(FUNCTIONS[name], np.zeros((0, 3, 3)), captured=False)
    if name != "svd":
        check(FUNCTIONS[name], np.full((2, 2), np.nan))


def test_a_singular_determinant_is_0():
    check(lambda np, a: (np.linalg.det(a), np.linalg.slogdet(a)), np.ones((3, 3)))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda np, a: np.linalg.inv(a[:2]),
        lambda np, a: np.linalg.solve(a, a[:2]),
        lambda np, a: np.linalg.det(a[0]),
    ],
)
def test_errors_of_shapes(wrong):
    check(wrong, A[0], captured=False)


CELLS = {
    "singular": ("y = 1\nx = np.linalg.inv(z) + 1\ny = 2", "Singular matrix", 2),
    "unused": ("np.linalg.solve(z, z)\ny = z + 1", "Singular matrix", 1),
    "indefinite": ("x = np.linalg.cholesky(z - 5)", "Matrix is not positive definite", 1),
    "printed": ("x = np.linalg.inv(z)\nprint('not', 'reached')", "Singular matrix", 1),
}


@pytest.mark.parametrize("name", CELLS)
def test_late_errors_are_numpys(name):
    body, text, line = CELLS[name]
    shell = Shell()
    shell.ns.update(np=np, z=np.ones((3, 3)))
    result = shell.hybridize(body, fails=True)
    assert isinstance(result.error, np.linalg.LinAlgError)
    assert type(result.error).__name__ == "LinAlgError" and str(result.error) == text
    assert "not reached" not in result.out
    frame = result.error.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    assert frame.tb_lineno == line + 1  # below the magic


def test_an_error_is_caught_in_the_cell():
    body = """
try:
    x = np.linalg.inv(z)
except np.linalg.LinAlgError as error:
    x = str(error)
def safe(a):
    return np.linalg.inv(a)
try:
    y = safe(z)
except ValueError:
    y = None
"""
    shell = Shell()
    shell.ns.update(np=np, z=np.ones((3, 3)))
    shell.hybridize(body)
    assert shell.ns["x"] == "Singular matrix" and shell.ns["y"] is None


def test_a_cell_is_one_graph():
    body = "w = np.linalg.solve(a.T @ a + np.eye(5), a.T @ b)\nr = np.abs(a @ w - b).max()"
    start = {"np": np, "a": A[0], "b": RNG.normal(size=5)}
    shell = Shell()
    shell.ns.update(start)
    shell.hybridize(body)
    names, _ = imperative(body, start)
    np.testing.assert_allclose(shell.ns["w"], names["w"], rtol=1e-12)
    np.testing.assert_allclose(shell.ns["r"], names["r"], rtol=1e-10)
    assert shell.report.graph_breaks == []


def _failed(body, **start):
    shell = Shell()
    shell.ns.update(np=np, **start)
    return shell, shell.hybridize(body, "--view none", fails=True)


def test_an_error_ends_the_cell_where_it_is_called():
    """Writes and names of the lines before it are kept; nothing after it happens."""
    outside, log = np.zeros((2, 2)), []
    body = "A[0, 0] = 5\nB = np.linalg.inv(A)\nlog.append(2)"
    shell, _ = _failed(body, A=outside, log=log)
    assert shell.ns["A"] is outside and outside.tolist() == [[5, 0], [0, 0]]
    assert log == [] and "B" not in shell.ns

    body = "A = np.zeros((2, 2))\nB = A + 1\nT = B * 2\nC = np.linalg.inv(A)\nD = 3\nE = T + 1"
    shell, result = _failed(body, D=1)
    assert shell.ns["B"].tolist() == [[1, 1], [1, 1]] and shell.ns["T"].tolist() == [[2, 2]] * 2
    assert shell.ns["D"] == 1 and not {"C", "E"} & set(shell.ns)
    step, places = result.error.__traceback__, []
    while step is not None:
        places.append((step.tb_frame.f_code.co_filename, step.tb_lineno))
        step = step.tb_next
    cell = places[-1][0]
    assert [line for name, line in places if name == cell] == [5]


def test_a_cell_goes_on_after_an_error_that_it_catches():
    body = """
A[0] += 1
b = A * 2
try:
    x = np.linalg.inv(b)
except np.linalg.LinAlgError:
    x = b + 1
y = x + A
"""
    start = {"np": np, "A": np.zeros((2, 2))}
    shell = Shell()
    shell.ns.update(np=np, A=np.zeros((2, 2)))
    shell.hybridize(body)
    names, _ = imperative(body, start)
    for name in ("A", "b", "x", "y"):
        np.testing.assert_array_equal(shell.ns[name], names[name])


def test_what_may_raise_is_named():
    shell = Shell()
    shell.ns.update(np=np, z=np.eye(2) * 2)
    shell.hybridize("x = np.linalg.inv(z + 1) + 1\nu = np.linalg.svd(x)")
    report = shell.report
    assert report.graph_breaks == [] and len(report.segments) > 1
    assert report.cuts == [
        (2, "np.linalg.inv may raise: computed here"),
        (3, "np.linalg.svd may raise: computed here"),
    ]
    for text in (report.explain(), repr(report)):
        assert "line 2: np.linalg.inv may raise: computed here" in text
