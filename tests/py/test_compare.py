"""%%hybridize --compare: copies, effects refused by name, verdicts, sweep, pictures."""

from __future__ import annotations

import json
import random
import re
from types import SimpleNamespace

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid.compare.difference import difference
from jupyter_hybrid.compare.inputs import Inputs
from jupyter_hybrid.compare.measure import Side
from jupyter_hybrid.compare.report import CompareReport, Point

QUICK = "--compare --seconds 0.02"


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    shell.run("import numpy as np\nfrom jupyter_hybrid import nd")
    return shell


def compared(shell: Shell, body: str, options: str = "") -> CompareReport:
    shell.hybridize(body, f"{QUICK} {options}")
    return shell.report.compare


# The namespace afterwards ------------------------------------------------------------------------
def test_the_cell_has_run_once_and_its_output_is_shown_once(shell):
    shell.run("x = np.arange(5.0)\nlist_ = [1]\nlist_of_arrays = [np.zeros(2)]")
    x, kept = shell.ns["x"], shell.ns["list_"]
    result = shell.hybridize(
        "x += 1\nlist_.append(2)\nlist_of_arrays[0][1] += 7\ny = x * 2\nprint('total', y.sum())\ny",
        QUICK,
    )
    assert shell.ns["x"] is x and shell.ns["list_"] is kept
    np.testing.assert_array_equal(x, np.arange(5.0) + 1)
    assert kept == [1, 2]
    np.testing.assert_array_equal(shell.ns["list_of_arrays"][0], [0, 7])
    np.testing.assert_array_equal(shell.ns["y"], x * 2)
    assert result.out.count("total 30.0") == 1
    np.testing.assert_array_equal(result.value, x * 2)
    assert shell.report.compare.equal


def test_views_of_one_array_stay_views_of_one_array(shell):
    shell.run("x = np.arange(6.0)\nv = x[2:]\nt = x.reshape(2, 3)")
    assert compared(shell, "x[2] = 50\nb = v * 1\nc = t + 0\n").equal
    np.testing.assert_array_equal(shell.ns["b"], [50, 3, 4, 5])
    np.testing.assert_array_equal(shell.ns["c"], [[0, 1, 50], [3, 4, 5]])


def test_random_states_are_restored(shell):
    shell.run("rng = np.random.default_rng(5)")
    states = {}
    for options in ("", QUICK):
        shell.run("rng = np.random.default_rng(5)\nnp.random.seed(1)")
        random.seed(2)
        mx.random.seed(3)
        shell.run("import random")
        shell.hybridize(
            "a = np.random.rand(3)\nb = rng.normal(size=3)\nc = random.random()\n"
            "d = nd.random.uniform(shape=(3,))\n",
            f"{options} --view none",
        )
        states[options] = [np.asarray(shell.ns[n]).tolist() for n in "abc"]
        states[options] += [shell.ns["d"].asnumpy().tolist(), np.random.rand(), random.random()]
        states[options] += [shell.ns["rng"].random(), mx.random.get_state()]
    assert states[""] == states[QUICK]
    assert shell.report.compare.equal


def test_an_error_of_the_cell_is_the_users_own(shell):
    failed = shell.hybridize("a = 1\nb = np.ones(2) + np.ones(3)\n", QUICK, fails=True)
    assert "broadcast" in str(failed.error)
    assert shell.ns["a"] == 1


def test_nd_arrays_are_copied(shell):
    shell.run("x = nd.ones((3,))")
    report = compared(shell, "x += 1\ny = x * 3\n")
    assert report.equal
    np.testing.assert_array_equal(shell.ns["x"].asnumpy(), [2, 2, 2])
    np.testing.assert_array_equal(shell.ns["y"].asnumpy(), [6, 6, 6])
    assert report.imperative.kernels == 2


