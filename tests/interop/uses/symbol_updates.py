"""sym: operators that update weights, whose states are auxiliary.

MXNet's own functions of most of them fail whatever they are given: they compose by names that the
operator does not have. There the same symbol is read from JSON. (Those of several weights have no
shapes there, so that nothing can be computed.)
"""

from __future__ import annotations

import json

from .common import numbers

# By operator: its inputs and attributes.
SINGLE = {
    "sgd_update": ("weight grad", {"lr": 0.1, "wd": 0.1}),
    "sgd_mom_update": ("weight grad mom", {"lr": 0.1, "momentum": 0.9}),
    "nag_mom_update": ("weight grad mom", {"lr": 0.1, "momentum": 0.9}),
    "signsgd_update": ("weight grad", {"lr": 0.1}),
    "signum_update": ("weight grad mom", {"lr": 0.1, "momentum": 0.9}),
    "adam_update": ("weight grad mean var", {"lr": 0.1}),
    "ftml_update": ("weight grad d v z", {"lr": 0.1, "t": 2}),
    "ftrl_update": ("weight grad z n", {"lr": 0.1}),
    "rmsprop_update": ("weight grad n", {"lr": 0.1}),
    "rmspropalex_update": ("weight grad n g delta", {"lr": 0.1, "epsilon": 4.0}),
    "lamb_update_phase1": ("weight grad mean var", {"t": 2, "wd": 0.1}),
    "lamb_update_phase2": ("weight g r1 r2", {"lr": 0.1}),
    "mp_sgd_update": ("weight grad weight32", {"lr": 0.1}),
    "mp_sgd_mom_update": ("weight grad mom weight32", {"lr": 0.1}),
    "mp_nag_mom_update": ("weight grad mom weight32", {"lr": 0.1}),
    "mp_lamb_update_phase1": ("weight grad mean var weight32", {"t": 2, "wd": 0.1}),
    "mp_lamb_update_phase2": ("weight g r1 r2 weight32", {"lr": 0.1}),
}
SHAPES = {"r1": (1,), "r2": (1,)}


def _symbol(mx, name, variables, attrs):
    try:
        return getattr(mx.sym, name)(*[mx.sym.var(v) for v in variables], name="y", **attrs)
    except mx.MXNetError:
        if mx.__name__ != "mxnet":
            raise
    nodes = [{"op": "null", "name": v, "inputs": []} for v in variables]
    texts = {key: str(value) for key, value in attrs.items()}
    inputs = [[i, 0, 0] for i in range(len(nodes))]
    nodes.append({"op": name, "name": "y", "attrs": texts, "inputs": inputs})
    ends = {"arg_nodes": list(range(len(variables))), "heads": [[len(variables), 0, 0]]}
    return mx.sym.load_json(json.dumps({"nodes": nodes, **ends}))


def _array(mx, variable, i, half):
    found = abs(numbers(*SHAPES.get(variable, (2, 3)), seed=i)) + 1 / 8
    narrow = half and variable in ("weight", "grad")
    return mx.nd.array(found, dtype="float16" if narrow else "float32")


def _run(mx, net, half):
    arrays = {v: _array(mx, v, i, half) for i, v in enumerate(net.list_inputs())}
    states = net.list_auxiliary_states()
    bound = net.bind(
        mx.cpu(),
        {v: a for v, a in arrays.items() if v not in states},
        aux_states={v: a for v, a in arrays.items() if v in states},
    )
    outputs = bound.forward()
    held = {f"out{i}": out for i, out in enumerate(outputs)}
    return {**held, **{v: bound.aux_dict[v] for v in states}, "states": states}


def single(mx):
    held = {}
    for name, (inputs, attrs) in SINGLE.items():
        found = _run(mx, _symbol(mx, name, inputs.split(), attrs), name.startswith("mp_"))
        if name == "mp_lamb_update_phase2":
            del found["weight32"]  # MXNet leaves the old one there, so that nothing is ever learned
        held |= {f"{name} {key}": value for key, value in found.items()}
    return held


def rates(mx):
    names = ["lrs", "weights_sum_sq", "grads_sum_sq", "wds"]
    net = mx.sym.multi_lars(*[mx.sym.var(v) for v in names], eta=0.1, eps=0.01)
    arrays = {v: mx.nd.array(abs(numbers(3, seed=i))) for i, v in enumerate(names)}
    return {"multi_lars": net.eval(ctx=mx.cpu(), **arrays)[0]}
