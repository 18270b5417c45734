"""Optimizers' updates: the weight is ``out``, states are written in place."""

from __future__ import annotations

from case import Call, Family
from drawn import FLOATS, given, real

f = Family("updates")
CASES = f.cases
ON_WEIGHT = Call(gradient=False, out=0)
TWO = ("float32", "float64")
SLOW = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.01}
positive = {"low": 0.25, "high": 2}
MORE = ({}, {"wd": 0.1}, {"rescale_grad": 0.5}, {"clip_gradient": 0.75})


def over(name: str, *states, extra: tuple[dict, ...] = (), half: bool = False, **attrs) -> None:
    for more in (*MORE, *extra):
        f.add(name, real(2, 3), real(2, 3), *states, call=ON_WEIGHT, **{**attrs, **more})
    f.every(FLOATS if half else TWO, name, real(2, 3), real(2, 3), *states, call=ON_WEIGHT, **attrs)


squares = real(2, 3, **positive)
over("sgd_update", half=True, lr=0.1, extra=({"lazy_update": False},))
over("sgd_mom_update", real(2, 3), half=True, lr=0.1, extra=({"momentum": 0.9},))
over("nag_mom_update", real(2, 3), lr=0.1, extra=({"momentum": 0.9},))
over("signsgd_update", lr=0.1)
over("signum_update", real(2, 3), lr=0.1, extra=({"momentum": 0.9, "wd_lh": 0.1},))
over("adam_update", real(2, 3), squares, lr=0.1, extra=(SLOW,))
over(
    "rmsprop_update",
    squares,
    lr=0.1,
    extra=({"gamma1": 0.5, "epsilon": 0.1}, {"clip_weights": 0.5}),
)
over(
    "rmspropalex_update",
    real(2, 3, low=9, high=12),
    real(2, 3),
    real(2, 3),
    lr=0.1,
    extra=({"gamma1": 0.5, "gamma2": 0.25, "epsilon": 0.1}, {"clip_weights": 0.5}),
)
over("ftrl_update", real(2, 3), squares, lr=0.1, extra=({"lamda1": 0.1, "beta": 0.5},))
over(
    "lamb_update_phase1",
    real(2, 3),
    squares,
    t=2,
    wd=0.01,
    extra=({"bias_correction": False}, {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.01}),
)
for t in (1, 3):
    for attrs in (
        {},
        {"wd": 0.1},
        {"rescale_grad": 0.5},
        {"clip_grad": 0.75},
        {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.01},
    ):
        f.add(
            "ftml_update",
            real(2, 3),
            real(2, 3),
            squares,
            squares,
            real(2, 3),
            lr=0.1,
            t=t,
            call=ON_WEIGHT,
            **attrs,
        )
for attrs in ({}, {"lower_bound": 1.0}, {"upper_bound": 0.5}):
    f.add(
        "lamb_update_phase2",
        real(2, 3),
        real(2, 3),
        given([2.0]),
        given([1.5]),
        lr=0.1,
        call=ON_WEIGHT,
        **attrs,
    )

half = real(2, 3, dtype="float16")
wide = real(2, 3)
for more in MORE:
    f.add("mp_sgd_update", half, half, wide, lr=0.1, call=ON_WEIGHT, **more)
    f.add("mp_sgd_mom_update", half, half, wide, wide, lr=0.1, momentum=0.5, call=ON_WEIGHT, **more)
    f.add("mp_nag_mom_update", half, half, wide, wide, lr=0.1, momentum=0.5, call=ON_WEIGHT, **more)
f.add(
    "mp_lamb_update_phase1",
    half,
    half,
    wide,
    squares,
    wide,
    t=2,
    wd=0.01,
    call=Call(gradient=False),
)
f.add("mp_lamb_update_phase2", half, wide, given([2.0]), given([1.5]), wide, lr=0.1, call=ON_WEIGHT)

many = Call(gradient=False)


def onto(*places: int) -> Call:
    return Call(gradient=False, out=places)


