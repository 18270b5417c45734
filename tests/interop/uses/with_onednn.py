"""gluon: layers that MXNet computes on CPUs with its oneDNN kernels alone."""

from __future__ import annotations

from .common import numbers, trained

ONEDNN = True


def transposed(mx):
    net = mx.gluon.nn.Conv3DTranspose(
        4, (2, 3, 1), strides=(1, 2, 1), padding=(0, 1, 0), output_padding=(0, 1, 0),
        groups=2, activation="tanh", in_channels=2, prefix="c_",
    )  # fmt: skip
    held = trained(mx, net, numbers(1, 2, 2, 3, 2))
    del held["printed"]  # MXNet's tells the channels the wrong way round and no output_padding
    return held


def rectified(mx):
    """Batch normalization with relu: of a batch, then by the moving statistics."""
    net = mx.gluon.nn.BatchNormReLU(epsilon=1e-3, in_channels=3, prefix="b_")
    held = trained(mx, net, numbers(2, 3, 4, 5))
    return {**held, "predicted": net(mx.nd.array(numbers(2, 3, 4, 5, seed=4)))}


def rectified_operator(mx):
    x, ones = mx.nd.array(numbers(2, 3, 4, 5)), mx.nd.ones(3)
    gamma, beta = mx.nd.array([0.5, 1, 2]), mx.nd.array([0.25, -0.5, 0])
    mean, var = mx.nd.zeros(3), mx.nd.ones(3)
    held = {}
    for name, options in (
        ("plain", {}),
        ("free", {"fix_gamma": False, "eps": 0.01, "momentum": 0.5}),
        ("moving", {"fix_gamma": False, "use_global_stats": True}),
        ("cudnn", {"cudnn_off": True}),
    ):
        arrays = [a.copy() for a in (x, gamma, beta, mean, var)]
        for a in arrays[:3]:
            a.attach_grad()
        with mx.autograd.record():
            out = mx.nd.contrib.BatchNormWithReLU(*arrays, **options)
        out.backward(mx.nd.array(numbers(2, 3, 4, 5, seed=6)))
        held |= {f"{name} out": out, f"{name} mean": arrays[3], f"{name} var": arrays[4]}
        held |= {f"{name} gradient {i}": a.grad for i, a in enumerate(arrays[:3])}
    names = ("x", "gamma", "beta", "mean", "var")
    net = mx.sym.contrib.BatchNormWithReLU(*[mx.sym.var(v) for v in names], name="b")
    bound = net.bind(
        mx.cpu(),
        {"x": x, "gamma": ones, "beta": beta},
        aux_states={"mean": mean, "var": var},
    )
    return {**held, "symbol": bound.forward()[0], "states": net.list_auxiliary_states()}
