"""Devices in loops and branches, ``cpu(1)``, arrays of several devices: cells are plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell
from modelled_helpers import devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, nd
from jupyter_hybrid.modelled import record

SEEN = ("x", "y", "z", "w", "c", "c1", "d", "t", "a", "b", "l", "outs")


@pytest.fixture
def shell():
    mx.virtual_gpus(3)
    yield Shell()
    nd.waitall()
    mx.virtual_gpus(0)


def seen(value):
    if isinstance(value, (list, tuple)):
        return [seen(v) for v in value]
    return str(value.context), value.asnumpy().tolist()


def outcome(shell, run):
    """(what was raised, every array by name: its device and its elements)."""
    for name in SEEN:
        shell.ns.pop(name, None)
    mx.random.seed(1)
    shell.ns.update(
        mx=mx, nd=nd, np=np, autograd=autograd,
        x=nd.array([1.0, 2.0], ctx=mx.gpu(0)),
        c=nd.array([3.0, 4.0]),
        c1=nd.array([5.0, 6.0], ctx=mx.cpu(1)),
        d=nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ctx=mx.gpu(0)),
    )  # fmt: skip
    raised = ""
    try:
        run()
    except MXNetError as error:
        raised = str(error)
    return raised, {n: seen(shell.ns[n]) for n in SEEN if n in shell.ns}


def same_in_every_mode(shell, body):
    """Plain, recorded, recorded whatever it costs, and run again; returns the outcome."""
    plain = outcome(shell, lambda: shell.run(body))
    for options in ("--view none", "--force --view none", "--view none"):
        found = outcome(shell, lambda options=options: shell.hybridize(body, options))
        assert found == plain, options
    return plain


LOOPS = {
    "y = x\nfor i in range(5):\n    y = (y.as_in_context(mx.gpu(i % 3)) * 2) + i\n": "gpu(1)",
    "y = nd.zeros((2,), ctx=mx.gpu(1))\n"
    "for i in range(4):\n    y = y + nd.ones((2,), ctx=mx.gpu(1)) * i\n": "gpu(1)",
    "y = x\nfor i in range(3):\n    y = (y + 1).copyto(mx.gpu(i))\n": "gpu(2)",
    "t = nd.zeros((2,), ctx=mx.gpu(2))\n"
    "for i in range(3):\n    (x * i).copyto(t)\n    t += 1\ny = t * 2\n": "gpu(2)",
    "t = nd.zeros((4, 2), ctx=mx.gpu(1))\n"
    "for i in range(4):\n    t[i] = x * i\ny = t\n": "gpu(1)",
    "y = x\nn = 0\nwhile y.sum().asscalar() < 100:\n"
    "    y = y.as_in_context(mx.gpu(n % 2)) * 2\n    n += 1\n": "gpu(1)",
    "z = []\nfor i in range(3):\n    with mx.gpu(i):\n        z.append(nd.ones((2,)) * i)\n"
    "y = z[2]\n": "gpu(2)",
    "def f(a, gpu):\n    return a.as_in_context(gpu).tanh()\n"
    "y = x\nfor i in range(3):\n    y = f(y, mx.gpu(i))\n": "gpu(2)",
    "z = [x.as_in_context(mx.gpu(i)) * i for i in range(3)]\ny = z[1]\n": "gpu(1)",
    "if x.sum() > 2:\n    y = x.as_in_context(mx.gpu(1)) * 3\n"
    "else:\n    y = x.as_in_context(mx.gpu(2)) * 5\n": "gpu(1)",
    "if x.sum() > 200:\n    y = x.as_in_context(mx.gpu(1)) * 3\n"
    "else:\n    y = x.as_in_context(mx.gpu(2)) * 5\n": "gpu(2)",
    "a = nd.array([1.0, 2.0], ctx=mx.gpu(0))\na.attach_grad()\nwith autograd.record():\n"
    "    t = a\n    for i in range(4):\n        t = (t * 2).as_in_context(mx.gpu(i % 2))\n"
    "    l = (t * t).sum()\nl.backward()\ny = a.grad\n": "gpu(0)",
    "outs, y = nd.contrib.foreach(lambda r, s: ((r + s).as_in_context(mx.gpu(1)), r * s), d, x)\n":
        "gpu(0)",
    "y = nd.contrib.cond(x.sum() > 2, lambda: x.as_in_context(mx.gpu(1)) * 3,"
    " lambda: x * 5)\n": "gpu(1)",
    "outs, (z, y) = nd.contrib.while_loop(lambda i, s: i.sum() < 5,\n"
    "    lambda i, s: (s, (i + 1, s.as_in_context(mx.gpu(2)) * 2)),\n"
    "    [nd.zeros((1,), ctx=mx.gpu(0)), x.as_in_context(mx.gpu(2))], max_iterations=4)\n":
        "gpu(2)",
}  # fmt: skip


@pytest.mark.parametrize("body", LOOPS)
def test_loops_and_branches_over_devices(shell, body):
    raised, found = same_in_every_mode(shell, body)
    assert not raised and found["y"][0] == LOOPS[body]


HOST = (
    "a = nd.ones((3,), ctx=mx.cpu(0)) * 2\nb = nd.ones((3,), ctx=mx.cpu(1)) * 3\n"
    "for i in range(3):\n    a = a + 1\n    b = b * 2\ny = a.as_in_context(mx.cpu(1)) + b\n",
    "b = nd.zeros((2,), ctx=mx.cpu(1))\nc.copyto(b)\nz = b + 1\ny = c.copyto(mx.cpu(1)) * 2\n",
    "with mx.cpu(1):\n    y = nd.arange(4) + 1\nz = nd.arange(4) + y.as_in_context(mx.cpu(0))\n",
    "z = c + c1\ny = c1 + c\n",
    "z = c * 2\nt = c1 * z\ny = t + c1\nw = z + t\n",
    "y = c1 * (c * 2)\nz = c * (c1 * 2)\n",  # a part could compute in the memory that it is given
    "z = nd.concat(c, c1, dim=0)\ny = nd.concat(c1, c, dim=0)\n",
    "y = nd.random.normal(shape=(3,), ctx=mx.cpu(1))\nz = nd.random.uniform(shape=(3,))\n",
    "y = nd.zeros((2, 2), ctx=mx.cpu(1))\ny[0] = c\ny[:] = y + 1\n",
    "a = nd.array([1.0, 2.0], ctx=mx.cpu(1))\na.attach_grad()\nwith autograd.record():\n"
    "    l = (a.as_in_context(mx.cpu(0)) * 3).sum()\nl.backward()\ny = a.grad\n",
    "y = c1.as_in_context(mx.cpu(1))\nz = c1.as_in_context(mx.cpu(0))\n",
    "y = nd.zeros_like(c1) + 1\nz = (c * 3).as_in_context(mx.cpu(1)).as_in_context(mx.cpu(0))\n",
    "y = nd.dot(c1.reshape((1, 2)), c.reshape((2, 1)))\nz = x.as_in_context(mx.cpu(1)) + y[0]\n",
)


@pytest.mark.parametrize("body", HOST)
def test_second_device_of_the_host(shell, body):
    raised, found = same_in_every_mode(shell, body)
    assert not raised and found["y"][0] == "cpu(1)"


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_independent_work_overlaps_in_one_program(shell, kind):
    """Two chains that meet in the end, by the modelled clock: neither waits for the other."""
    body = (
        "for i in range(3):\n    a = nd.dot(a, a)\n    b = nd.dot(b, b)\n"
        "y = a.as_in_context(b.context) + b\n"
    )
    one, other = mx.Context(kind, 0), mx.Context(kind, 1)
    with devices(2):
        for run in (shell.run, shell.hybridize):
            shell.ns.update(mx=mx, nd=nd)
            for name, ctx in (("a", one), ("b", other)):
                shell.ns[name] = nd.ones((400, 400), ctx=ctx) / 400
            nd.waitall()
            with record() as timeline:
                run(body)
                nd.waitall()
            spans = [timeline.of(str(device), "compute") for device in (one, other)]
            starts = [s["start_s"].min() for s in spans]
            ends = [(s["start_s"] + s["seconds"]).max() for s in spans]
            assert max(starts) < min(ends)
            longest = max(s["seconds"].sum() for s in spans)
            assert timeline.seconds < 1.3 * longest  # of two as long
            assert shell.ns["y"].context == other and shell.ns["a"].context == one
            np.testing.assert_allclose(shell.ns["y"].asnumpy(), 2 / 400, rtol=1e-4)


MIXED = {
    "y = x + c\n": ("add", "gpu(0)", "cpu(0)"),
    "t = nd.zeros((2,), ctx=mx.gpu(1))\ny = nd.dot(x, t)\n": ("dot", "gpu(0)", "gpu(1)"),
    "y = nd.concat(c, x, dim=0)\n": ("concat", "cpu(0)", "gpu(0)"),
    "y = nd.stack(x, c)\n": ("stack", "gpu(0)", "cpu(0)"),
    "y = nd.add_n(x, c)\n": ("add_n", "gpu(0)", "cpu(0)"),
    "y = x == c\n": ("equal", "gpu(0)", "cpu(0)"),
    "y = nd.arange(4, ctx=mx.gpu(1)).take(c)\n": ("take", "gpu(1)", "cpu(0)"),
    "t = nd.zeros((2,), ctx=mx.gpu(1))\nt += x\n": ("add", "gpu(1)", "gpu(0)"),
    "t = nd.zeros((2,), ctx=mx.gpu(1))\nnd.elemwise_add(x, x, out=t)\n":
        ("add", "gpu(0)", "gpu(1)"),
    "t = nd.ones((2,), ctx=mx.gpu(1))\nnd.sgd_update(t, x, lr=0.1, out=t)\n":
        ("sgd_update", "gpu(1)", "gpu(0)"),
    "outs, y = nd.contrib.foreach(lambda r, s: (r + s, s), d, c)\n": ("add", "gpu(0)", "cpu(0)"),
    "for i in range(3):\n    y = x.as_in_context(mx.gpu(i)) + x\n": ("add", "gpu(1)", "gpu(0)"),
}  # fmt: skip


@pytest.mark.parametrize("body", MIXED)
def test_arrays_of_two_devices_are_refused(shell, body):
    op, *places = MIXED[body]
    raised, _ = same_in_every_mode(shell, body)
    assert raised.startswith(f"{op}: ")
    assert all(place in raised for place in places)


def test_an_assignment_copies_between_devices(shell):
    body = (
        "t = nd.zeros((2, 2), ctx=mx.gpu(1))\nt[:] = nd.ones((2, 2), ctx=mx.gpu(0))\nt[0] = x\n"
        "t[1:2, 0:1] = c[0:1].reshape((1, 1))\ny = t\n"
    )
    raised, found = same_in_every_mode(shell, body)
    assert not raised and found["y"] == ("gpu(1)", [[1, 2], [3, 1]])


class Pair(gluon.HybridBlock):
    def hybrid_forward(self, F, a, b):
        return F.tanh(F.elemwise_add(a, b))


class Moving(gluon.HybridBlock):
    """A loop or a branch whose body moves what it computes."""

    def __init__(self, kind, to):
        super().__init__()
        self.kind, self.to = kind, to

    def hybrid_forward(self, F, x):
        def moved(value):
            return value.as_in_context(self.to) * 2

        if self.kind == "foreach":
            return F.contrib.foreach(lambda row, s: (moved(row), s), x, F.sum(x, axis=0))[0]
        if self.kind == "while_loop":
            return F.contrib.while_loop(
                lambda s: F.sum(s) < 100, lambda s: ([], moved(s)), x, max_iterations=9
            )[1]
        return F.contrib.cond(F.sum(x) > 0, lambda: moved(x), lambda: x)


@pytest.mark.usefixtures("shell")
class TestBlocks:
    def test_inputs_of_two_devices(self):
        a, b = nd.ones((2,), ctx=mx.gpu(0)), nd.ones((2,), ctx=mx.gpu(1))
        for hybrid in (False, True):
            net = Pair()
            net.hybridize(hybrid)
            for inputs in ((a, b), (b, a)):
                with pytest.raises(MXNetError, match=r"add.* is on gpu.*as_in_context") as caught:
                    net(*inputs)
                assert all(f"on {gpu}" in str(caught.value) for gpu in ("gpu(0)", "gpu(1)"))
            np.testing.assert_allclose(net(a, a).asnumpy(), np.tanh([2.0, 2.0]), rtol=1e-6)

    @pytest.mark.parametrize("hybrid", [False, True])
    def test_parameters_elsewhere(self, hybrid):
        net = gluon.nn.Dense(2, in_units=2)
        net.initialize(ctx=mx.gpu(0))
        net.hybridize(hybrid)
        with pytest.raises(MXNetError, match=r"weight is not on gpu\(1\); it is on gpu\(0\)"):
            net(nd.ones((1, 2), ctx=mx.gpu(1)))

    @pytest.mark.parametrize("kind", ["foreach", "while_loop", "cond"])
    def test_a_body_stays_on_its_device(self, kind):
        x = nd.ones((2, 2), ctx=mx.gpu(0))
        net = Moving(kind, mx.gpu(1))
        net.hybridize()
        with pytest.raises(MXNetError) as caught:
            net(x)
        text = str(caught.value)
        assert text.startswith(f"{kind}: its body copies to gpu(1) and runs on gpu(0)")
        assert "test_devices_in_cells.py" in text  # and the line that copies
        stays = Moving(kind, mx.gpu(0))
        stays.hybridize()
        plain = Moving(kind, mx.gpu(0))(x)
        found = stays(x)
        assert found.context == mx.gpu(0)
        np.testing.assert_array_equal(found.asnumpy(), plain.asnumpy())


def bound():
    x, w = mx.sym.var("x"), mx.sym.var("w")
    return mx.sym.dot(x, w, name="product")


@pytest.mark.usefixtures("shell")
class TestSymbols:
    def test_bind_refuses_arrays_elsewhere(self):
        here, there = nd.ones((2, 2), ctx=mx.gpu(0)), nd.ones((2, 2), ctx=mx.gpu(1))
        text = r"{} 'x' is on gpu\(1\), the symbol is bound to gpu\(0\); .*as_in_context"
        with pytest.raises(MXNetError, match=text.format("argument")):
            bound().bind(mx.gpu(0), {"x": there, "w": here})
        with pytest.raises(MXNetError, match=text.format("argument")):
            bound().eval(ctx=mx.gpu(0), x=there, w=there)
        with pytest.raises(MXNetError, match=text.format("gradient of")):
            bound().bind(mx.gpu(0), {"x": here, "w": here}, args_grad={"x": there, "w": here})
        with pytest.raises(MXNetError, match=r"dot: input 'w' is on gpu\(1\), 'x' on gpu\(0\)"):
            bound().eval(x=here, w=there)

    def test_executors_copy_what_they_are_given(self):
        """As MXNet's: into arrays that are bound."""
        here, there = nd.ones((2, 2), ctx=mx.gpu(0)), nd.ones((2, 2), ctx=mx.gpu(1))
        made = bound().simple_bind(mx.gpu(0), x=(2, 2), w=(2, 2))
        made.copy_params_from({"w": there})
        (y,) = made.forward(is_train=True, x=there)
        made.backward(there)
        assert y.context == mx.gpu(0) and made.grad_dict["x"].context == mx.gpu(0)
        np.testing.assert_array_equal(y.asnumpy(), here.asnumpy() * 2)
        np.testing.assert_array_equal(made.grad_dict["x"].asnumpy(), here.asnumpy() * 2)


@pytest.mark.usefixtures("shell")
def test_optimizers_and_gradients_of_two_devices():
    w, g = nd.ones((2,), ctx=mx.gpu(0)), nd.ones((2,), ctx=mx.gpu(1))
    sgd = mx.optimizer.SGD()
    with pytest.raises(MXNetError, match=r"is on gpu\(1\).*gpu\(0\).*as_in_context"):
        sgd.update(0, w, g, sgd.create_state(0, w))
    np.testing.assert_array_equal(w.asnumpy(), [1, 1])
    w.attach_grad()
    with autograd.record():
        y = w * 3
    y.backward(g)  # a head gradient is copied
    assert w.grad.context == mx.gpu(0) and w.grad.asnumpy().tolist() == [3, 3]
    store = mx.kv.create("device")
    store.init(0, w)
    store.push(0, [w, g])
    out = nd.zeros((2,), ctx=mx.gpu(2))
    store.pull(0, out=out)
    assert out.asnumpy().tolist() == [2, 2]
