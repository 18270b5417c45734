"""What units do beyond their own instructions: lists that grow, calls of NumPy, masks, and what a
loop goes through."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = "import numpy as np\nx = np.arange(6.0)\nh = []\nA = np.eye(3) * 2 + 0.5\n"


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.run(SETUP)
    made.run("%hybrid mode auto")
    yield made
    made.run("%hybrid mode imperative")


def agree(shell: Shell, body: str, names: str = "hxvwsi") -> None:
    wanted = imperative(SETUP + body)[0]
    shell.run(body)
    for name in names:
        one, other = shell.ns.get(name), wanted.get(name)
        assert type(one) is type(other) and repr(one) == repr(other)
        if isinstance(one, list):
            assert list(map(type, one)) == list(map(type, other))
        if isinstance(one, np.ndarray):
            assert one.strides == other.strides and one.flags.owndata == other.flags.owndata


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(6):\n    h.append(i)\n    h.append(x[i])\n    h.append(x[i] > 2)\n",
        "for i in range(6):\n    h.append(x * i)\n    h.append(x[i:])\n",
        "for i in range(6):\n    if i % 2:\n        h.append(float(i))\n",
        "v = x * 2\nfor i in range(6):\n    h.append(v)\n    v[i] = 9\n",
        "def f(q):\n    h.append(q)\n    return q + 1\ns = 0\nfor i in range(6):\n    s += f(i)\n",
        "for i in range(6):\n    h.append(complex(i, 1))\n",
    ],
)
def test_lists_grow(shell, steps, body):
    agree(shell, body)
    assert sum(steps) == 6


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(20_000):\n    h.append(i * 0.5)\n    h.append(i)\n",
        "for i in range(20_000):\n    h.append(i)\n    if i % 5_000 == 4_999:\n        str(i)\n",
        "v = []\nfor i in range(9_000):\n    h.append(i > 4)\n    v.append(1j * i)\n",
        "h = [[i * j for j in range(100)] for i in range(200)]\n",
        "h = [i + j for i in range(200) for j in range(100)]\n",
        "try:\n    for i in range(20_000):\n        h.append(1 / (15_000 - i))\nexcept Exception:\n"
        "    s = i\n",
    ],
)
def test_many_numbers_are_handed_over_while_the_unit_runs(shell, steps, body):
    agree(shell, body)
    assert sum(steps) > 190


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(6):\n    h.append(i)\n    s = h[-1]\n",
        "for i in range(6):\n    h.append(i)\n    s = len(h)\n",
        "g = h\nfor i in range(6):\n    h.append(i)\n    g.append(-i)\n",
        "for i in range(6):\n    h.append('a')\n",
        "for i in range(6):\n    h.append([i])\n",
        "for i in range(6):\n    h = []\n    h.append(i)\n",
        "h = [1, 2]\nfor i in h:\n    if len(h) < 9:\n        h.append(i + 1)\n",
        "class L(list):\n    pass\nh = L()\nfor i in range(6):\n    h.append(i)\n",
        "import collections\nh = collections.deque()\nfor i in range(6):\n    h.append(i)\n",
    ],
)
def test_lists_that_are_read_are_pythons(shell, body):
    agree(shell, body, "si")
    assert list(shell.ns["h"])[:3] == list(imperative(SETUP + body)[0]["h"])[:3]


def test_the_very_nan_that_was_appended_is_found(shell):
    shell.run("w = float('nan')\nfor i in range(6):\n    h.append(np.nan)\n    h.append(w)\n")
    shell.run("s = np.nan in h, w in h, h[0] is h[2]\n")
    assert shell.ns["s"] == (True, True, True)
    shell.run("x = w\nfor i in range(6):\n    if i > 9:\n        x = 1.0\n")
    assert shell.ns["x"] is shell.ns["w"]


def test_an_index_that_is_none_is_an_axis_of_its_own(shell):
    agree(shell, "w = None\nfor i in range(4):\n    v = x[w][0]\n    s = x[np.newaxis][0]\n")


def test_what_was_appended_before_an_error_stays(shell, steps):
    shell.run("for i in range(9):\n    h.append(x[i])\n", fails=True)
    assert shell.ns["h"] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


CALLS = [
    "v = np.clip(x, 1, i)", "v = np.roll(x, i)", "v = np.where(x > i, x, 0.5)", "s = np.argmax(x)",
    "v = np.concatenate((x, x[: i + 1]))", "v = np.stack([x, x])", "v = np.cumsum(x)",
    "s = x.std()",
    "v = np.linalg.solve(A, x[:3])", "v = np.linalg.inv(A)", "s = np.linalg.norm(x)",
    "v = np.array([i, x[i], 2.5])", "v = np.linspace(0, 1, i + 1)", "v = np.arange(i)",
    "v = x.astype(int)", "v = x.astype(np.float32)", "s = np.array_equal(x, x[::-1])",
    "v = x[x > i]", "v = x[np.argsort(-x)]", "x[x > i] = -1", "x[x > i] *= 2",
    "x[np.array([0, 1])] = i", "np.add(x, i, out=x)", "np.copyto(x, 3.0)",
    "np.fill_diagonal(A, i)", "v = np.sum(A, axis=(0, 1), keepdims=True)", "s = np.median(x)",
    "v = np.einsum('ij,j->i', A, x[:3])", "v = np.triu(A)", "s = np.count_nonzero(x > i)",
    "v = np.diff(x, n=2)", "v = A.flatten()", "v = np.round(x / 3, 1)", "v = np.eye(3)[i // 2]",
    "v = x[:, np.newaxis] * 2", "v = A[..., 0]", "v = A[0, ...]", "v = np.zeros(A.shape)",
    "v = np.zeros(3, dtype=x.dtype)", "v = (x * 3).astype(int) ** 2", "v = x ** 1.5",
    "v = 2 ** x", "v = np.maximum.accumulate(x)", "s = np.add.reduce(x)",
    "v = np.ones(A.shape, int)",
    "v = np.subtract.outer(x, x)", "v = A @ A @ A", "v = np.full(x.shape, i)",
    "v = np.pad(x, 1)", "v = np.interp(i / 2, x, x * 2)", "v = np.kron(A, A)", "v = np.diag(x)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_numpys_functions_are_called_by_units(shell, steps, call):
    agree(shell, f"for i in range(6):\n    {call}\n")
    assert sum(steps) == 6


@pytest.mark.parametrize(
    "call",
    [
        "v = np.diag(A)", "v = np.reshape(x, (2, 3))", "v = np.squeeze(x)", "v = np.random.rand(2)",
        "v = np.where(x > 1)", "v = np.unique(x)", "v = np.ravel(x)", "v = np.asarray(x)",
        "v = np.clip(x, 1, 2, x)", "v = np.nan_to_num(x / (x > 2), copy=False)", "np.fmax(x, 2, x)",
        "v = np.cumsum(x, None, None, x)", "v = np.median(x, overwrite_input=True)",
        "v = np.dot(A, A, A)", "v = np.add.reduce(A, 0, None, x[:3])", "v = x.clip(1, 2, x)",
        "v = np.nan_to_num(x, copy=False)", "v = x.astype(float, copy=False)",
        "v = np.einsum('ii->i', A)", "v = np.array(x, copy=None)",
        "np.put(x, [1], [i])", "v = x[[0, 1]]", "v = np.array([[1, 2], [3, i]])[0]",
    ],
)  # fmt: skip
def test_others_are_pythons(shell, call):
    wanted = imperative(SETUP + f"np.random.seed(1)\nfor i in range(6):\n    {call}\n")[0]
    shell.run("np.random.seed(1)")
    shell.run(f"for i in range(6):\n    {call}\n")
    for name in "vxA":
        assert repr(shell.ns.get(name)) == repr(wanted.get(name))


def test_a_call_that_raises_is_pythons(shell, steps):
    result = shell.run(
        "for i in range(6):\n    B = A * (i < 3)\n    v = np.linalg.inv(B)\n", fails=True
    )
    assert type(result.error) is np.linalg.LinAlgError
    assert (shell.ns["i"], sum(steps)) == (3, 3)


def test_a_call_warns_once_at_its_line(shell):
    shell.run("y = np.arange(3.0) - 1")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        shell.run("for i in range(3):\n    v = np.median(y / y)\n")
    plain = imperative("import numpy as np\ny = np.arange(3.0) - 1\n")[0]
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("always")
        exec("for i in range(3):\n    v = np.median(y / y)\n", plain)
    assert [str(w.message) for w in warned] == [str(w.message) for w in wanted]
    assert len({w.lineno for w in warned}) == 1


@pytest.mark.parametrize(
    "call",
    ["np.nanmax(x * np.nan)", "np.cross(x[:2], x[:2])", "(x * 1j).astype(float)",
     "np.std(x[:1], ddof=1)",
     "np.average(x, weights=x) if i else np.array(1j).astype(float)",
     "np.array([1j, 2]).astype(np.float32)"],
)  # fmt: skip
def test_what_warns_by_other_means_is_pythons(shell, call):
    body = f"for i in range(3):\n    v = {call}\n"
    told = []
    for run in (
        lambda: exec(compile(SETUP + body, "<plain>", "exec"), {}),
        lambda: shell.run(body),
    ):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            run()
        told.append([str(w.message) for w in warned])
        assert not [w for w in warned if "jupyter_hybrid" in w.filename]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "body",
    [
        "def f(a):\n    a[0] += 1\n    return 5\n"
        "for i in range(6):\n    x[0] = 0\n    v = x[int(x[0]) : f(x)]\n",
        "def f(a):\n    a[0] += 1\n    return 5\ns = 0\n"
        "for i in range(6):\n    x[0] = 0\n    for w in range(int(x[0]), f(x)):\n        s += 1\n",
        "def f(a):\n    a[0] += 10\n    return 0\nfor i in range(6):\n    v = (x * 2).take(f(x))\n",
        "s = 0\nfor i in range(10**30):\n    s += 1\n    if i > 300:\n        break\n",
        "s = 0.0\nfor i in range(2**63 - 30, 2**63 + 100):\n    s += i\n",
        "s = 0\nfor i in range(0, 2**66, 2**60):\n    s += 1\n",
        "for v in np.arange(1, 400):\n    h.append(v**2.5)\n    h.append(v**np.float32(1.5))\n",
        "for v in np.linspace(0.1, 3, 500):\n    h.append(np.power(v, 2))\n",
        "v = np.lib.stride_tricks.as_strided(x, (4,), (0,))\nfor i in range(6):\n    v += 1\n",
        "v = np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8))\nfor i in range(6):\n    v += 1\n",
    ],
)
def test_what_a_trial_found(shell, body):
    agree(shell, body)


@pytest.mark.parametrize(
    "assignment",
    [
        "k[::2] = k[:6]", "k[:6] = k[::2]", "k[1::2] = k[:6]", "k[6:] = k[:6]", "k[::-2] = k[:6]",
        "y[::-1] = np.exp(z)", "y[::2] = np.log(np.abs(z[::2]))", "y[::-1] = z ** 3",
        "y[::-1] = z * 2 - y", "y[:] = np.exp(z[::-1]) - 1", "B = np.exp(C[:, ::-1])",
        "B = 1 - np.exp(C[::-1])", "C[:, ::-1] = np.tanh(C) + C", "B = C[:, ::-1] * 2 - C",
    ],
)  # fmt: skip
def test_bits_are_those_of_the_layouts_that_numpy_has(shell, assignment):
    body = (
        "k = np.arange(12)\nz = np.random.RandomState(0).randn(1000)\ny = np.zeros(1000)\n"
        f"C = z.reshape(8, 125).copy()\nB = C\nfor i in range(3):\n    {assignment}\n"
    )
    wanted = imperative(SETUP + body)[0]
    shell.run(body)
    for name in "kzyCB":
        assert shell.ns[name].tobytes() == wanted[name].tobytes()


@pytest.mark.parametrize("product", ["np.dot(B, C)", "B.dot(C)", "B @ C", "np.dot(B[0], C[0])"])
def test_products_of_infinity_warn_as_written(shell, product):
    body = "B = np.full((3, 3), np.inf)\nC = np.zeros((3, 3))\n"
    body += f"for i in range(4):\n    v = {product}\n"
    told = []
    for run in (lambda: imperative(SETUP + body), lambda: shell.run(body)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            run()
        told.append([str(w.message) for w in warned])
    assert told[0] == told[1]


def test_the_mean_of_nothing_warns_under_any_errors(shell):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        shell.run(
            "with np.errstate(all='ignore'):\n    for i in range(5):\n        v = x[:0].mean()\n"
        )
    assert [str(w.message).rstrip(".") for w in warned] == ["Mean of empty slice"] * 5


def test_a_loop_sees_what_a_signals_handler_has_set(shell, steps):
    before = signal.getsignal(signal.SIGALRM)
    shell.ns["signal"] = signal
    try:
        shell.run(
            "stop = False\ndef handler(number, frame):\n    global stop\n    stop = True\n"
            "signal.signal(signal.SIGALRM, handler)\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\n"
            "s = 0\nwhile not stop:\n    s += 1\n"
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert shell.ns["s"] > 100 and sum(steps) > 100


def test_handlers_find_names_as_they_are_between_two_steps(shell, steps):
    before = signal.getsignal(signal.SIGALRM)
    shell.ns["signal"] = signal
    try:
        shell.run(
            "told, h, s, last, frames = [], [], 0, 0, []\nclass Late(Exception):\n    pass\n"
            "def handler(number, frame):\n    told.append((s, len(h)))\n"
            "    frames.append(frame.f_globals is globals())\n"
            "    if sum(frames) == 5 or len(told) == 1000:\n        raise Late(s)\n"
            "signal.signal(signal.SIGALRM, handler)\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)\n"
            "try:\n    while True:\n        s += 1\n        h.append(s)\n"
            "        for j in range(100):\n            h[-1] += j\n"
            "except Late as e:\n    last = e.args[0]\n"
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        found = signal.signal(signal.SIGALRM, before)
    told, last = shell.ns["told"], shell.ns["last"]
    assert found is shell.ns["handler"] and sum(steps) > 1000
    # The cell's, save for those that come while the loop is being compiled, on a busy machine.
    assert sum(shell.ns["frames"]) == 5
    assert told[-1][0] == last == shell.ns["s"]
    assert all(n in (s, s - 1) for s, n in told) and told == sorted(told)
    assert shell.ns["h"][:-1] == [k + 4950 for k in range(1, last)]


def test_a_comprehension_goes_on_after_a_handler(shell, steps):
    before = signal.getsignal(signal.SIGALRM)
    shell.ns["signal"] = signal
    try:
        shell.run(
            "told = []\nsignal.signal(signal.SIGALRM, lambda *_: told.append(1))\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\n"
            "h = [k * k % 7 for k in range(10**6)]\n"
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert shell.ns["h"] == [k * k % 7 for k in range(10**6)]
    assert shell.ns["told"] and len(steps) > 1 and sum(steps) > 900_000


def test_a_chain_warns_of_all_that_is_in_it(shell, steps):
    """NumPy's loop of abs clears the flags that log has raised."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        shell.run("for i in range(3):\n    v = np.abs(np.log(x))\n")
        shell.run("y = np.ones(2000)\ny[7] = 0\n")  # in the first of several blocks
        shell.run("for i in range(3):\n    v = 1 / np.abs(y)\n")
    told = ["divide by zero encountered in log"] * 3
    assert [str(w.message) for w in warned] == [
        *told,
        *["divide by zero encountered in divide"] * 3,
    ]


