"""optimizer, lr_scheduler: classes made by themselves, rates and decays, updaters, their states."""

from __future__ import annotations

from optimizer_cases import OPTIMIZERS

from .common import numbers

NAMES = {
    "AdaDelta": {"rho": 0.8},
    "AdaGrad": {"eps": 1e-6},
    "Adam": {"beta1": 0.8},
    "Adamax": {"beta2": 0.9},
    "DCASGD": {"lamda": 0.1},
    "FTML": {"beta1": 0.5},
    "Ftrl": {"lamda1": 0.05},
    "LAMB": {},
    "LARS": {"momentum": 0.9},
    "LBSGD": {"momentum": 0.5},
    "NAG": {"momentum": 0.9},
    "Nadam": {},
    "RMSProp": {"centered": True},
    "SGD": {"momentum": 0.9},
    "Signum": {},
    "ccSGD": {"momentum": 0.5},
    "Test": {},
}


def classes(mx):
    held = {"several": len(OPTIMIZERS) > 20}
    for name, options in NAMES.items():
        made = getattr(mx.optimizer, name)(**options)
        # No gradient is 0: MXNet's Adamax divides 0 by 0.
        weight, grad = mx.nd.array(numbers(2, 3)), mx.nd.array(numbers(2, 3, seed=2))
        state = made.create_state(0, weight)
        for _ in range(3):
            if made.aggregate_num and name not in ("Test",):
                made.update([0], [weight], [grad], [state])
            else:
                made.update(0, weight, grad, state)
        held[name] = weight
    return held


def of_all(mx):
    made = mx.optimizer.Optimizer.create_optimizer(
        "sgd", learning_rate=0.1, wd=0.01, param_idx2name={0: "a_weight", 1: "b_bias"}
    )
    made.set_lr_mult({"a_weight": 0.5})
    made.set_wd_mult({"a_weight": 2.0})
    arrays = [mx.nd.array(numbers(3, seed=i)) for i in range(4)]
    states = [made.create_state_multi_precision(i, arrays[i]) for i in range(2)]
    made.update_multi_precision([0, 1], arrays[:2], arrays[2:], states)
    made.set_learning_rate(0.3)
    half = arrays[0].astype("float16")
    mixed = mx.optimizer.SGD(multi_precision=True, momentum=0.9)
    state = mixed.create_state_multi_precision(0, half)
    mixed.update_multi_precision([0], [half], [arrays[3].astype("float16")], [state])
    base = mx.optimizer.Optimizer(learning_rate=0.25)
    return {
        "a": arrays[0],
        "b": arrays[1],
        "rate": made.learning_rate,
        "half": half,
        "base": [base.learning_rate, base.rescale_grad, base.wd, base.num_update],
        "known": sorted(mx.optimizer.Optimizer.opt_registry)[:3],
        "none": base.create_state(0, half),
    }


def registered(mx):
    @mx.optimizer.register
    class Backwards(mx.optimizer.Optimizer):
        def create_state(self, index, weight):
            return None

        def update(self, index, weight, grad, state):
            weight[:] = weight + grad * self.learning_rate

    mx.optimizer.Optimizer.register(type("Nothing", (Backwards,), {}))
    weight = mx.nd.ones(2)
    made = mx.optimizer.create("backwards", learning_rate=0.5)
    mx.optimizer.get_updater(made)(0, mx.nd.ones(2), weight)
    return {"weight": weight, "kind": type(mx.optimizer.create("nothing")).__name__}


def updaters(mx):
    updater = mx.optimizer.Updater(mx.optimizer.SGD(momentum=0.9, learning_rate=0.1))
    weight, grad = mx.nd.array(numbers(3)), mx.nd.ones(3)
    updater(0, grad, weight)
    text = updater.get_states(dump_optimizer=False)
    again = mx.optimizer.Updater(mx.optimizer.SGD(momentum=0.9, learning_rate=0.1))
    again.set_states(text)
    other = weight.copy()
    again(0, grad, other)
    updater(0, grad, weight)
    state = updater.sync_state_context(updater.states[0], mx.cpu())
    return {"weight": weight, "again": other, "state": state}


def noise(mx):
    made = mx.optimizer.SGLD(learning_rate=0.01)
    weight, grad = mx.nd.zeros(20000), mx.nd.ones(20000)
    made.update(0, weight, grad, made.create_state(0, weight))
    found = weight.asnumpy()
    mean, spread = found.mean() + 0.005, found.std() / 0.1
    return {"mean": bool(abs(mean) < 0.004), "spread": bool(abs(spread - 1) < 0.04)}


def schedules(mx):
    base = mx.lr_scheduler.LRScheduler(0.5, 4, 0.1, "linear")
    constant = mx.lr_scheduler.LRScheduler(0.5, 4, 0.1, "constant")
    return {
        "linear": [round(base.get_warmup_lr(i), 6) for i in range(4)],
        "constant": [round(constant.get_warmup_lr(i), 6) for i in range(4)],
        "base": base.base_lr,
    }
