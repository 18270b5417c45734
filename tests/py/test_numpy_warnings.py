"""What NumPy's Python code warns of stands at the user's line, after what came before it."""

from __future__ import annotations

import warnings

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
    assert wanted
    assert warned(shell, f"%%hybridize --view none\n{body}", action) == wanted
