"""autograd: modes, gradients of lists, of higher order, functions of the user's own."""

from __future__ import annotations

from .common import numbers


def modes(mx):
    ag = mx.autograd
    seen = []

    def note():
        seen.append([ag.is_recording(), ag.is_training()])

    note()
    with ag.record():
        note()
        with ag.pause():
            note()
            with ag.train_mode():
                note()
        with ag.predict_mode():
            note()
    with ag.record(train_mode=False):
        note()
    seen.append([ag.set_recording(True), ag.set_training(True)])
    note()
    seen.append([ag.set_recording(False), ag.set_training(False)])
    note()
    return {"seen": [[bool(a), bool(b)] for a, b in seen]}


def of_lists(mx):
    x, y = mx.nd.array(numbers(3)), mx.nd.array(numbers(3, seed=1))
    gx, gy = mx.nd.zeros(3), mx.nd.ones(3)
    mx.autograd.mark_variables([x, y], [gx, gy], ["write", "add"])
    with mx.autograd.record():
        a, b = x * y, mx.nd.exp(x)
    mx.autograd.backward([a, b], [mx.nd.array([1, 2, 3]), None], retain_graph=True)
    first = [gx.copy(), gy.copy()]
    mx.autograd.backward([a], train_mode=False)
    return {"gx": first[0], "gy": first[1], "again": gx, "added": gy}


def of_higher_order(mx):
    x = mx.nd.array(numbers(4))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.sin(x)
        first = mx.autograd.grad(y, [x], create_graph=True, retain_graph=True)[0]
        z = first.sum()
    z.backward()
    with mx.autograd.record():
        w = x.exp()
    given = mx.autograd.grad([w], [x], head_grads=[mx.nd.array([1, 0, 2, 0])])
    return {"first": first, "second": x.grad, "given": given[0]}


def own_functions(mx):
    class Sigmoid(mx.autograd.Function):
        def forward(self, x):
            y = 1 / (1 + mx.nd.exp(-x))
            self.save_for_backward(y)
            return y

        def backward(self, dy):
            (y,) = self.saved_tensors
            return dy * y * (1 - y)

    x = mx.nd.array(numbers(2, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = Sigmoid()(x) * 3
    y.backward()
    return {"y": y, "grad": x.grad}


def as_symbols(mx):
    x = mx.nd.array(numbers(3))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.exp(x) + 2
    found = mx.autograd.get_symbol(y)
    return {"arguments": len(found.list_arguments()), "outputs": len(found.list_outputs())}
