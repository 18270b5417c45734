"""Arrays: their attributes, copies, views, files, what they share with others."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from .common import attribute, numbers, raised


def attributes(mx):
    held = {}
    for dtype in ("float32", "float16", "int8"):
        x = mx.nd.array(numbers(2, 3, 1), dtype=dtype)
        for name in ("shape", "size", "ndim", "dtype", "stype", "T"):
            held[f"{dtype} {name}"] = attribute(x, name)
        held[f"{dtype} context"] = str(attribute(x, "context"))
        held[f"{dtype} ctx"] = str(attribute(x, "ctx"))
    held["no grad"] = attribute(x, "grad")
    return held


def copies(mx):
    x = mx.nd.array(numbers(2, 3))
    y, z, same = x.copy(), mx.nd.zeros((2, 3)), x.as_in_context(mx.cpu())
    back = x.copyto(z)
    on_device = x.copyto(mx.cpu(0))
    x[:] = 7
    x.wait_to_read()
    return {
        "copy": y,
        "target": z,
        "returned": back is z,
        "same": same is x,
        "on": on_device,
        "classic": x.as_nd_ndarray() is x,
        "x": x,
        "other shape": raised(lambda: x.copyto(mx.nd.zeros((3, 3))), mx.MXNetError, ValueError),
    }


def types(mx):
    x = mx.nd.array([[-1.5, 2.75], [0, 300]])
    held = {dtype: x.astype(dtype) for dtype in ("float16", "float64", "int32", "int64")}
    held["same"] = x.astype("float32", copy=False) is x
    held["other"] = x.astype("float32") is x
    held["scalar"] = mx.nd.array([4.5]).asscalar()
    held["no scalar"] = raised(lambda: x.asscalar(), ValueError)
    held["numpy"] = x.asnumpy()
    return held


def parts(mx):
    x = mx.nd.array(numbers(4, 5))
    x.slice_assign(mx.nd.ones((2, 2)), (1, 0), (3, 4), (1, 2))
    x.slice_assign_scalar(9.0, (0, 3), (4, 5), (2, 1))
    return {
        "written": x,
        "like": x[:1].broadcast_like(x),
        "to": mx.nd.ones((1, 3)).broadcast_to((2, 3)),
        "shape": x.reshape((2, -1)).shape,
        "reversed": x.reshape(-1, 2, reverse=True),
    }


def gradients(mx):
    x, y = mx.nd.array(numbers(3)), mx.nd.array(numbers(3, seed=1))
    x.attach_grad()
    y.attach_grad(grad_req="add")
    for _ in range(2):
        with mx.autograd.record():
            z = x * y + x.detach() * 3
        z.backward(mx.nd.array([1, 2, 3]), retain_graph=True)
    return {"x": attribute(x, "grad"), "y": attribute(y, "grad"), "z": z}


def shared(mx):
    held = {}
    source = numbers(2, 3)
    for zero_copy in (True, False):
        given = source.copy()
        array = mx.nd.from_numpy(given, zero_copy=zero_copy)
        array += 1
        held[f"zero_copy {zero_copy}"] = array
        held[f"its source {zero_copy}"] = given
        held[f"still writable {zero_copy}"] = bool(given.flags.writeable)
    x = mx.nd.array(source)
    y = mx.nd.from_dlpack(mx.nd.to_dlpack_for_write(x))
    y[:] = y + 1
    mx.nd.waitall()
    z = mx.nd.from_dlpack(x.to_dlpack_for_read())
    w = mx.nd.from_dlpack(x.to_dlpack_for_write())
    w[0] = 5
    w.wait_to_read()
    v = mx.nd.from_dlpack(mx.nd.to_dlpack_for_read(x))
    return {**held, "x": x, "y": y, "z": z, "v": v}


def files(mx):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "arrays.nd")
        mx.nd.save(path, {"a": mx.nd.array(numbers(2, 3)), "b": mx.nd.arange(4, dtype="int32")})
        by_name = mx.nd.load(path)
        raw = Path(path).read_bytes()
        again = mx.nd.load_frombuffer(raw)
        mx.nd.save(path, [mx.nd.ones(2), mx.nd.zeros((1, 2), dtype="float64")])
        listed = mx.nd.load(path)
    return {
        "names": sorted(by_name),
        "a": by_name["a"],
        "b": by_name["b"],
        "again": again["a"],
        "bytes": np.frombuffer(raw, np.uint8),
        "kind": type(listed).__name__,
        "0": listed[0],
        "1": listed[1],
    }


def emptied(mx):
    x, y = mx.nd.ones((2, 2)), mx.nd.ones(3)
    mx.nd.reset_arrays(x, y, num_arrays=2)
    return {"x": x, "y": y}


def custom(mx):
    class Scaled(mx.operator.CustomOp):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * self.factor)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * self.factor)

    @mx.operator.register("scaled_in_uses")
    class ScaledProp(mx.operator.CustomOpProp):
        def __init__(self, factor):
            super().__init__(need_top_grad=True)
            self.factor = float(factor)

        def create_operator(self, ctx, shapes, dtypes):
            return Scaled(self.factor)

    x = mx.nd.array(numbers(2, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="scaled_in_uses", factor=2.5)
    y.backward()
    net = mx.sym.Custom(mx.sym.var("x"), op_type="scaled_in_uses", factor=1.5, name="s")
    return {"y": y, "grad": x.grad, "symbol": net.eval(ctx=mx.cpu(), x=x)[0]}
