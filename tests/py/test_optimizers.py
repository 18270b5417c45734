"""Optimizers: one program for all parameters, the same in a cell; those that users write; names."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, lr_scheduler, nd, optimizer
from jupyter_hybrid.optimizer.terms import decayed, times

NAMES = [
    ("sgd", {}), ("sgd", {"momentum": 0.9}), ("nag", {"momentum": 0.9}), ("sgld", {}),
    ("signum", {}), ("ftml", {}), ("dcasgd", {"momentum": 0.5}), ("lbsgd", {"momentum": 0.9}),
    ("lars", {"momentum": 0.9}), ("lamb", {}), ("adam", {}), ("adagrad", {}), ("adadelta", {}),
    ("rmsprop", {}), ("rmsprop", {"centered": True}), ("ftrl", {}), ("adamax", {}), ("nadam", {}),
]  # fmt: skip


def weights(count: int = 3, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [nd.array(rng.normal(size=(2, i + 1)).astype("float32")) for i in range(count)]


def net_and_trainer(kind: str, options: dict[str, Any]) -> tuple[Any, Any]:
    mx.random.seed(3)
    net = gluon.nn.HybridSequential(prefix="net_")  # a trainer sorts by name
    with net.name_scope():
        net.add(gluon.nn.Dense(5, activation="tanh", in_units=4), gluon.nn.Dense(2, in_units=5))
    net.initialize(mx.init.Normal(0.5))
    schedule = lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
    options = {"wd": 0.01, "clip_gradient": 0.3, "lr_scheduler": schedule, **options}
    return net, gluon.Trainer(net.collect_params(), kind, options)


STEP = """
with autograd.record():
    loss = ((net(x) - y) ** 2).sum()
loss.backward()
trainer.step(3)
"""


@pytest.mark.parametrize(("kind", "options"), NAMES)
def test_a_cell_is_one_program_and_gives_the_same_bits(kind: str, options: Any) -> None:
    x, y = nd.array(np.linspace(-1, 1, 12).reshape(3, 4)), nd.ones((3, 2))
    seen = []
    for hybridized in (False, True):
        shell = Shell()
        net, trainer = net_and_trainer(kind, options)
        shell.ns.update(net=net, trainer=trainer, x=x, y=y, autograd=autograd)
        mx.random.seed(8)
        for step in range(5):
            if hybridized:
                shell.hybridize(STEP)
                assert len(shell.report.segments) == 1 and not shell.report.graph_breaks
                assert step < 3 or shell.report.replay.startswith("replayed")
            else:
                exec(compile(STEP, "<step>", "exec"), shell.ns)
        arrays = [p.data() for p in net.collect_params().values()]
        arrays += [state for _, state in trainer.state_arrays()]
        seen.append([a.asnumpy() for a in arrays])
    for plain, recorded in zip(*seen, strict=True):
        np.testing.assert_array_equal(plain, recorded)


def test_a_schedule_makes_one_program() -> None:
    adam = optimizer.create("adam", lr_scheduler=lr_scheduler.PolyScheduler(50, 0.1), wd=0.1)
    update, arrays = optimizer.get_updater(adam), weights()
    for step in range(8):
        adam.rescale_grad = 1 / (step + 1)
        update([0, 1, 2], weights(seed=step), arrays)
    (program,) = adam.programs.values()
    assert program._graph.num_programs == 1
    adam.beta1 = 0.5
    update([0, 1, 2], weights(), arrays)
    assert len(adam.programs) == 2


def test_factors_make_groups_of_parameters() -> None:
    sgd = optimizer.create("sgd", learning_rate=1.0, param_idx2name={0: "a_weight", 1: "b"})
    sgd.set_lr_mult({"a_weight": 0.5, 2: 3.0})
    arrays = [nd.ones((2,)) for _ in range(4)]
    optimizer.get_updater(sgd)([0, 1, 2, 3], [nd.ones((2,))] * 4, arrays)
    assert [a.asnumpy()[0] for a in arrays] == [0.5, 0, -2, 0]


def test_dcasgd_with_momentum_is_its_formula() -> None:
    made = optimizer.create("dcasgd", momentum=0.7, lamda=0.3, learning_rate=0.1, wd=0.02)
    update, w = optimizer.get_updater(made), nd.array([1.0, -2.0, 0.5])
    value = old = w.asnumpy().astype(np.float64)
    mom = np.zeros(3)
    for step in range(4):
        g = np.array([0.5, 1.0, -1.0]) * (step + 1)
        update(0, nd.array(g), w)
        mom = 0.7 * mom - 0.1 * (g + 0.02 * value + 0.3 * g * g * (value - old))
        old, value = value, value + mom
    np.testing.assert_allclose(w.asnumpy(), value, rtol=1e-5)


def test_nag_with_decay_is_its_formula() -> None:
    made = optimizer.create("nag", momentum=0.6, learning_rate=0.1, wd=0.3)
    update, w = optimizer.get_updater(made), nd.array([1.0, -2.0])
    value, mom = w.asnumpy().astype(np.float64), np.zeros(2)
    for step in range(4):
        g = np.array([0.5, 1.0]) * (step + 1)
        update(0, nd.array(g), w)
        mom = 0.6 * mom - 0.1 * (g + 0.3 * value)
        value = value + 0.6 * mom - 0.1 * (g + 0.3 * value)
    np.testing.assert_allclose(w.asnumpy(), value, rtol=1e-5)


def test_sgld_adds_noise_of_the_learning_rate() -> None:
    made = optimizer.create("sgld", learning_rate=0.04)
    w = nd.zeros((20_000,))
    optimizer.get_updater(made)(0, nd.ones((20_000,)), w)
    noise = w.asnumpy() + 0.02
    assert abs(noise.mean()) < 0.006 and abs(noise.std() - 0.2) < 0.005


def test_lars_corrects_momentum_of_every_parameter() -> None:
    """MXNet does it for the first four."""
    made = optimizer.create("lars", momentum=0.5, learning_rate=1.0, eta=1.0)
    update, arrays = optimizer.get_updater(made), [nd.ones((1,)) for _ in range(6)]
    for lr in (1.0, 0.25):
        made.lr = lr
        update(list(range(6)), [nd.ones((1,)) for _ in range(6)], arrays)
    # 1 -> |w| / |g| = 1: m = -1, w = 0; then a norm is 0: m = -0.5 * 0.25 - 0.25
    assert [a.asscalar() for a in arrays] == [-0.375] * 6


# Users' own --------------------------------------------------------------------------------------
class Halving(optimizer.Optimizer):
    """Written with nd operators, as in MXNet's documentation."""

    def create_state(self, index: Any, weight: Any) -> Any:
        return nd.zeros(weight.shape, ctx=weight.context, dtype=weight.dtype)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._update_count(index)
        state[:] = state * 0.5 + grad * self.rescale_grad
        weight[:] -= self._get_lr(index) * state


