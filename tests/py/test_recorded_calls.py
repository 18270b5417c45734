"""NumPy recorded without Python: calls that come again, what they must not be taken for, and the
slow road that is taken for everything else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = "import numpy as np\nv = np.linspace(-1.5, 2.0, 12)\nk = np.arange(12)\nc = v + 1j * v\n"
# Each runs in a loop and on arrays of several kinds and shapes, so that recipes come again.
CELLS = {
    "reductions": "[a.sum(), np.sum(a, axis=0), a.mean(axis=-1), np.max(a), a.std(), a.any()]",
    "keepdims": "[np.sum(a, axis=0, keepdims=True), a.min(axis=0), a.var(ddof=1), a.argmax()]",
    "choices": (
        "[np.where(a > 0, a, 0), np.where(a > 0, a, i), np.clip(a, 0, 1), np.where(a > i, i, a)]"
    ),
    "views": (
        "[a.T, a.reshape(-1), a.reshape(2, -1), np.ravel(a), a.transpose(), np.squeeze(a[None])]"
    ),
    "products": "[a @ b, a.dot(b), np.dot(b, a), a.T @ b, np.outer(a, b), b @ b, a.T.dot(a)]",
    "numbers": (
        "[a * 0.5, a ** 2, a ** 0.5, 2 ** a, a + i, i - a, a / 3, a // 2, a % 2, a ** i, -a]"
    ),
    "tests": "[a > 0, a <= i, a == b, 0 != a, a < 2**70, (a > 0) & (b > 0), ~(a > 0)]",
    "functions": "[np.exp(a), np.maximum(a, i), np.minimum(a, b), np.sqrt(a * a), np.hypot(a, b)]",
    "same one twice": "[np.where(a > 0, a, a), np.dot(a, a), np.dot(a, b), np.maximum(a, a)]",
    "order in memory": "[a.T + b.T, np.exp(a.T), a[::-1] * 2, a[..., ::2] + 1, a.T.sum(axis=0)]",
}
KINDS = {
    "vectors": "a = v * (i + 1)\n    b = v + i",
    "matrices": "a = np.reshape(v, (4, 3))[:3] * (i + 1)\n    b = np.reshape(v, (4, 3))[1:] + i",
    "integers": "a = k + 1 + i\n    b = k * 2 + 1",
    "small floats": "a = v.astype('float32') + i\n    b = v.astype('float32') * 2",
}


def _same(found: object, expected: object) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, list):
        for f, e in zip(found, expected, strict=True):  # type: ignore[call-overload]
            _same(f, e)
        return
    a, b = np.asarray(found), np.asarray(expected)
    assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
    np.testing.assert_allclose(a, b, rtol=1e-6 if a.dtype == "float32" else 1e-12)


@pytest.mark.parametrize("name", CELLS)
def test_calls_that_come_again(name):
    shell = Shell()
    for kind in KINDS.values():
        body = (
            f"made = []\nfor i in range(3):\n    {kind}\n    for _ in range(2):\n"
            f"        try:\n            made.append({CELLS[name]})\n"
            "        except ValueError as error:\n            made.append([str(error)])\n"
        )
        shell.run(SETUP)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = imperative(SETUP + body)[0]["made"]
            shell.hybridize(body, "--force")
        for found, right in zip(shell.ns["made"], expected, strict=True):
            if type(right[0]) is str:
                assert found == right
            else:
                _same(found, right)


WRITES = {
    "windows": (
        "z = v * 1\nw = z[2:8]\nz[1:-1] = v[2:]\nz[3] = 5\nz[4] = 0.5\nw[0] = z[1]\nz[:] = 2 * z"
    ),
    "broadcast": (
        "z = np.reshape(v * 1, (4, 3))\nz[1:3] = z[0]\nz[:, 1] = 7\nz[0, 0] = 2\nz[...] += 1"
    ),
    "views written": (
        "z = v * 1\nm = z.reshape(4, 3)\nt = m.T\nm[0] = -1\nt[1] += 3\nm *= 2\nz[2:5] -= 1"
    ),
    "an input": "v[2:5] = v[4:7]\nv += 1\nv[0] = k[3]\nw = v[::2]\nw *= 2",
    "integers": "z = k * 1\nz[1:4] = 7\nz += 2\nz[0] = 2.0\nz //= 2\nz[3:5] = k[:2]",
    "narrowed": "z = v.astype('float32')\nz[1:3] = v[1:3]\nz += v[0]\nz[0] = 0.1\nz *= 3",
    "new axes": "z = v * 1\nw = z[None, 2:4, None]\nw[0] = 9\nq = z[..., None][3]\nq[:] = 4",
    "complex": "z = c * 1\np = z.real\np += 1\nz.imag[2] = 5\nz[1:3] *= 2",
    "empty": "z = v * 1\nz[5:2] = 3\nz[5:2] += 1\nz[2:2] = z[:0]",
    "numbers grow": "z = k[3] * 2\nz += 1\nw = z\nw *= 2",
}


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(WRITES[name], "--force")
    expected = imperative(SETUP + WRITES[name])[0]
    for key in ("v", "k", "c", "z", "w", "m", "t", "q", "p"):
        if key in expected:
            np.testing.assert_array_equal(shell.ns[key], expected[key], strict=True)


WRONG = {
    "shapes": "z = x[:3] + x[:4]",
    "shapes of an update": "x[:3] += x[:4]",
    "bounds": "z = (x * 1)[99]",
    "too many": "z = (x * 1)[1, 2]",
    "no step": "z = (x * 1)[::0]",
    "window": "z = x * 1\nz[1:3] = x[:3]",
    "kept dtype": "z = k * 1\nz += 0.5",
    "axis": "z = np.sum(x * 1, axis=3)",
    "reshape": "z = (x * 1).reshape(5, 7)",
    "negative power": "z = (k + 1) ** -1",
    "deleted": "z = x * 1\ndel z[0]",
    "keyword": "z = np.sum(x * 1, axes=0)",
    "operand": "z = (x * 1) + object()",
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_numpys(name):
    setup = SETUP + "x = v"
    shell = Shell()
    shell.run(setup)
    for _ in range(2):
        found = shell.hybridize(WRONG[name], "--force", fails=True).error
        with pytest.raises(Exception) as caught:
            imperative(setup + "\n" + WRONG[name])
        assert type(found) is type(caught.value)
        assert str(found) == str(caught.value)


def test_a_recipe_warns_where_it_is_used():
    shell = Shell()
    shell.run("import numpy as np\nx = np.array([1.0, 0.0, -1.0])")
    body = "made = []\nfor i in range(3):\n    made += [np.log(x).sum(), (x / x).mean()]"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shell.hybridize(body, "--force")
    told = {str(w.message).split(" in ")[-1] for w in caught}
    assert told == {"log", "divide"}
    quiet = body.replace("    made", "    with np.errstate(all='ignore'):\n        made")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shell.hybridize(quiet, "--force")
    assert not caught


def test_what_a_mask_selects_takes_its_own_way():
    shell = Shell()
    shell.run(SETUP)
    body = (
        "made = []\nfor i in range(3):\n    s = v[v > i - 1]\n"
        "    made += [s.sum(), s * 2, s.mean(), np.exp(s)]"
    )
    shell.hybridize(body, "--force")
    for found, right in zip(shell.ns["made"], imperative(SETUP + body)[0]["made"], strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)


@pytest.mark.parametrize("name", ["__add__", "__radd__", "__getitem__", "__lt__", "__neg__"])
def test_an_operators_own_method_is_numpys_where_it_is_kept(name):
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(f"y = v * 2\nkept = [y.{name}]")
    method = shell.ns["kept"][0]
    assert type(method.__self__) is np.ndarray
    argument = () if name == "__neg__" else (1,)
    np.testing.assert_array_equal(method(*argument), getattr(shell.ns["v"] * 2, name)(*argument))


def test_views_of_views():
    shell = Shell()
    shell.run(SETUP)
    body = (
        "y = v * 1\nbase = y\nfor _ in range(300):\n    y = y[:]\nbase[2] = 7\nz = y + 1\ny[3] = 8"
    )
    shell.hybridize(body, "--view none --force")
    expected = imperative(SETUP + body)[0]
    for name in ("z", "base", "y"):
        np.testing.assert_array_equal(shell.ns[name], expected[name])