# Effects -----------------------------------------------------------------------------------------
EFFECTS = {
    "open(path, 'w').write('a')": "line 2 opens a file",
    "y = x + 1\nnp.save(path, x)": "line 3 calls numpy.save",
    "input()": "line 2 calls input",
    "%time 3": "line 2 runs a line magic",
    "!true": "line 2 runs a line magic or a shell command",
    "import os\nos.system('true')": "line 3 calls posix.system",
    "thing.a = 3": "line 2 writes the attribute 'a' of a SimpleNamespace",
    "thing.w += 1": "line 2 writes the attribute 'w'",
    "w = thing.w\nw += 1": "line 3 writes into an array that it reaches through another object",
    "thing.l.append(1)": "line 2 changes a list that was there before",
    "thing.d['k'] = 1": "line 2 writes an item of a dict that was there before",
    "np.add(x, 1, out=thing.w)": "line 2 writes into an array",
    "bump()": "line 2 assigns the global 'counter' (in bump)",
    "mark(thing)": "line 2 changes its argument 'thing', a SimpleNamespace",
    "fill()": "line 2 writes into an array that it reaches through another object or function",
    "save(x)": "line 2 opens a file",
    "unseen(thing.l)": "line 2 calls unseen, whose source can't be read",
    "try:\n    open(path, 'w')\nexcept BaseException:\n    pass": "line 3 opens a file",
    "import subprocess\nsubprocess.run(['true'])": "line 3 calls subprocess.run",
    "print(1, file=out)": "line 2 prints to a file",
    "np.random.default_rng = None": "line 2 writes the attribute 'default_rng' of a module",
    "np.seterr(all='ignore')": "line 2 calls numpy.seterr",
    "import time\nstart = time.perf_counter()": "line 3 reads the clock (time.perf_counter)",
    "from datetime import datetime\nn = datetime.now()": "line 3 reads the clock (datetime.now)",
    "thing.g.normal()": "line 2 draws from a Generator that it reaches through another object",
}
HELPERS = """
def bump():
    global counter
    counter = counter + 1
def mark(thing):
    thing.a = 4
def fill():
    hidden[:] = 1
def save(x):
    with open(path, 'w') as file:
        file.write(str(x))
exec(compile("def unseen(kept): kept[0:1] = [1]", "unseen.py", "exec"))
counter, hidden = 0, np.zeros(3)
"""


@pytest.mark.parametrize("body", EFFECTS)
def test_an_effect_is_refused_before_it_happens(shell, body, tmp_path):
    path = tmp_path / "written"
    given = {"w": np.zeros(2), "l": [], "d": {}, "g": np.random.default_rng(0)}
    with open(tmp_path / "out", "w") as out:
        shell.ns.update(x=np.ones(3), path=str(path), out=out, thing=SimpleNamespace(a=0, **given))
        shell.run(HELPERS)
        failed = shell.hybridize(body, QUICK, fails=True)
    message = str(failed.error)
    assert EFFECTS[body] in message and "hybridize without --compare" in message
    thing = shell.ns["thing"]
    assert thing.a == 0 and thing.l == [] and thing.d == {} and not thing.w.any()
    assert not shell.ns["hidden"].any() and shell.ns["counter"] == 0
    assert not path.exists() and (tmp_path / "out").read_text() == ""
    assert thing.w.flags.writeable and shell.ns["hidden"].flags.writeable
    assert np.random.default_rng is not None


PURE = {
    "helper functions": "def f(x):\n    y = x * 2\n    y[0] = 1\n    return y\ny = f(x)\n",
    "earlier function": "y = earlier(x)\n",
    "classes": (
        "class A:\n    def __init__(self, k):\n        self.k = k\n        self.seen = []\n"
        "    def __call__(self, x):\n        self.seen.append(1)\n        return x * self.k\n"
        "y = A(3)(x)\ndel A\n"
    ),
    "own containers": "d = {}\nd['k'] = x + 1\nl = []\nl.append(x)\ny = d['k']\n",
    "standard library": "import math, statistics\ny = x * math.sqrt(2) + statistics.mean([1, 3])\n",
    "comprehension": "y = np.stack([x * i for i in range(3)])\n",
    "string file": "import io\nf = io.StringIO()\nprint(1, file=f)\ny = f.getvalue()\n",
    "display": "from IPython.display import display\ndisplay(3)\ny = x + 1\n",
}


@pytest.mark.parametrize("name", PURE)
def test_what_stays_inside_the_cell_is_no_effect(shell, name):
    shell.run("x = np.ones(3)\ndef earlier(x):\n    z = x + 1\n    z[1] = 0\n    return z")
    assert compared(shell, PURE[name]).equal
    assert "y" in shell.ns