two = {"lrs": (0.1, 0.2), "wds": (0.0, 0.1), "num_weights": 2}
one = real(4)
for more in ({}, {"rescale_grad": 0.5}, {"clip_gradient": 0.75}):
    f.add("multi_sgd_update", wide, wide, one, one, call=onto(0, 2), **two, **more)
    f.add(
        "multi_sgd_mom_update",
        wide,
        wide,
        wide,
        one,
        one,
        one,
        momentum=0.9,
        call=onto(0, 3),
        **two,
        **more,
    )
    f.add(
        "multi_mp_sgd_update",
        half,
        half,
        wide,
        one.of("float16"),
        one.of("float16"),
        one,
        call=onto(0, 3),
        **two,
        **more,
    )
    f.add(
        "multi_mp_sgd_mom_update",
        half,
        half,
        wide,
        wide,
        one.of("float16"),
        one.of("float16"),
        one,
        one,
        momentum=0.9,
        call=onto(0, 4),
        **two,
        **more,
    )
    lrs, wds = given([0.125, 0.25]), given([0.0, 0.125])
    f.add(
        "preloaded_multi_sgd_update",
        wide,
        wide,
        one,
        one,
        lrs,
        wds,
        num_weights=2,
        call=onto(0, 2),
        **more,
    )
    f.add(
        "preloaded_multi_sgd_mom_update",
        wide,
        wide,
        wide,
        one,
        one,
        one,
        lrs,
        wds,
        num_weights=2,
        momentum=0.9,
        call=onto(0, 3),
        **more,
    )
    f.add(
        "preloaded_multi_mp_sgd_update",
        half,
        half,
        wide,
        one.of("float16"),
        one.of("float16"),
        one,
        lrs,
        wds,
        num_weights=2,
        call=onto(0, 3),
        **more,
    )
    f.add(
        "preloaded_multi_mp_sgd_mom_update",
        half,
        half,
        wide,
        wide,
        one.of("float16"),
        one.of("float16"),
        one,
        one,
        lrs,
        wds,
        num_weights=2,
        momentum=0.9,
        call=onto(0, 4),
        **more,
    )
sums = given([1.5, 0.25, 4.0])
f.add(
    "multi_lars",
    given([0.125, 0.25, 0.5]),
    sums,
    given([2.0, 0.5, 0.0]),
    given([0.0, 0.125, 0.25]),
    eta=0.01,
    eps=1e-8,
    call=many,
)
f.add(
    "multi_lars",
    given([0.125, 0.25, 0.5]),
    sums,
    given([2.0, 0.5, 0.0]),
    given([0.0, 0.125, 0.25]),
    eta=0.1,
    eps=0.1,
    rescale_grad=0.5,
    call=many,
)
f.add("reset_arrays", wide, one, num_arrays=2, call=onto())
for attrs in (
    {},
    {"wd": 0.1},
    {"clip_gradient": 0.5},
    {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.01},
):
    f.add(
        "contrib.adamw_update",
        wide,
        wide,
        wide,
        squares,
        given([1.0]),
        lr=0.1,
        eta=0.5,
        call=ON_WEIGHT,
        **attrs,
    )
    f.add(
        "contrib.mp_adamw_update",
        half,
        half,
        wide,
        squares,
        wide,
        given([1.0]),
        lr=0.1,
        eta=0.5,
        call=ON_WEIGHT,
        **attrs,
    )
CORRECTED = {"step_count": (1, 3), "lrs": (0.1, 0.2), "wds": (0.0, 0.1)}
pair = [real(2, 3), real(4)]
halves = [x.of("float16") for x in pair]
moments = [[real(2, 3), real(4)], [real(2, 3, **positive), real(4, **positive)]]
for attrs in (
    {},
    {"rescale_grad": 0.5, "clip_gradient": 0.5},
    {"lower_bound": 1.5, "bias_correction": False},
    {"upper_bound": 0.5, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.01},
):
    f.add("contrib.multi_lamb_update", pair, pair, *moments, call=ON_WEIGHT, **CORRECTED, **attrs)
    f.add(
        "contrib.multi_mp_lamb_update",
        halves,
        halves,
        *moments,
        pair,
        call=ON_WEIGHT,
        **CORRECTED,
        **attrs,
    )
