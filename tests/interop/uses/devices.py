"""context: devices and the default one."""

from __future__ import annotations

from .common import attribute, raised


def made(mx):
    c = mx.context
    devices = [c.cpu(), c.cpu(1), c.cpu_pinned(), c.gpu(2), c.Context("cpu", 3), c.Context("gpu")]
    held = {
        str(i): [str(d), d.device_id, attribute(d, "device_type")] for i, d in enumerate(devices)
    }
    made = c.Context(devices[4])
    return {
        **held,
        "equal": [made == devices[4], c.cpu(0) == c.cpu(1), c.cpu() == c.gpu()],
        "hashes": len({c.cpu(), c.cpu(0), c.gpu()}),
        "printed": repr(c.gpu(1)),
        "Context": mx.context.Context is type(made),
        "wrong": raised(lambda: c.Context("tpu"), KeyError, mx.MXNetError) != "nothing",
        "attribute": attribute(mx.context, "Context") is mx.Context,
    }


def default(mx):
    c = mx.context
    seen = [str(c.current_context())]
    with c.cpu(2):
        seen.append(str(c.current_context()))
        seen.append(str(mx.nd.ones(1).context))
        with c.Context("cpu", 1):
            seen.append(str(c.current_context()))
    seen.append(str(c.current_context()))
    c.cpu().empty_cache()
    return {
        "seen": seen,
        "default": str(c.Context.default_ctx),
        "names": attribute(c.Context, "devtype2str"),
        "numbers": attribute(c.Context, "devstr2type"),
        "initial": str(attribute(c.Context, "default_ctx")),
    }


def no_gpu(mx):
    return {
        "gpus": mx.context.num_gpus(),
        "memory": raised(lambda: mx.context.gpu_memory_info(0), mx.MXNetError),
    }