def test_training_a_block_is_an_effect(shell):
    shell.run(
        "from jupyter_hybrid import autograd, gluon\nnet = gluon.nn.Dense(1)\nnet.initialize()\n"
        "x = nd.ones((2, 3))"
    )
    failed = shell.hybridize("y = net(x)\n", QUICK, fails=True)
    assert "first call of net" in str(failed.error)
    shell.run("net(x)")
    assert compared(shell, "y = net(x)\n").equal
    failed = shell.hybridize("with autograd.record():\n    y = net(x)\n", QUICK, fails=True)
    assert "line 2 calls jupyter_hybrid.record on a block" in str(failed.error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--seconds 1", "--seconds belongs to --compare"),
        ("--compare --seconds never", "expected a positive number up to 3600"),
        ("--compare --sizes n=a", "expected positive n=100,1000"),
        ("--compare --sizes m=10,20", "'m' is not an int that this cell reads or assigns"),
        ("--compare --sizes 10,20", "reads no arrays that could be resized"),
        ("--compare --donate z", "a donated array is gone after one run"),
    ],
)
def test_wrong_options_say_what_to_do(shell, options, message):
    shell.run("z = [1]")
    failed = shell.hybridize("y = np.ones(3) + 1\n", options, fails=True)
    assert message in str(failed.error)


# Sweep -------------------------------------------------------------------------------------------
def test_sweep_of_an_int_that_the_cell_assigns(shell):
    report = compared(shell, "n = 10\nx = np.ones(n) + 1\nm = x.shape[0]\n", "--sizes n=3,50,7")
    assert [p.size for p in report.sweep] == [3, 7, 50]
    assert not any(p.error for p in report.sweep)
    assert shell.ns["m"] == 10 and shell.ns["n"] == 10
    assert report.sweep[-1].symbolic.peak_bytes > report.sweep[0].symbolic.peak_bytes


def test_sweep_of_an_int_that_the_cell_reads_resizes_arrays_made_from_it(shell):
    shell.run("n = 4\nx = np.ones((n, 3))")
    report = compared(shell, "assert x.shape == (n, 3)\ny = x.sum(axis=1) * n\n", "--sizes n=2,9")
    assert [p.error for p in report.sweep] == ["", ""]
    assert shell.ns["x"].shape == (4, 3)


def test_sweep_of_rows(shell):
    shell.run("x, w, label = np.ones((8, 3)), np.ones(3), np.arange(8)")
    report = compared(shell, "y = x @ w + label\n", "--sizes 4,16")
    assert report.varied == "rows of label, x" and not any(p.error for p in report.sweep)
    failed = shell.run("square = np.ones((8, 8))") and shell.hybridize(
        "y = square + 1\n", f"{QUICK} --sizes 4,16", fails=True
    )
    assert "not clear which to scale" in str(failed.error)


def test_a_size_that_fails_is_named(shell):
    report = compared(shell, "n = 4\nx = np.ones(n).reshape(2, 2) + 1\n", "--sizes n=4,5")
    assert report.sweep[0].error == "" and "reshape" in report.sweep[1].error
    assert "reshape" in repr(report) and report.svg().startswith("<svg")


# Verdicts ----------------------------------------------------------------------------------------
def side(name: str, time: float, **rest) -> Side:
    return Side(name, [time * k for k in (0.99, 1.0, 1.01, 1.0, 1.0)], **rest)


def made(ours: float, theirs: float = 1e-3, **rest) -> CompareReport:
    one = side("imperative", theirs, kernels=3, peak_bytes=1_000_000, **rest)
    two = side("symbolic", ours, kernels=1, peak_bytes=390_000, compute_s=ours / 10, dispatch_s=0.0)
    return CompareReport(one, two, [])


