"""sym.contrib: what hybridized blocks of MXNet don't run, evaluated and with its gradients."""

from __future__ import annotations

from .common import numbers


def _evaluated(mx, made, arrays, grads=()):
    """What a symbol gives of arrays, and its gradients by those that are named."""
    held = {f"gradient of {v}": mx.nd.zeros(arrays[v].shape) for v in grads}
    bound = made.bind(
        mx.cpu(),
        arrays,
        args_grad={v: held[f"gradient of {v}"] for v in grads},
        grad_req={v: "write" if v in grads else "null" for v in arrays},
    )
    outputs = bound.forward(is_train=bool(grads))
    if grads:
        bound.backward([mx.nd.array(numbers(*out.shape, seed=5)) for out in outputs])
    return {**{f"out{i}": out for i, out in enumerate(outputs)}, **held}


def regions(mx):
    x, rois = mx.sym.var("x"), mx.sym.var("rois")
    image = mx.nd.array(numbers(1, 8, 6, 6))
    plain = mx.nd.array([[0, 1, 1, 4, 4], [0, 0, 2, 5, 3]])
    turned = mx.nd.array([[0, 3, 3, 4, 2, 30], [0, 2, 3, 3, 3, -45]])
    pooled = mx.sym.contrib.PSROIPooling(
        x, rois, spatial_scale=0.5, output_dim=2, pooled_size=2, group_size=2
    )
    aligned = mx.sym.contrib.RROIAlign(
        x, rois, pooled_size=(2, 3), spatial_scale=0.5, sampling_ratio=2
    )
    held = _evaluated(mx, pooled, {"x": image, "rois": plain}, ["x"])
    more = _evaluated(mx, aligned, {"x": image, "rois": turned})
    held = {f"pooled {key}": value for key, value in held.items()}
    return {**held, **{f"turned {key}": value for key, value in more.items()}}


def tests(mx):
    a, b = mx.sym.var("a"), mx.sym.var("b")
    arrays = {"a": mx.nd.array([1, 2]), "b": mx.nd.array([1, 2.1])}
    held = {}
    for name, options in (("exact", {}), ("near", {"rtol": 0.1}), ("far", {"atol": 0.01})):
        found = _evaluated(mx, mx.sym.contrib.allclose(a, b, **options), arrays)
        held[name] = int(found["out0"].asnumpy().ravel()[0])
    return held


def events(mx):
    names = ["mu", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time"]
    made = mx.sym.contrib.hawkesll(*[mx.sym.var(v) for v in names])
    times = abs(numbers(2, 4, seed=2)) + 0.125
    marks = mx.nd.array([[0, 1, 2, 1], [2, 0, 1, 0]], dtype="int32")
    arrays = {
        "mu": mx.nd.array(abs(numbers(2, 3)) + 0.5),
        "alpha": mx.nd.array([0.2, 0.3, 0.4]),
        "beta": mx.nd.array([1, 2, 3]),
        "state": mx.nd.array(abs(numbers(2, 3, seed=1))),
        "lags": mx.nd.array(times),
        "marks": marks,
        "valid_length": mx.nd.array([4, 3]),
        "max_time": mx.nd.array([20, 20]),
    }
    return _evaluated(mx, made, arrays, ["mu", "alpha", "beta"])
