"""What NumPy's Python code warns of stands at the user's line, after what came before it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cells import Shell

BODIES = {
    "of its caller's line": "z = np.polyfit(np.ones(4) * x[1], np.ones(4), 3)",
    "of a line far above": "z = np.nanmedian(x * np.nan)",
    "after what waits": "y = np.log(x - 1)\nz = np.nanmedian(x * np.nan)\nw = y + z",
    "of its own line": "y = x / 0\nz = np.nanquantile((x * np.nan).reshape(3, 2), 0.5)",
    "a method": "y = x / 0\nz = (x[:0] * 1).mean()\nw = y * z",
    "a cast": "y = x / 0\nz = (x * 1j).astype(float)",
    "in a loop": "for i in range(3):\n    z = np.nanmedian(x * np.nan)\n    w = (x[:0] * i).mean()",
    "where floating-point errors are ignored": (
        "with np.errstate(all='ignore'):\n    z = np.nanmedian(x * np.nan)"
    ),
    "where it is caught": (
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n    z = np.nanmedian(x * np.nan)\n"
        "y = x / len(caught) / 0"
    ),
    "of the user's own": (
        "def mine(v):\n    warnings.warn('mine')\n    return v.sum()\n"
        "z = np.apply_along_axis(mine, 0, np.ones((2, 2)) * x[2])"
    ),
}

NANS = "n = x * np.nan\nm = np.array([[1, np.nan, 2], [np.nan] * 3]) * x[1]\n"
BODIES |= {
    name: NANS + body
    for name, body in {
        "slices without a number": "a = np.nanmax(n)\nb = np.nanmin(m, 1)\nc = np.nanmax(m, 0)",
        "several in one line": "a = np.nanmax(n) + np.nanmin(n * 2) + np.nanmax(m)",
        "one of another": "a = np.nanmax(np.nanmax(m, axis=1, keepdims=True))",
        "in a function": "def f(v):\n    return np.nanmin(v)\na = f(n)\nb = f(x) + f(m[1])",
        "means of nothing": "a = np.nanmean(n)\nb = np.nanmean(m, axis=-1, keepdims=True)",
        "no degrees of freedom": (
            "a = np.nanvar(m, axis=0)\nb = np.nanstd(m, 1, ddof=2)\nc = np.nanstd(n[:2], ddof=3)\n"
            "d = (x[:1] * 1).std(ddof=1)\ne = np.var(n[:2], ddof=3)\nf = np.std(x[:0] * 1)"
        ),
        "means of no element": "a = np.mean(x[:0] * 1)\nb = (x[:0] * 1).reshape(0, 3).mean(axis=0)",
        "means of no chosen element": (
            "a = x[x > 9].mean()\nb = (x * 1).mean(where=x > 9)\ny = m[m > 0] * 2\n"
            "c = y[y > 9].mean()\nd = m.mean(axis=0, where=m > 1)\n"
            "e = m.mean(axis=1, keepdims=True, where=m > 5)"
        ),
        "joined in another dtype": (
            "a = np.concatenate([x * 1e300, x], dtype='f4')\n"
            "b = np.stack([n, x], dtype='i4', casting='unsafe')"
        ),
        "products": "b = x * 1e200\na = np.inner(b, b)\nc = np.inner(m * 1e300, m[:1] * 1e300)",
        "powers in doubles": "a = np.float_power(x - 3, 0.5)\nb = np.float_power(x * 1e200, 2)",
        "a histogram of nothing": "a = np.histogram(x * 1, bins=[7.0, 8.0, 9.0], density=True)[0]",
        "stores": (
            "a = np.zeros(6, int)\ne = a + 1\na[:] = n\n"
            "b = np.zeros(6, 'f4')\nb[1:] = x[1:] * 1e300\n"
            "c = np.asarray(n, dtype=int)\nd = np.array(x * 1e300, 'f4')\nnp.copyto(e, n, 'unsafe')"
        ),
    }.items()
}
BODIES |= {
    "calls where floating-point errors are ignored": (
        "with np.errstate(all='ignore'):\n    a = np.nanmax(x * np.nan)\n    c = x / 0\n"
        "    b = np.var(x[:1] * 1, ddof=1)"
    ),
    "a variance of no rows": "a = np.var((x * 1)[:0].reshape(0, 3), axis=-1, ddof=3)",
    "complex numbers as real ones": (
        "z = x * 1j\na = z.sum(dtype=float)\nb = np.cumsum(z, dtype=int)\nc = np.array(z, float)\n"
        "x[:] = z\nd = np.full((2, 6), z, dtype='f4')\ne = np.mean(z, dtype='f4')"
    ),
    "where without out": "a = np.divide(1, x, where=x > 0)\nb = np.sqrt(x, where=x > 9, out=x)",
    "numbers alone": "a = np.log(0) * x\nb = np.sqrt(-1.0)\nc = np.divide(x[1], 0)",
    "numbers too large": (
        "f = x.astype('f4')\na = np.full(3, 1e300, dtype='f4')\nb = np.where(f > 1, f, 1e300)\n"
        "c = np.full_like(f, -1e300)\nd = np.sum(f, initial=1e300)"
    ),
    "a covariance of one": "y = x / 0\na = np.cov(y[1:2])",
    "a whole call where it is caught": (
        "y = x / 0\nwith warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n    z = np.nanmax(x * np.nan)\n"
        "    with np.errstate(all='ignore'):\n        z = np.nanmean(x * np.nan)\n"
        "z = x / len(caught) / 0"
    ),
}


@pytest.fixture
def shell() -> Shell:
    return Shell()


def warned(shell: Shell, cell: str, action: str) -> list[tuple]:
    """What two runs of a cell warn of: category, text, file and line."""
    shell.ip.reset(new_session=False)
    shell.run("import warnings\nimport numpy as np\nx = np.arange(6.0)")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)
        for _ in range(2):
            shell.run(cell)
    places = [w.filename if "site-packages" in w.filename else "" for w in found]
    return [(w.category, str(w.message), p, w.lineno) for w, p in zip(found, places, strict=True)]


@pytest.mark.parametrize("action", ["always", "default"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_as_numpy_warns(body: str, action: str, shell: Shell):
    wanted = warned(shell, f"# plain\n{body}", action)
    assert wanted or np.lib.NumpyVersion(np.__version__) < "2.4.0"  # earlier ones warn of less
    assert warned(shell, f"%%hybridize --view none\n{body}", action) == wanted
    assert warned(shell, f"%%hybridize --view none --force\n{body}", action) == wanted


def test_nothing_is_added_of_what_does_not_warn(shell: Shell):
    quiet = (
        "y = np.array([1.0, np.nan, 0.0, -0.0]) * x[1]\n"
        "a = np.nanmax(y), np.nanmin(-y), np.nanmean(y), np.nanstd(y), np.std(y), np.median(y)\n"
        "d = y[y > 0].mean(), y.mean(where=y < 9), np.mean(y, where=np.isnan(y))\n"
        "b = np.sum(y, dtype='f4'), np.minimum.accumulate(y), np.maximum.accumulate(y)"
    )
    noisy = f"{quiet}\nc = x / 0"
    assert warned(shell, f"%%hybridize --view none\n{quiet}", "always") == []
    assert len(warned(shell, f"%%hybridize --view none\n{noisy}", "always")) == 4
