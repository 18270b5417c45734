"""Symbols: attributes, inference, composing, files, executors."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .common import attribute, numbers, raised


def _net(mx):
    x = mx.sym.Variable("x", shape=(2, 3))
    y = mx.sym.FullyConnected(x, num_hidden=4, name="fc", attr={"__lr_mult__": "2"})
    y = mx.sym.BatchNorm(y, name="bn", fix_gamma=False)
    return mx.sym.Activation(y, act_type="tanh", name="act")


def listed(mx):
    net = _net(mx)
    inner = net.get_internals()
    children = net.get_children()
    return {
        "name": attribute(net, "name"),
        "arguments": net.list_arguments(),
        "outputs": net.list_outputs(),
        "states": net.list_auxiliary_states(),
        "inputs": net.list_inputs(),
        "internals": inner.list_outputs(),
        "children": children.list_outputs(),
        "none": net.get_inputs() is not None if hasattr(net, "get_inputs") else True,
        "attr": inner["fc_output"].attr("__lr_mult__"),
        "no attr": net.attr("nothing"),
        "list_attr": {n: inner["fc_output"].list_attr()[n] for n in ("__lr_mult__", "num_hidden")},
        "attr_dict": [net.attr_dict()["act"], net.attr_dict()["fc"]["__lr_mult__"]],
        "told": len(net.debug_str()) > 20,
        "classic": net.as_nd_ndarray() is net,
        "deprecated": raised(lambda: net.list_attr(recursive=True), DeprecationWarning),
    }


def inferred(mx):
    net = _net(mx)
    return {
        "shapes": net.infer_shape(x=(2, 3)),
        "types": [[t.__name__ for t in part] for part in net.infer_type(x="float64")],
        "partial": (mx.sym.var("a") + mx.sym.var("b")).infer_shape_partial(a=(2, 3)),
        "type partial": [
            [t and t.__name__ for t in part]
            for part in (mx.sym.var("a") + mx.sym.var("b")).infer_type_partial(a="float16")
        ],
    }


def composed(mx):
    a, b = mx.sym.var("a"), mx.sym.Variable("b", lr_mult=2.0)
    both = mx.sym.Group([a * 2 + b, a - b])
    x, y = mx.nd.array(numbers(2, 2)), mx.nd.array(numbers(2, 2, seed=1))
    outputs = both.eval(ctx=mx.cpu(), a=x, b=y)
    again = (a * 3)(a=mx.sym.exp(b))
    return {
        "0": outputs[0],
        "1": outputs[1],
        "count": len(both.list_outputs()),
        "attrs": both.attr_dict()["b"],
        "replaced": again.eval(ctx=mx.cpu(), b=y)[0],
        "of": again.list_arguments(),
        "pow": mx.sym.pow(mx.sym.abs(a) + 1, b).eval(ctx=mx.cpu(), a=x, b=y)[0],
        "hypot": mx.sym.hypot(a, b).eval(ctx=mx.cpu(), a=x, b=y)[0],
        "hypot number": mx.sym.hypot(a, 3).eval(ctx=mx.cpu(), a=x)[0],
        "numbers": [mx.sym.pow(2, 3), mx.sym.hypot(3, 4), mx.sym.maximum(2, 3)],
        "cast": a.astype("float16").eval(ctx=mx.cpu(), a=x)[0],
    }


def files(mx):
    net = _net(mx)
    text = net.tojson()
    again = mx.sym.load_json(text)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "net-symbol.json")
        net.save(path)
        third = mx.sym.load(path)
    cast = mx.sym.exp(mx.sym.amp_cast(mx.sym.var("x"), dtype="float16"), name="y")
    return {
        "arguments": again.list_arguments(),
        "states": third.list_auxiliary_states(),
        "shapes": third.infer_shape(x=(2, 3)),
        "attrs": again.attr_dict()["act"],
        "without casts": mx.sym.load_json(cast.tojson()).get_internals().list_outputs(),
        "with casts": "amp_cast" in cast.tojson(remove_amp_cast=False),
    }


def executors(mx):
    net = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc"), mx.sym.var("label")
    )
    shapes = dict(zip(net.list_arguments(), net.infer_shape(x=(3, 4))[0]))
    arrays = {n: mx.nd.array(numbers(*s, seed=i)) for i, (n, s) in enumerate(shapes.items())}
    grads = {n: mx.nd.zeros(s) for n, s in shapes.items()}
    bound = net.bind(mx.cpu(), arrays, args_grad=grads, grad_req="write")
    out = bound.forward(is_train=True)[0]
    bound.backward()
    simple = net.simple_bind(mx.cpu(), x=(3, 4), grad_req="add")
    for name, array in arrays.items():
        simple.arg_dict[name][:] = array
    for _ in range(2):
        simple.forward(is_train=True)
        simple.backward()
    return {
        "out": out,
        **{f"grad {n}": g for n, g in grads.items() if n != "label"},
        "simple": simple.outputs[0],
        "added": simple.grad_dict["fc_weight"],
        "names": sorted(simple.arg_dict),
    }


def not_for_symbols(mx):
    x = mx.sym.var("x")
    kinds = (NotImplementedError, mx.MXNetError)
    told = {}
    for name in ("asnumpy", "asscalar", "wait_to_read", "copy", "detach", "backward"):
        told[name] = raised(lambda name=name: attribute(x, name)(), *kinds) != "nothing"
    return told


def without_gradients(mx):
    a = mx.nd.array(numbers(3, 4))
    i = mx.nd.array([0, 2, 1])
    x, y = mx.sym.var("x"), mx.sym.var("y")

    def run(symbol, **arrays):
        return symbol.eval(ctx=mx.cpu(), **arrays)[0]

    return {
        "argmax_channel": run(mx.sym.argmax_channel(x), x=a),
        "method": run(x.argmax_channel(), x=a),
        "batch_take": run(mx.sym.batch_take(x, y), x=a, y=i.astype("int32")),
        "all_finite": run(mx.sym.all_finite(x), x=a),
        "multi_all_finite": run(mx.sym.multi_all_finite(x, y, num_arrays=2), x=a, y=i),
        "multi_sum_sq": run(mx.sym.multi_sum_sq(x, y, num_arrays=2), x=a, y=i),
        "histogram": run(mx.sym.histogram(x, bins=4, range=(-2, 2)), x=a),
        "khatri_rao": run(mx.sym.khatri_rao(x, y), x=a, y=a),
        "shuffled": run(mx.sym.shuffle(x), x=a).sum(),
        "shuffled too": run(mx.sym.random.shuffle(x), x=a).sum(),
    }