for attrs in ({}, {"clip_gradient": 0.5}, {"beta1": 0.5, "beta2": 0.75, "epsilon": 0.01}):
    three = {"lrs": (0.1, 0.2), "wds": (0.0, 0.1), "etas": (0.5, 1.0), **attrs}
    f.add("contrib.multi_adamw_update", pair, pair, *moments, 0.5, call=ON_WEIGHT, **three)
    f.add(
        "contrib.multi_mp_adamw_update",
        halves,
        halves,
        *moments,
        pair,
        0.5,
        call=ON_WEIGHT,
        **three,
    )

# Attributes that are left at one value above.
SLOWER = {"lr": 0.05}
f.add("sgd_update", wide, wide, call=ON_WEIGHT, **SLOWER)
f.add("signsgd_update", wide, wide, call=ON_WEIGHT, **SLOWER)
for name in ("sgd_mom_update", "nag_mom_update", "signum_update"):
    more = {"lazy_update": False} if name == "sgd_mom_update" else {}
    f.add(name, wide, wide, wide, call=ON_WEIGHT, **SLOWER, **more)
f.add("adam_update", wide, wide, wide, squares, lazy_update=False, call=ON_WEIGHT, **SLOWER)
f.add("ftml_update", wide, wide, squares, squares, wide, t=1, call=ON_WEIGHT, **SLOWER)
f.add("ftrl_update", wide, wide, wide, squares, call=ON_WEIGHT, **SLOWER)
f.add("rmsprop_update", wide, wide, squares, call=ON_WEIGHT, **SLOWER)
high = real(2, 3, low=9, high=12)
f.add("rmspropalex_update", wide, wide, high, wide, wide, call=ON_WEIGHT, **SLOWER)
f.add("lamb_update_phase1", wide, wide, wide, squares, t=1, wd=0.1, call=ON_WEIGHT)
f.add("lamb_update_phase2", wide, wide, given([2.0]), given([1.5]), call=ON_WEIGHT, **SLOWER)
f.add("mp_sgd_update", half, half, wide, lazy_update=False, call=ON_WEIGHT, **SLOWER)
f.add("mp_sgd_mom_update", half, half, wide, wide, lazy_update=False, call=ON_WEIGHT, **SLOWER)
f.add("mp_nag_mom_update", half, half, wide, wide, call=ON_WEIGHT, **SLOWER)
for attrs in (
    {"t": 1, "wd": 0.1, "bias_correction": False},
    {"t": 3, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.5},
    {"t": 3, "wd": 0.0, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.01},
):
    f.add("mp_lamb_update_phase1", half, half, wide, squares, wide, call=many, **attrs)
for bound in ({"lower_bound": 2.5}, {"upper_bound": 0.5}):
    norms = (given([2.0]), given([1.5]))
    f.add("mp_lamb_update_phase2", half, wide, *norms, wide, call=ON_WEIGHT, **SLOWER, **bound)
later = {"lrs": (0.25, 0.05), "wds": (0.01, 0.0), "num_weights": 2}
narrow = one.of("float16")
f.add("multi_sgd_update", wide, wide, one, one, call=onto(0, 2), **later)
f.add("multi_sgd_mom_update", wide, wide, wide, one, one, one, call=onto(0, 3), **later)
f.add("multi_mp_sgd_update", half, half, wide, narrow, narrow, one, call=onto(0, 3), **later)
f.add(
    "multi_mp_sgd_mom_update",
    *(half, half, wide, wide, narrow, narrow, one, one),
    call=onto(0, 4),
    **later,
)
f.add("reset_arrays", wide, num_arrays=1, call=onto())