class Loud(optimizer.SGD):
    calls = 0

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        type(self).calls += 1
        super().update(index, weight, grad, state)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self.update(index, weight, grad, state)


class Together(optimizer.Optimizer):
    """Takes lists of two."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.aggregate_num, self.seen = 2, []

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self.seen.append(list(index))
        for w, g in zip(weight, grad):
            w -= g


class Plain(optimizer.StepOptimizer):
    def formula(
        self, F: Any, weight: Any, grad: Any, state: Any, numbers: Any, variant: Any
    ) -> Any:
        lr, wd, rescale = numbers
        grad = decayed(F, times(F, grad, rescale), weight, wd)
        return weight - times(F, grad, lr), state


def test_an_optimizer_written_with_nd_operators() -> None:
    made = Halving(learning_rate=0.5, rescale_grad=2.0)
    update, w = optimizer.get_updater(made), nd.array([1.0])
    update(0, nd.array([1.0]), w)
    update(0, nd.array([1.0]), w)
    assert w.asscalar() == 1 - 0.5 * 2 - 0.5 * 3 and made.num_update == 2


def test_a_subclass_that_overrides_update_is_asked() -> None:
    Loud.calls = 0
    arrays = [nd.ones((2,)), nd.ones((3,))]
    made = Loud(learning_rate=1.0)
    optimizer.get_updater(made)([0, 1], [nd.ones((2,)), nd.ones((3,))], arrays)
    assert Loud.calls == 2 and not arrays[0].asnumpy().any() and not arrays[1].asnumpy().any()


def test_an_optimizer_that_takes_lists() -> None:
    made = Together()
    arrays = [nd.ones((1,)) for _ in range(5)]
    optimizer.get_updater(made)(list(range(5)), [nd.ones((1,))] * 5, arrays)
    assert made.seen == [[0, 1], [2, 3], [4]] and not any(a.asscalar() for a in arrays)


def test_a_formula_of_the_users() -> None:
    w = nd.array([1.0, 2.0])
    optimizer.get_updater(Plain(learning_rate=0.5, wd=0.1))(0, nd.array([1.0, 1.0]), w)
    np.testing.assert_allclose(w.asnumpy(), [1 - 0.5 * 1.1, 2 - 0.5 * 1.2])


# The base class ----------------------------------------------------------------------------------
def test_names_are_registered() -> None:
    with pytest.warns(UserWarning, match="takes the name of"):
        optimizer.register(type("SGD", (Halving,), {}))
    assert type(optimizer.create("Sgd")).__mro__[1] is Halving
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer.register(optimizer.SGD)
    assert type(optimizer.Optimizer.create_optimizer("SGD")) is optimizer.SGD
    with pytest.raises(ValueError, match="cannot find optimizer 'sgdd'; known: adadelta"):
        optimizer.create("sgdd")


def test_learning_rate_of_a_scheduler() -> None:
    schedule = lr_scheduler.FactorScheduler(1, 0.5, base_lr=1.0)
    made = optimizer.create("sgd", lr_scheduler=schedule, begin_num_update=2)
    assert made.learning_rate == 0.5
    with pytest.raises(UserWarning, match="lr_scheduler"):
        made.set_learning_rate(3)
    with pytest.warns(UserWarning, match="gives way"):
        optimizer.create("sgd", lr_scheduler=schedule, learning_rate=0.25)
    assert schedule.base_lr == 0.25
    assert optimizer.create("sgd").lr == 0.01 and optimizer.create("sgd").learning_rate == 0.01


def test_decay_by_name_and_symbol() -> None:
    names = {0: "fc_weight", 1: "fc_bias", 2: "bn_gamma"}
    made = optimizer.create("sgd", wd=0.5, param_idx2name=names)
    assert made._get_wds([0, 1, 2, 3]) == [0.5, 0, 0.5, 0.5]
    assert optimizer.create("lars", wd=0.5, param_idx2name=names)._get_wds([0, 1, 2]) == [0.5, 0, 0]
    given = mx.sym.var("a_weight", lr_mult=3, wd_mult=2) + mx.sym.var("b_bias")
    made = optimizer.create("sgd", sym=given, param_idx2name={0: "a_weight", 1: "b_bias"}, wd=1.0)
    made.set_wd_mult({"b_bias": 0.25})
    assert made._get_lrs([0, 1]) == [pytest.approx(0.03), 0.01]
    assert made._get_wds([0, 1]) == [2, 0.25]


def test_updates_are_counted_by_device() -> None:
    made = optimizer.create("adam", begin_num_update=3)
    made._update_count([0, 1])
    made._set_current_context(1)
    made._update_count(0)
    assert made._all_index_update_counts == {0: {0: 4, 1: 4}, 1: {0: 4}} and made.num_update == 4


def test_copies_leave_parameters_and_programs() -> None:
    made = optimizer.create("adam", param_dict={0: "p"}, learning_rate=0.1)
    optimizer.get_updater(made)(1, nd.ones((2,)), nd.ones((2,)))
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other.param_dict == {} and other.programs == {} and other.lr == 0.1
        optimizer.get_updater(other)(1, nd.ones((2,)), nd.ones((2,)))


def test_arrays_of_no_floating_type_are_refused() -> None:
    with pytest.raises(mx.MXNetError, match="SGD: expected weights of a floating type, got int32"):
        optimizer.get_updater(optimizer.create("sgd"))(
            0, nd.ones((2,), dtype="int32"), nd.ones((2,), dtype="int32")
        )
    with pytest.raises(mx.MXNetError):
        optimizer.get_updater(optimizer.create("sgd"))(0, nd.ones((3,)), nd.ones((2,)))


def test_double_precision_has_numbers_of_its_own() -> None:
    w = nd.array(np.ones(2), dtype="float64")
    optimizer.get_updater(optimizer.create("adagrad", learning_rate=0.1, wd=1e-12))(
        0, nd.array(np.full(2, 0.3), dtype="float64"), w
    )
    step = 0.1 * (0.3 / np.sqrt(0.09 + 1e-7) + 1e-12)
    np.testing.assert_allclose(w.asnumpy(), 1 - step, rtol=1e-15)


def test_adamax_leaves_what_has_no_gradient() -> None:
    """MXNet divides 0 by 0 there."""
    update, w = optimizer.get_updater(optimizer.create("adamax")), nd.array([1.0, 2.0])
    update(0, nd.array([0.0, 1.0]), w)
    assert w.asnumpy().tolist() == [1.0, np.float32(2.0 - 0.002)]


def test_numbers_that_meet_by_chance_make_no_other_program() -> None:
    nadam = optimizer.create("nadam", wd=0.1)
    update, arrays = optimizer.get_updater(nadam), weights()
    for step in range(40):
        update([0, 1, 2], weights(seed=step), arrays)
    assert len(nadam.programs) == 1
