"""Training by every optimizer, in words that both libraries understand.

    PYTHON tests/interop/optimizer_cases.py FILE.npz

with a Python that has MXNet 1.9.1 writes what it computes; tests/py/test_optimizers_mxnet.py
compares.
"""

from __future__ import annotations

import sys

import numpy as np

STEPS, SEEN = 10, (0, 1, 4, 9)  # of the steps, those whose weights are kept
SHAPES = {"a_weight": (3, 4), "b_bias": (4,), "c_gamma": (2, 1, 3)}

# By name: (optimizer, its arguments)
OPTIMIZERS = {
    "sgd": ("sgd", {}),
    "sgd_momentum": ("sgd", {"momentum": 0.9}),
    "nag": ("nag", {}),
    "nag_momentum": ("nag", {"momentum": 0.8}),
    "signum": ("signum", {"wd_lh": 0.02}),
    "signum_plain": ("signum", {"momentum": 0.0}),
    "ftml": ("ftml", {"beta1": 0.5, "beta2": 0.98, "epsilon": 1e-6}),
    "dcasgd": ("dcasgd", {"lamda": 0.3}),  # with momentum it raises in MXNet
    "lbsgd": ("lbsgd", {"momentum": 0.9}),
    "lbsgd_scaled": (
        "lbsgd",
        {"momentum": 0.5, "batch_scale": 2, "updates_per_epoch": 2, "warmup_epochs": 3},
    ),
    "lbsgd_power2": ("lbsgd", {"batch_scale": 3, "warmup_strategy": "power2", "begin_epoch": 1}),
    "lbsgd_lars": ("lbsgd", {"momentum": 0.5, "warmup_strategy": "lars"}),
    "lars": ("lars", {"momentum": 0.9, "eta": 0.1}),
    "lars_plain": ("lars", {"eta": 0.2, "eps": 0.01, "momentum_correction": False}),
    "lamb": ("lamb", {"learning_rate": 0.01}),
    "lamb_bounds": ("lamb", {"lower_bound": 0.5, "upper_bound": 1.5, "bias_correction": False}),
    "adam": ("adam", {}),
    "adam_other": ("adam", {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-4, "lazy_update": False}),
    "adagrad": ("adagrad", {"eps": 1e-4}),
    "adadelta": ("adadelta", {"rho": 0.8, "epsilon": 1e-4}),
    "rmsprop": ("rmsprop", {"gamma1": 0.8, "clip_weights": 0.9}),
    "rmsprop_centered": ("rmsprop", {"centered": True, "gamma2": 0.7}),
    "ftrl": ("ftrl", {"lamda1": 0.05, "beta": 2}),
    "adamax": ("adamax", {"beta1": 0.8}),
    "nadam": ("nadam", {"schedule_decay": 0.01}),
    "ccsgd": ("ccsgd", {"momentum": 0.9}),
    "groupadagrad": ("groupadagrad", {"learning_rate": 0.1}),
}
# MXNet's groupadagrad has no decay; nag's momentum takes the new weight's, as it is overwritten.
WITHOUT_DECAY = ("groupadagrad", "nag")


def arrays(seed: int, shapes) -> list[np.ndarray]:
    rng = np.random.RandomState(seed)
    return [rng.normal(size=shape).astype("float32") for shape in shapes]


def trained(mx, name: str, full: bool) -> np.ndarray:
    """A Trainer's weights, a row a step.

    ``full``: with weight decay, bound, scale, factors and a schedule.
    """
    kind, options = OPTIMIZERS[name]
    options = dict(options)
    shapes = SHAPES if kind != "groupadagrad" else {"a_weight": (3, 4), "d_weight": (5, 2)}
    if full:
        options.update(clip_gradient=0.4, rescale_grad=1.5)
        if kind not in WITHOUT_DECAY:
            options["wd"] = 0.05
        if kind != "ftrl":  # its own rate is taken before the scheduler's
            options.pop("learning_rate", None)
            options["learning_rate"] = 0.05
        options["lr_scheduler"] = mx.lr_scheduler.FactorScheduler(
            3, 0.6, base_lr=0.05, warmup_steps=3, warmup_begin_lr=0.01
        )
    params = []
    for (key, shape), value in zip(shapes.items(), arrays(7, shapes.values())):
        p = mx.gluon.Parameter(key, shape=shape)
        p.initialize()
        p.set_data(mx.nd.array(value))
        params.append(p)
    if full:
        params[0].lr_mult, params[1].wd_mult = 0.5, 2.0
    trainer = mx.gluon.Trainer(params, kind, options)
    seen = []
    for step in range(STEPS):
        if step == 6 and not full:
            trainer.set_learning_rate(trainer.learning_rate * 0.3)
        with mx.autograd.record():
            parts = [
                (p.data() * mx.nd.array(g)).sum()
                for p, g in zip(params, arrays(100 + step, shapes.values()))
            ]
            loss = parts[0]
            for part in parts[1:]:
                loss = loss + part
        loss.backward()
        trainer.step(2)
        if step in SEEN:
            seen.append(np.concatenate([p.data().asnumpy().ravel() for p in params]))
    return np.stack(seen)


