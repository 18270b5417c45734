"""Classes that others are made from: what they do themselves, and what they leave to these."""

from __future__ import annotations

from .common import attribute, numbers, raised


def blocks(mx):
    class Own(mx.gluon.HybridBlock):
        pass

    x = mx.nd.array(numbers(2, 3))
    names = []
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(2, in_units=3, activation="relu"))
    net.initialize(mx.init.One())
    net.hybridize()
    for everything in (False, True):
        net.register_op_hook(lambda name, op, array: names.append(op), monitor_all=everything)
    net(x)
    plain = mx.gluon.Block()
    plain.register_child(net, "net")
    plain.register_op_hook(lambda name, op, array: names.append(op))
    return {
        "forward": raised(lambda: plain.forward(x), NotImplementedError),
        "call": raised(lambda: plain(x), NotImplementedError),
        "hybrid": raised(lambda: Own().hybrid_forward(mx.nd, x), NotImplementedError),
        "called": raised(lambda: Own()(x), NotImplementedError),
        "hooked": len(names) > 0,
    }


def errors(mx):
    kind = attribute(mx.gluon, "DeferredInitializationError")
    lazy = mx.gluon.nn.Dense(2)
    lazy.initialize()
    held = {
        "of data": raised(lambda: lazy.weight.data(), kind),
        "of grad": raised(lambda: lazy.weight.grad(), kind),
        "of context": raised(lambda: lazy.weight.list_ctx(), kind),
        "kind": issubclass(kind, mx.MXNetError),
    }
    lazy(mx.nd.ones((1, 3)))
    return {**held, "later": raised(lambda: lazy.weight.data(), kind)}


def data(mx):
    class Squares(mx.gluon.data.Dataset):
        def __init__(self):
            super().__init__()

        def __len__(self):
            return 10

        def __getitem__(self, i):
            if i >= len(self):
                raise IndexError(i)
            return i * i

    class Backwards(mx.gluon.data.Sampler):
        def __init__(self):
            super().__init__()

        def __len__(self):
            return 4

        def __iter__(self):
            return iter([3, 2, 1, 0])

    plain, sampler = mx.gluon.data.Dataset(), mx.gluon.data.Sampler()
    squares = Squares()
    loader = mx.gluon.data.DataLoader(squares, 2, sampler=Backwards())
    return {
        "item": raised(lambda: plain[0], NotImplementedError),
        "length": raised(lambda: len(plain), NotImplementedError),
        "iter": raised(lambda: iter(sampler), NotImplementedError),
        "sampler's length": raised(lambda: len(sampler), NotImplementedError),
        "changed": [squares.transform(lambda x: x + 1)[i] for i in (0, 3)],
        "at once": [squares.transform(lambda x: -x, lazy=False)[i] for i in (0, 3)],
        "first": squares.transform_first(lambda x: x + 2)[3],
        "filtered": [squares.filter(lambda x: x % 2)[i] for i in (0, 1)],
        "shard": [squares.shard(3, 1)[i] for i in range(3)],
        "taken": len(squares.take(4)),
        "sampled": [squares.sample(Backwards())[i] for i in range(2)],
        "batches": [batch.asnumpy().tolist() for batch in loader],
    }


def optimizers(mx):
    class Plain(mx.optimizer.Optimizer):
        def __init__(self, **options):
            super().__init__(**options)

        def create_state(self, index, weight):
            return mx.nd.zeros(weight.shape, dtype=weight.dtype)

        def update(self, index, weight, grad, state):
            state[:] = state + grad
            weight[:] = weight - self._get_lr(index) * state

    base = mx.optimizer.Optimizer()
    known = base.register(Plain)
    made = mx.optimizer.Optimizer.create_optimizer("plain", learning_rate=0.5)
    held = {"same": known is Plain, "kind": type(made).__name__}
    held["registry"] = attribute(mx.optimizer.Optimizer, "opt_registry")["plain"].__name__
    weight, grad = mx.nd.array(numbers(3)), mx.nd.ones(3)
    state = made.create_state_multi_precision(0, weight)
    for _ in range(2):
        made.update_multi_precision(0, weight, grad, state)
    made.multi_precision = True
    half = mx.nd.array(numbers(3), dtype="float16")
    states = made.create_state_multi_precision(1, half)
    made.update_multi_precision(1, half, mx.nd.ones(3, dtype="float16"), states)
    held |= {"weight": weight, "state": state, "half": half, "wide": states[0]}
    held["update"] = raised(lambda: base.update(0, weight, grad, None), NotImplementedError)
    held["scale"] = raised(lambda: base.set_lr_scale({}), DeprecationWarning)
    held["none"] = base.create_state_multi_precision(0, weight)
    return held


def metrics(mx):
    base = mx.metric.EvalMetric("own", output_names=None, label_names=None)
    return {
        "update": raised(lambda: base.update([], []), NotImplementedError),
        "get": [base.get()[0], str(base.get()[1])],
        "config": base.get_config(),
    }


def contexts(mx):
    cpu = mx.context.Context("cpu", 0)
    return {
        "cache": raised(lambda: cpu.empty_cache(), mx.MXNetError),
        "str": [str(cpu), repr(cpu), cpu.device_type],
    }
