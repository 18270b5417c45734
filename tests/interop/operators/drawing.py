"""Random numbers: shapes and dtypes alone can be equal; densities are."""

from __future__ import annotations

from case import Call, Family
from drawn import given, real

f = Family("drawing")
CASES = f.cases
PLAIN = Call(gradient=False)
# Of 20,000 draws: 5 % of the largest statistic.
MANY = {"call": Call(gradient=False, statistics=True), "times": 5e5}
KINDS = {
    "uniform": {"low": -1.0, "high": 2.0},
    "normal": {"loc": 1.0, "scale": 2.0},
    "exponential": {"lam": 2.0},
    "gamma": {"alpha": 2.0, "beta": 0.5},
    "poisson": {"lam": 3.0},
    "negative_binomial": {"k": 3, "p": 0.5},
    "generalized_negative_binomial": {"mu": 2.0, "alpha": 0.5},
}
for kind, attrs in KINDS.items():
    ours = dict(attrs)
    if kind == "exponential":
        ours = {"scale": 2.0}
    for path, given_attrs in ((f"random_{kind}", attrs), (f"random.{kind}", ours)):
        if "_" not in path.split(".")[0]:  # the plain operators want a shape
            f.add(path, values=False, call=PLAIN)
        f.add(path, shape=3, values=False, call=PLAIN, **given_attrs)
        for dtype in ("float16", "float32", "float64"):
            f.add(path, shape=(2, 3), dtype=dtype, values=False, call=PLAIN, **given_attrs)
for kind, attrs in KINDS.items():
    f.add(f"random_{kind}", shape=20000, **MANY, **attrs)
    ours = {"scale": 2.0} if kind == "exponential" else attrs
    f.add(f"random.{kind}", shape=20000, **MANY, **ours)
    f.add(f"random.{kind}_like", real(2, 3), values=False, call=PLAIN, **attrs)
    f.add(f"random.{kind}_like", real(1, 20000), **MANY, **attrs)
f.add("random_randint", -2, 9, shape=20000, **MANY)
f.add("random.randint", -2, 9, shape=20000, **MANY)
f.add("random.randn", 20000, loc=1.0, scale=2.0, **MANY)
f.add("uniform", -1.0, 3.0, shape=20000, **MANY)
f.add("normal", 1.0, 2.0, shape=20000, **MANY)
for path in ("uniform", "normal", "contrib.uniform"):
    f.add(path, shape=(2, 3), values=False, call=PLAIN)
for path in ("random_randint", "random.randint"):
    f.add(path, 0, 5, shape=(2, 3), values=False, call=PLAIN)
    for dtype in ("int32", "int64"):
        f.add(path, -2, 9, shape=4, dtype=dtype, values=False, call=PLAIN)
f.add("random.randn", 2, 3, values=False, call=PLAIN)
f.add("random.randn", 2, 3, loc=1.0, scale=2.0, dtype="float64", values=False, call=PLAIN)
for path in ("random.shuffle", "shuffle"):
    f.add(path, real(5, 2), values=False, call=PLAIN)
PAIRS = {
    "uniform": (given([0.0, 1.0]), given([1.0, 4.0])),
    "normal": (given([0.0, 1.0]), given([1.0, 4.0])),
    "exponential": (given([1.0, 4.0]),),
    "gamma": (given([1.0, 2.0]), given([1.0, 4.0])),
    "poisson": (given([1.0, 4.0]),),
    "negative_binomial": (given([1.0, 4.0]), given([0.5, 0.25])),
    "generalized_negative_binomial": (given([1.0, 4.0]), given([0.5, 0.25])),
}
for kind, arrays in PAIRS.items():
    for attrs in ({}, {"shape": 3}, {"shape": (2, 2)}, {"shape": 2, "dtype": "float64"}):
        f.add(f"sample_{kind}", *arrays, values=False, call=PLAIN, **attrs)
    f.add(f"random.{kind}", *arrays, shape=2, values=False, call=PLAIN)
    f.add(f"sample_{kind}", *arrays, shape=20000, **MANY)
for path in ("sample_multinomial", "random.multinomial"):
    for attrs in (
        {},
        {"shape": 4},
        {"shape": (2, 2)},
        {"get_prob": True},
        {"shape": 3, "dtype": "float32"},
    ):
        f.add(path, given([[0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]), values=False, call=PLAIN, **attrs)
    f.add(path, given([0.25, 0.25, 0.5]), values=False, call=PLAIN)
    f.add(path, given([0.125, 0.25, 0.625]), shape=20000, **MANY)
    f.add(path, given([0.0, 1.0, 0.0]), shape=5, call=PLAIN)

DENSITIES = {
    "uniform": ([0.0, 1.0], [2.0, 4.0]),
    "normal": ([0.0, 1.0], [1.0, 2.0]),
    "gamma": ([1.0, 2.5], [1.0, 2.0]),
    "exponential": ([1.0, 2.0],),
    "poisson": ([1.0, 2.0],),
    "negative_binomial": ([1.0, 4.0], [0.5, 0.25]),
    "generalized_negative_binomial": ([1.0, 4.0], [0.5, 0.25]),
}
for kind, parameters in DENSITIES.items():
    sample = given([[0.5, 1.5, 1.25], [2.0, 1.5, 3.0]])
    if "poisson" in kind or "binomial" in kind:
        sample = given([[0.0, 1.0, 4.0], [2.0, 3.0, 1.0]])
    for logarithm in (False, True):
        for dtype in ("float32", "float64"):
            f.add(
                f"random_pdf_{kind}",
                sample.of(dtype),
                *[given(p, dtype) for p in parameters],
                is_log=logarithm,
                times=10,
            )
for logarithm in (False, True):
    f.add(
        "random_pdf_dirichlet",
        given([[[0.25, 0.75], [0.5, 0.5]]]),
        given([[1.5, 2.0]]),
        is_log=logarithm,
        times=10,
    )
for kind, attrs in (*KINDS.items(), ("randint", {"low": 0, "high": 5})):
    f.add(f"random_{kind}", shape=(2, 3), ctx="cpu(0)", values=False, call=PLAIN, **attrs)
f.add("normal", shape=(2, 3), ctx="cpu(0)", values=False, call=PLAIN)