def test_verdicts():
    assert made(1e-3 / 2.3).verdict == "2.3x faster; 61 % less memory; equal"
    assert made(1.01e-3).verdict.startswith("as fast as before (")
    slow = made(60e-6, 6e-6)
    assert slow.verdict.startswith(
        "slower, 10.0x the time: 3 kernels of 2 µs cost less than the graph call (54 µs)"
    )
    computing = made(2e-3)
    computing.symbolic.compute_s = 1.9e-3
    assert "its kernels compute for 1.9 ms, the cell as written takes 1 ms" in computing.verdict
    apart = made(1e-3 / 2)
    apart.differences = [difference("z", np.array([1.0]), np.array([1.5]))]
    assert "not equal: z differs by 0.5 at most" in apart.verdict
    apart.differences = [difference("z", np.array([1.0]), np.array([np.nextafter(1, 2)]))]
    assert apart.verdict.endswith("equal to 1 ulp")
    # Near 0, where large terms cancelled, rounding is many ulp.
    apart.differences = [difference("z", np.array([100.0, 1e-14]), np.array([100.0, 2e-14]))]
    assert apart.verdict.endswith("equal but for rounding (1e-14 at most)")
    apart.differences.append(difference("i", 1, 2))
    assert "not equal: i: 1 against 2" in apart.verdict


def test_verdicts_of_little_memory_are_in_bytes():
    report = made(1e-3 / 2)
    report.imperative.peak_bytes, report.symbolic.peak_bytes = 8, 3 << 19
    assert "1.5 MB more memory (1.5 MB against 8 B)" in report.verdict
    report.imperative.peak_bytes, report.symbolic.peak_bytes = 3 << 19, 0
    assert "1.5 MB less memory (0 B against 1.5 MB)" in report.verdict


def test_uncertain_verdicts_say_why():
    report = made(1e-3 / 2)
    assert "uncertain" not in report.verdict
    del report.symbolic.seconds[3:]
    assert "2.0x faster (uncertain: 3 runs only)" in report.verdict
    report.imperative.seconds = [1e-3, 2e-3, 3e-3, 4e-3, 5e-3]
    report.symbolic.seconds = [1e-3, 1.5e-3, 1.5e-3, 3e-3, 9e-3]
    assert "faster (uncertain: the quartiles overlap)" in report.verdict


def test_memory_without_contents_is_named(shell):
    report = compared(shell, "w = np.empty(3)\nw[:] = 1\ny = w + 1\n")
    assert report.equal and report.uninitialized == 2
    report.differences = [difference("w", 1, 2)]
    assert "line 2 makes an array without contents" in report.verdict


def test_an_error_is_shown_once(shell):
    failed = shell.hybridize("a = undefined_name + 1\n", QUICK, fails=True)
    assert isinstance(failed.error, NameError) and failed.error.__context__ is None


def test_a_tiny_cell_loses_and_says_so(shell):
    shell.run("v = np.ones(2)")
    report = compared(shell, "r = v * 2 + 1\n")
    assert report.equal
    assert report.symbolic.compute_s < sum(report.symbolic.seconds)
    if report.speedup < 0.8:  # what is slow about it depends on the machine, see test_verdicts
        assert report.verdict.startswith("slower")


def test_where_it_begins_to_pay():
    def at(size, imperative, symbolic):
        return Point(size, side("imperative", imperative), side("symbolic", symbolic))

    report = made(1e-3)
    report.varied = "n"
    report.sweep = [at(100, 1e-6, 1e-5), at(10_000, 1e-4, 1e-5)]
    assert report.pays_from == pytest.approx(1000, rel=0.01)  # midway between 10x slower and faster
    picture = report.svg()
    assert "pays from n = 1,000 on" in picture and "pays from n = 1,000 on" in repr(report)
    report.sweep = [at(100, 1e-6, 1e-5)]
    assert report.pays_from is None and "does not pay up to n = 100" in repr(report)
    report.sweep = [at(100, 1e-4, 1e-5)]
    assert report.pays_from == 100 and "at every size measured" in repr(report)


