"""gluon: layers, cells, losses and samplers that the other tables leave out."""

from __future__ import annotations

import numpy as np

from .common import numbers


def _run(mx, net, *inputs):
    net.initialize(mx.init.Constant(0.25))
    arrays = [mx.nd.array(x) for x in inputs]
    for a in arrays:
        a.attach_grad()
    with mx.autograd.record():
        out = net(*arrays)
    out.backward()
    return {"out": out, "grad": arrays[0].grad, "printed": repr(net)}


def single(mx):
    nn = mx.gluon.nn
    nets = {
        "ReflectionPad2D": (nn.ReflectionPad2D(2), numbers(1, 2, 3, 4)),
    }
    held = {}
    for name, (net, x) in nets.items():
        found = _run(mx, net, x)
        held |= {f"{name} {key}": value for key, value in found.items()}
    net = nn.Sequential(prefix="s_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=3), nn.Dense(1, in_units=2))
    found = _run(mx, net, numbers(2, 3))
    return {**held, **found, "length": len(net), "first": net[0].name, "part": len(net[1:])}


def losses(mx):
    class Square(mx.gluon.loss.Loss):
        def __init__(self, weight=0.5, batch_axis=0, **kwargs):
            super().__init__(weight, batch_axis, **kwargs)

        def hybrid_forward(self, F, x):
            return F.mean(x * x * self._weight, axis=self._batch_axis, exclude=True)

    return _run(mx, Square(), numbers(3, 2))


def cells(mx):
    rnn = mx.gluon.rnn

    class Adding(rnn.HybridRecurrentCell):
        def state_info(self, batch_size=0):
            return [{"shape": (batch_size, 3), "__layout__": "NC"}]

        def hybrid_forward(self, F, x, states):
            return x + states[0], [x * states[0]]

    class Plain(rnn.RecurrentCell):
        def state_info(self, batch_size=0):
            return [{"shape": (batch_size, 3), "__layout__": "NC"}]

        def forward(self, x, states):
            return x - states[0], [x]

    class Halved(rnn.ModifierCell):
        def hybrid_forward(self, F, x, states):
            out, states = self.base_cell(x, states)
            return out / 2, states

        def _alias(self):
            return "halved"

    x = mx.nd.array(numbers(2, 4, 3))
    h = [mx.nd.ones((2, 3))]
    held = {}
    for cell in (Adding(), Plain(), Halved(rnn.RNNCell(3, input_size=3, prefix="r_"))):
        cell.initialize(mx.init.Constant(0.25))
        outputs, states = cell.unroll(4, x, begin_state=h, merge_outputs=True)
        held[type(cell).__name__], held[f"{type(cell).__name__} state"] = outputs, states[0]
    stack = rnn.SequentialRNNCell(prefix="stack_")
    with stack.name_scope():
        stack.add(rnn.GRUCell(3, input_size=3))
        stack.add(rnn.LSTMCell(3, input_size=3))
    stack.initialize(mx.init.Constant(0.25))
    outputs, states = stack.unroll(4, x, merge_outputs=True)
    held |= {"stack": outputs, "states": len(states), "length": len(stack)}
    held["info"] = [list(s["shape"]) for s in stack.state_info(2)]
    cell = mx.gluon.contrib.rnn.VariationalDropoutCell(rnn.RNNCell(3, input_size=3), 0.0, 0.0, 0.0)
    cell.initialize(mx.init.Constant(0.25))
    held["variational"] = cell.unroll(4, x, merge_outputs=True)[0]
    return held


def convolving(mx):
    held = {}
    contrib = mx.gluon.contrib.rnn
    for name, axes, states in (
        ("Conv1DGRUCell", 1, 1),
        ("Conv1DLSTMCell", 1, 2),
        ("Conv2DRNNCell", 2, 1),
        ("Conv3DLSTMCell", 3, 2),
        ("Conv3DRNNCell", 3, 1),
    ):
        shape = (2, 5, 4, 3)[: axes + 1]
        cell = getattr(contrib, name)(
            input_shape=shape, hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1
        )
        cell.initialize(mx.init.Constant(0.125))
        begin = [mx.nd.array(numbers(1, 2, *shape[1:], seed=i)) for i in range(states)]
        out, states = cell(mx.nd.array(numbers(1, *shape)), begin)
        held[name], held[f"{name} state"] = out, states[-1]
    return held


def _all(dataset):
    return [dataset[i] for i in range(len(dataset))]


def samplers(mx):
    data = mx.gluon.data

    class Own(data.Dataset):
        def __getitem__(self, i):
            return [0, 10, 20, 30, 40, 50][i]  # IndexError is its end

        def __len__(self):
            return 6

    class Backwards(data.Sampler):
        def __iter__(self):
            return iter(range(5, -1, -1))

        def __len__(self):
            return 6

    own = Own()
    np.random.seed(2)
    chosen = data.FilterSampler(lambda x: x % 20 == 0, own)
    random = data.RandomSampler(6)
    return {
        "filtered": list(chosen),
        "count": len(chosen),
        "random": sorted(random),
        "random count": len(random),
        "loaded": [b.asnumpy().tolist() for b in data.DataLoader(own, 4, sampler=Backwards())],
        "taken": _all(own.take(3)),
        "halved": _all(own.transform(lambda x: x / 2)),
        "sharded": _all(own.shard(4, 1)),
        "kept": _all(own.filter(lambda x: x > 20)),
        "sampled": _all(own.sample(Backwards())),
    }