def test_an_interrupt_in_a_call_is_raised(shell, steps):
    """The signal is handled while NumPy's own Python code runs."""
    body = "for i in range(100_000):\n    v = np.roll(x, i)\n"
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        result = shell.run(body, fails=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert type(result.error) is KeyboardInterrupt
    assert 0 < shell.ns["i"] < 99_999


@pytest.mark.parametrize(
    "body",
    [
        "s = 0\nfor i, w in enumerate(x):\n    s += i * w\n",
        "s = 0\nfor i, w in enumerate([3, 1, 2]):\n    s += i * w\n",
        "s = 0\nfor i, w in zip(x, x[::-1]):\n    s += i * w\n",
        "s = 0\nfor i, w in zip(x, [1, 2]):\n    s += i * w\n",
        "s = 0\nfor i, w in zip(A, x):\n    s += i.sum() * w\n",
        "s = 0\nfor i, w in enumerate(x):\n    if i == 3:\n        break\nelse:\n    s = 1\n",
        "s = 0\nfor w in enumerate(x):\n    s += w[0]\n",
        "s = 0\nfor i, w in enumerate(x, 2):\n    s += i\n",
        "s = 0\nfor i, w in enumerate(iter([1, 2])):\n    s += i\n",
        "s = 0\nfor i, w in zip(range(3), x):\n    s += i\n",
        "enumerate = lambda q: [(7, 1)]\ns = 0\nfor i, w in enumerate(x):\n    s += i\n"
        "del enumerate\n",
        "s = 0\nfor i in range(3):\n    for j in (1, 2.5, x[i]):\n        s += j * i\n"
        "        if s > 9:\n            break\n    else:\n        s += 100\n",
        "s = 0\nfor i in range(3):\n    for j, w in ((0, 1), (i, 2)):\n        if j == w:\n"
        "            continue\n        s += j * w\n",
        "s = 0\nfor i in range(3):\n    for j in [i, i + 1]:\n        i = 5\n        s += j\n",
    ],
)
def test_what_a_loop_goes_through(shell, body):
    agree(shell, body)


def test_enumerate_and_zip_are_gone_through_by_units(shell, steps):
    shell.run("s = 0\nfor i, w in enumerate(x):\n    s += i * w\n")
    shell.run("for i, w in zip(x, x):\n    s += i * w\n")
    assert steps == [6, 6] and shell.ns["s"] == 110


def test_what_is_appended_in_turn_comes_in_order(shell, steps):
    body = (
        "a, b = [], []\nfor i in range(400):\n    a.append(i)\n    b.append(0.5 * i)\n"
        "    if i % 3 == 0:\n        a.append(-0.25 * i)\n    b.append(i * x[i % 4])\n"
    )
    shell.run(body)
    wanted = imperative(body, {"x": shell.ns["x"]})[0]
    assert sum(steps) >= 399
    for name in "ab":
        assert list(map(repr, shell.ns[name])) == list(map(repr, wanted[name]))


def test_whole_numbers_near_a_float(shell, steps):
    """``round()`` gives ints, halves to even; what has none is Python's to refuse."""
    shell.run("x = np.array([0.5, 1.5, -2.5, -0.4, 2.0**52 + 1, 1e15 + 0.5, 0.49999999999999994])")
    shell.run("y = x.tolist()\nt = []\nu = []")
    shell.run(
        "for i in range(7):\n    t.append(round(y[i]))\n    t.append(round(x[i]))\n"
        "    t.append(round(i))\n    u.append(round(y[i] / 3, 2))"
    )
    wanted = [v for i, y in enumerate(shell.ns["y"]) for v in (round(y), round(y), i)]
    assert shell.ns["t"] == wanted and {*map(type, shell.ns["t"])} == {int}
    assert shell.ns["u"] == [round(y / 3, 2) for y in shell.ns["y"]]
    assert sum(steps) == 7
    text = "for v in [1.0, float('nan')]:\n    s = round(v)"
    assert "cannot convert float NaN" in str(shell.run(text, fails=True).error)
    assert shell.ns["s"] == 1