# Differences -------------------------------------------------------------------------------------
def test_differences():
    one = np.array([1.0, -2.0, np.nan, np.inf])
    assert difference("x", one, one.copy()).equal
    two = one.copy()
    two[1] = np.nextafter(two[1], -3)
    found = difference("x", one, two)
    assert (found.equal, found.ulp) == (False, 1)
    assert found.absolute == np.spacing(2.0) and found.relative == pytest.approx(2**-52)
    assert difference("x", np.float32(-0.0), np.nextafter(np.float32(0), np.float32(1))).ulp == 1
    assert "2 elements differ" in str(difference("i", np.arange(3), np.array([0, 5, 5])))
    assert "float64 (3,) against float32 (3,)" in str(
        difference("x", np.zeros(3), np.zeros(3, "float32"))
    )
    assert "NaN" in difference("x", np.array([np.nan]), np.array([1.0])).note
    assert not difference("b", True, 1).equal and difference("s", "a", "a").equal
    assert difference("l", [np.ones(2), 1], [np.ones(2), 1]).equal
    assert not difference("l", {"k": np.ones(2)}, {"k": np.zeros(2)}).equal
    assert difference("f", len, len) is None


def test_working_copies_get_their_contents_back():
    x = np.arange(4.0)
    inputs = Inputs(["x", "pair"], {"x": x, "pair": [x, (x[1:],)]})
    for _ in range(3):
        names = inputs.namespace()
        assert names["x"] is not x and names["pair"][0] is names["x"]
        np.testing.assert_array_equal(names["x"], np.arange(4.0))
        names["x"][1] = 9
        assert names["pair"][1][0][0] == 9 and x[1] == 1
        names["pair"].append(3)


# Forms -------------------------------------------------------------------------------------------
def test_table_picture_and_data(shell):
    shell.run("x = np.ones(1000)")
    result = shell.hybridize("y = np.exp(x) * 2\n", f"{QUICK} --sizes 10,1000")
    (shown,) = [o for o in result.shown if "image/svg+xml" in o.data]
    picture = shown.data["image/svg+xml"]
    assert picture.count("<svg") == 1 and "<polyline" in picture and "median" in picture
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", picture)
    report = shell.report.compare
    text = shown.data["text/plain"]
    assert report.verdict in text and "peak bytes" in text and "speed-up" in text
    data = json.loads(report.to_json())
    assert data["verdict"] == report.verdict and len(data["sweep"]) == 2
    assert data["symbolic"]["runs"] == len(report.symbolic.seconds) >= 3
    assert data["imperative"]["quartiles_s"][0] <= data["imperative"]["median_s"]
    assert data["symbolic"]["kernels"] == 1 and data["imperative"]["kernels"] == 2


def test_the_parts_of_the_time_add_up_to_a_run_that_was_timed(shell):
    for _ in range(3):
        report = compared(shell, "g = np.arange(500) * 2.0\nr = np.sqrt(g) + 1\nt = float(r.sum())")
        ours = report.symbolic
        whole = ours.dispatch_s + max(ours.compute_s, ours.wait_s)
        assert any(whole == pytest.approx(s) for s in ours.seconds)
        assert ours.peak_bytes >= 2 * 500 * 8  # g and r, also in a run that follows another


def test_peak_bytes_are_those_of_the_arrays(shell):
    shell.run("x = np.ones(1_000_000)")
    report = compared(shell, "y = x * 2 + 1 - x / 3\n")
    mega = 8_000_000
    assert 2 * mega <= report.imperative.peak_bytes < 2.1 * mega
    assert mega <= report.symbolic.peak_bytes < 1.1 * mega


def test_slider_shows_the_picture_of_each_size(shell):
    shell.run("x = np.ones(100)")
    report = compared(shell, "y = x + 1\n", "--sizes 10,1000")
    slider = report.slider()
    choice, drawn = slider.children
    first = drawn.value
    choice.value = 1
    assert first.startswith("<svg") and drawn.value.startswith("<svg") and drawn.value != first
    with pytest.raises(ValueError, match="--sizes"):
        made(1e-3).slider()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--loop-limit -5", "--loop-limit: expected a positive number of operators, got '-5'"),
        ("--compare --seconds -1", "--seconds: expected a positive number up to 3600, got '-1'"),
        ("--dims q:0=n", "--dims: no variable 'q'"),
        ("--dims x:2=n", "--dims: 'x' of shape (3,) has no axis 2"),
    ],
)
def test_values_of_options_are_checked(shell, options, message):
    shell.run("x = np.ones(3)")
    assert message in str(shell.hybridize("y = x + 1\n", options, fails=True).error)
