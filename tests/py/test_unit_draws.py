"""Random numbers that units draw: the user's own streams, in the user's own order."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid.capture.units.draws import _WITHOUT_PAIRS, Streams
from jupyter_hybrid.capture.units.kinds import Stream, kind_words

SETUP = """
import random
import numpy as np
from random import gauss, randint, random as some
from numpy.random import rand, uniform
random.seed(5); np.random.seed(6)
rng, old, own = np.random.default_rng(7), np.random.RandomState(8), random.Random(9)
shared = np.random.PCG64(3)
one, other = np.random.Generator(shared), np.random.RandomState(shared)
class Walk:
    def __init__(self):
        self.rng, self.x = np.random.default_rng(1), 0.0
    def step(self, by):
        self.x += self.rng.normal(0.0, by)
        return self.x
b = [3, 1, 4, 1, 5]
m = np.array([[0.25, 0.75], [0.5, 0.5]])
walk = Walk()
def pick(rng, n, by=0.5):
    return rng.integers(n) if rng.random() < by else rng.integers(n, n + n)
x, h, s, c = np.zeros(12), np.zeros(12, int), 0.0, 0
"""

LOOPS = {
    "of [0, 1)": "s += np.random.rand() - rng.random() * old.random_sample()",
    "a function by a name": "s += rand() + uniform(-2, 5) + gauss(0, 1) * randint(1, 3)",
    "by another name": "s += some() - some() * rand()",
    "uniform": "s += rng.uniform() + rng.uniform(0.25) - np.random.uniform(-3, i + 1.0)",
    "uniform of NumPy's": "s += rng.uniform(x[3], x[4]) + np.random.uniform(h[1], 3)",
    "Python's of NumPy's numbers": "s += random.uniform(x[3] - 1, 1) * random.gauss(x[1], 2)",
    "integers": "h[np.random.randint(12)] += np.random.randint(-5, 2 + i)",
    "the generator's integers": "h[rng.integers(12)] -= rng.integers(0, 2 + i)",
    "one integer to draw": "c += np.random.randint(1) + rng.integers(3, 4)",
    "many integers": "c ^= int(rng.integers(2**40)) ^ np.random.randint(-(2**62), 2**62)",
    "up to 32 bits": "c ^= int(rng.integers(0, 2**32 - 1)) ^ np.random.randint(2**32)",
    "two in an update": "x[rng.integers(12)] += rng.random()",
    "two in a store": "x[rng.integers(12)] = rng.random()",
    "a choice between draws": "s += rng.random() + (rng.normal() if rng.random() < 0.5 else 1)",
    "a choice in an index": "x[rng.integers(6) + (6 if rng.random() < 0.3 else 0)] += rng.random()",
    "one after the other": "if 0.2 < rng.random() < rng.random() or rng.random() < 0.1: c += i",
    "an order of arguments": "s += rng.normal(rng.random(), scale=rng.random())",
    "the least": "s += min(rng.random(), rng.random(), old.rand())",
    "normal ones": "s += np.random.normal(2.0, 0.5) + np.random.randn() * old.normal()",
    "others": "s += rng.exponential(2) + rng.beta(2, 3) + rng.poisson(3) + old.binomial(9, 0.5)",
    "Python's": "s += random.random() + random.uniform(1, 2) * own.gauss(0, 1) + own.randrange(9)",
    "integers of Python's": "c"
    " += random.randint(1, 6) * own.randrange(9) + own.randrange(-5, i + 1)",
    "large ones of Python's": "c ^= random.randint(-(2**62), 2**62) ^ own.randrange(2**62 + 1)",
    "one to draw of Python's": "c += random.randint(3, 3) + own.randrange(1)",
    "integers that no double holds": "s += random.uniform(2**53 + 1, 1)",
    "exponential ones": "s += random.expovariate(0.5) - own.expovariate(i + 1.0)",
    "from a list": "c += random.choice([2, 3]) + random.choice(b) + own.choice((1, 2, 5))",
    "and none in a list": "s += random.random()\nif i == 30: b[:] = []\nc += random.choice(b)",
    "and none in a range": "s += random.random()\nif i > 30: c += random.randint(1, 0)",
    "a rate of none": "s += random.random() + own.expovariate(30 - i)",
    "choices": "c += rng.choice([-1, 1]) + np.random.choice(5) + random.choice([2, 3])",
    "choices by weight": "c += rng.choice(3, p=[0.2, 0.3, 0.5])",
    "normal ones by pairs": "s += np.random.randn()\n"
    "if i % 3: s += old.normal(1, 2) * np.random.normal()",
    "with arrays of them": "s += np.random.randn() + np.random.normal(size=3)[1] + "
    "np.random.randn()",
    "beside others that don't come in pairs": "s += np.random.randn() * own.gauss(0, 1)\n"
    "s += np.random.uniform(-1, 1, 2)[0] + random.triangular(1, 3) + np.random.poisson(2.0)\n"
    "c += np.random.choice(b) + np.random.randn()",
    "beside others that take from pairs": "s += np.random.gamma(2.0) + np.random.randn()",
    "before others that take from pairs": "s += np.random.randn()\ns += np.random.gamma(2.0)",
    "in the newer way": "s += rng.normal(s, 0.5) * rng.standard_normal() + "
    "rng.normal(scale=2, loc=i)",
    "of one that two generators have": "s += other.randn() + one.normal() + "
    "other.standard_normal()",
    "exponential ones of NumPy's": "s += rng.exponential() + rng.exponential(scale=x[2] + 1) + "
    "np.random.exponential(2) + old.standard_exponential()",
    "a deviation below 0": "s += np.random.randn() + rng.normal(0, 30 - i)",
    "a deviation of -0": "s += rng.normal()\nif i == 30: s += np.random.normal(0.0, -0.0)",
    "pairs of Python's": "s += own.gauss(0, 1) + random.normalvariate(i, 0.5)\n"
    "if i % 2: s += own.gauss(1, i)",
    "choices by a row's weights": "c = rng.choice(2, p=m[c % 2]) + np.random.choice(2, p=m[0])",
    "arrays": "x += rng.normal(size=12) + np.random.rand(12)\nh[:3] = rng.integers(0, 9, size=3)",
    "arrays as arguments": "x[:] = rng.normal(x, 0.5)\ns += rng.choice(x)",
    "of one bit generator": "s += one.random() - other.normal() * other.random_sample()",
    "a function's parameter": "c += pick(rng, 7) - pick(rng, 3, by=0.25)",
    "an instance's": "s += walk.step(0.5) + walk.rng.random()",
    "alone": "np.random.rand()\nc += 1\nrng.normal()",
    "for an instance": "c += 1\nwalk.step(0.5)",
    "in a condition": "while rng.random() < 0.5: c += 1",
    "a loop of them": "for j in range(rng.integers(4)): s += rng.random() * j",
    "a comprehension": "s += sum([rng.random() for _ in range(5)])",
    "and an error": "s += rng.random()\nif rng.random() < 0.05: s += x[12]",
    "and what can't be drawn": "s += rng.random()\nh[0] = rng.integers(30 - i)",
    "and a print": "s += rng.random()\nif rng.integers(20) == 0: print(s)",
    "two names": "r = rng\ns += r.random() + rng.random()",
    "another generator": "s += rng.random()\nif i == 20: rng = np.random.default_rng(1)",
    "seeds": "s += np.random.rand() + rng.random()\nif i == 20: np.random.seed(3)",
    "nested elements": "s += np.ones((9, 9))[rng.integers(9)][rng.integers(9)]",
}  # fmt: skip


# No unit runs them, or none for many steps.
OTHERS = frozenset(
    {"two names", "another generator", "seeds", "and a print", "nested elements", "by another name",
     "and an error", "and what can't be drawn", "many integers", "and none in a list",
     "with arrays of them", "before others that take from pairs",
     "and none in a range", "a rate of none", "a deviation below 0", "a deviation of -0",
     "integers that no double holds"}
)  # fmt: skip


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A shell's background jobs are started with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def state_of(names: dict[str, Any]) -> str:
    """All that can be seen: the names, and what each generator will draw."""
    numbers = [repr(names[n]) for n in ("x", "h", "s", "c", "said")]
    streams = [repr(names[n].bit_generator.state) for n in ("rng", "one")]
    streams += [repr(names[n].get_state(legacy=False)) for n in ("old", "other")]
    streams += [repr(names["own"].getstate()), repr(vars(names["walk"])["x"])]
    streams.append(repr(names["walk"].rng.bit_generator.state))
    streams += [repr(np.random.get_state(legacy=False)), repr(random.getstate())]
    return "\n".join([*numbers, *streams])


def text_of(body: str, head: str = "for i in range(40):") -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        f"{SETUP}\nsaid = ''\ntry:\n    {head}\n{lines}\nexcept Exception as e:\n    said = repr(e)"
    )


def agree(shell: Shell, text: str) -> None:
    names, out = imperative(text)
    wanted = state_of(names)
    ran = shell.run(text)
    assert state_of(shell.ns) == wanted
    assert ran.out == out


@pytest.mark.parametrize("name", LOOPS)
def test_draws_are_python_s(shell: Shell, name: str) -> None:
    agree(shell, text_of(LOOPS[name]))  # and what units foretell is compared: conftest


@pytest.mark.parametrize("name", LOOPS)
def test_draws_of_units_are_python_s(shell: Shell, steps: list[int], name: str) -> None:
    agree(shell, text_of(LOOPS[name]))
    agree(shell, text_of(LOOPS[name], "for i in range(3000):"))  # states are saved on the way
    assert name in OTHERS or sum(steps) > 4


ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "choice": [(9,), (np.arange(9), 4), ([1, 2, 5], 2, True, [0.2, 0.3, 0.5])],
    "permutation": [(9,), (np.arange(9),)],
    "triangular": [(0, 1, 3), (0.5, 2, 3, 7)],
    "weibull": [(1.5,), (0.3, 5)],
    "pareto": [(1.5,), (0.3, 5)],
    "geometric": [(0.3,), (0.9, 5), (1e-5, 3)],
    "poisson": [(0.5,), (30.0,), (4.0, 7)],
    "binomial": [(9, 0.3), (500, 0.4), (1000, 0.7, 5)],
    "randint": [(9,), (-5, 2**40, 6), (0, 2, (2, 3))],
    "rand": [(), (3, 2)],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(_WITHOUT_PAIRS[np.random.RandomState]))
def test_numpys_older_generator_leaves_the_second_of_a_pair_alone(name: str) -> None:
    for given in ARGUMENTS.get(name, [(), (2.5,)] if "standard" not in name else [(), (4,)]):
        if name in ("random", "random_sample"):
            given = tuple(int(g) for g in given)
        results, kept = [], []
        for has in (0, 1):
            drawn = np.random.RandomState(5)
            drawn.set_state(
                {**drawn.get_state(legacy=False), "has_gauss": has, "gauss": 0.25 * has}
            )
            results.append([np.asarray(getattr(drawn, name)(*given)).tolist() for _ in range(200)])
            state = drawn.get_state(legacy=False)
            kept.append((state.pop("has_gauss"), state.pop("gauss")))
            results.append(repr(state))
        assert results[:2] == results[2:] and kept == [(0, 0.0), (1, 0.25)]


@pytest.mark.parametrize(
    "head",
    [
        "while rng.random() < 0.97:",
        "while c < 90 and rng.integers(50):",
        "while not np.random.rand() > 0.98:",
        "while c < 200 and pick(rng, 30):",
    ],
)
def test_a_condition_draws_once(shell: Shell, steps: list[int], head: str) -> None:
    agree(shell, text_of("c += 1\ns += rng.random()", head))
    assert sum(steps) > 4


@pytest.mark.parametrize("bits", ["MT19937", "PCG64DXSM", "Philox", "SFC64"])
def test_bits_of_other_generators(shell: Shell, steps: list[int], bits: str) -> None:
    body = "s += rng.random() + rng.uniform(1, 3) + rng.integers(7) + rng.normal()"
    made = f"{SETUP}\nrng = np.random.Generator(np.random.{bits}(4))\n"
    agree(shell, text_of(body, "for i in range(2500):").replace(SETUP, made))
    assert sum(steps) >= 2500


def test_a_program_s_other_bits_of_the_global_stream(shell: Shell, steps: list[int]) -> None:
    before = np.random.get_bit_generator()
    made = f"{SETUP}\nnp.random.set_bit_generator(np.random.PCG64(4))\n"
    try:
        agree(shell, text_of("s += np.random.rand()").replace(SETUP, made))
        assert sum(steps) == 40
    finally:
        np.random.set_bit_generator(before)


def test_bits_that_nobody_knows(shell: Shell, steps: list[int]) -> None:
    class Others(np.random.PCG64):
        pass

    shell.ns["Others"] = Others
    shell.run("import numpy as np\nrng, s = np.random.Generator(Others(4)), 0.0")
    wanted = sum(np.random.Generator(np.random.PCG64(4)).random(50).tolist())
    shell.run("for i in range(50):\n    s += rng.random()")
    assert shell.ns["s"] == pytest.approx(wanted)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_takes_back_what_is_not_kept(shell: Shell, steps: list[int]) -> None:
    shell.run(SETUP)
    before = shell.ns["rng"].bit_generator.state
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    started = time.perf_counter()
    try:
        timer.start()
        ran = shell.run("while True:\n    s += rng.random() + rng.normal()\n    c += 1", fails=True)
    finally:
        timer.cancel()
    assert isinstance(ran.error, KeyboardInterrupt)
    assert time.perf_counter() - started < 30
    twin = np.random.default_rng(7)
    twin.bit_generator.state = before
    count, total = shell.ns["c"], 0.0
    for _ in range(count):
        total += twin.random() + twin.normal()
    assert count > 0
    assert total == shell.ns["s"]  # nothing is drawn that no step has had


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("which", ["go_back", "states"])
def test_an_interrupt_while_states_are_saved_or_taken_back(
    shell: Shell, steps: list[int], monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    plain, calls = getattr(Streams, which), []

    def interrupted(streams: Streams, *given: Any) -> Any:
        calls.append(which)
        if len(calls) == (1 if which == "go_back" else 3):
            raise KeyboardInterrupt
        return plain(streams, *given)

    shell.run(SETUP)
    before = shell.ns["rng"].bit_generator.state
    monkeypatch.setattr(Streams, which, interrupted)
    # The unit leaves in the last step, behind a draw.
    body = "for i in range(9000):\n    s += rng.random()\n    if i == 8990: h[0] = rng.integers(0)"
    ran = shell.run(body, fails=True)
    assert isinstance(ran.error, KeyboardInterrupt)
    twin = np.random.default_rng(0)
    twin.bit_generator.state = before
    total = 0.0
    while total < shell.ns["s"]:
        total += twin.random()
    assert total == shell.ns["s"]
    assert twin.bit_generator.state == shell.ns["rng"].bit_generator.state
    assert sum(steps) > 500


def test_what_a_generator_is_called() -> None:
    kind = "is", Stream(np.random.Generator, 3)
    assert kind_words(kind) == "a Generator of random numbers"