def updated(mx, name: str, dtype: str, multi_precision: bool) -> np.ndarray:
    """Weights of an Updater that knows the parameters' names."""
    kind, options = OPTIMIZERS[name]
    optimizer = mx.optimizer.create(
        kind,
        wd=0.05,
        param_idx2name=dict(enumerate(SHAPES)),
        multi_precision=multi_precision,
        rescale_grad=0.5,
        **options,
    )
    optimizer.set_lr_mult({0: 0.5})
    updater = mx.optimizer.get_updater(optimizer)
    weights = [mx.nd.array(v, dtype=dtype) for v in arrays(8, SHAPES.values())]
    seen = []
    for step in range(STEPS):
        grads = [mx.nd.array(g, dtype=dtype) for g in arrays(200 + step, SHAPES.values())]
        if optimizer.aggregate_num:
            updater([0, 1, 2], grads, weights)
        else:
            for i in range(3):
                updater(i, grads[i], weights[i])
        if step in SEEN:
            values = [w.asnumpy().astype("float32").ravel() for w in weights]
            seen.append(np.concatenate(values))
    return np.stack(seen)


NAMED = ["sgd_momentum", "lars", "lamb", "adam", "signum", "lbsgd", "lbsgd_scaled"]
HALF = ["sgd", "sgd_momentum", "nag_momentum", "adam", "lamb", "ftml", "dcasgd", "adamax", "lars"]


SCHEDULES = {
    "factor": ("FactorScheduler", {"step": 4, "factor": 0.5, "stop_factor_lr": 0.1}),
    "factor_warm": ("FactorScheduler", {"step": 3, "factor": 0.9, "warmup_steps": 5}),
    "multi": ("MultiFactorScheduler", {"step": [3, 7, 20], "factor": 0.1}),
    "poly": ("PolyScheduler", {"max_update": 30, "pwr": 3, "final_lr": 0.05, "warmup_steps": 4}),
    "poly_warm": (
        "PolyScheduler",
        {"max_update": 20, "warmup_steps": 6, "warmup_begin_lr": 0.2, "warmup_mode": "constant"},
    ),
    "cosine": (
        "CosineScheduler",
        {"max_update": 25, "final_lr": 0.1, "warmup_steps": 5, "warmup_begin_lr": 0.1},
    ),
}


def scheduled(mx, name: str) -> np.ndarray:
    """Rates of 40 updates."""
    kind, options = SCHEDULES[name]
    schedule = getattr(mx.lr_scheduler, kind)(base_lr=0.8, **options)
    return np.array([schedule(i) for i in range(40)])


def cases():
    """(key, function of mx) of every case."""
    for name in SCHEDULES:
        yield f"schedule/{name}", lambda mx, n=name: scheduled(mx, n)
    for name in OPTIMIZERS:
        if name == "lbsgd_scaled":  # MXNet adds up a gradient that the next backward overwrites
            continue
        for full in (False, True):
            yield (
                f"{name}/{'full' if full else 'plain'}",
                lambda mx, n=name, f=full: trained(mx, n, f),
            )
    for name in NAMED:
        yield f"{name}/float32", lambda mx, n=name: updated(mx, n, "float32", False)
    for name in HALF:
        yield f"{name}/float16_mp", lambda mx, n=name: updated(mx, n, "float16", True)


if __name__ == "__main__":
    import mxnet

    found = {}
    for key, run in cases():
        print(key)
        found[key] = run(mxnet)
    np.savez_compressed(sys.argv[1], **found)
