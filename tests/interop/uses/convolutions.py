"""gluon: deformable convolutions."""

from __future__ import annotations

from .common import numbers, trained


def deformable(mx):
    cnn = mx.gluon.contrib.cnn
    plain = cnn.DeformableConvolution(
        4, kernel_size=(3, 2), strides=(1, 2), padding=(1, 0), dilation=(1, 2), groups=2,
        num_deformable_group=2, activation="relu", in_channels=4, prefix="d_",
    )  # fmt: skip
    lazy = cnn.DeformableConvolution(2, use_bias=False, offset_use_bias=False, prefix="l_")
    held = {f"plain {k}": v for k, v in trained(mx, plain, numbers(1, 4, 5, 6)).items()}
    return {**held, **{f"lazy {k}": v for k, v in trained(mx, lazy, numbers(1, 2, 4, 4)).items()}}


def modulated(mx):
    net = mx.gluon.contrib.cnn.ModulatedDeformableConvolution(
        2, kernel_size=(2, 2), strides=(1, 1), padding=(1, 1), num_deformable_group=1,
        in_channels=2, prefix="m_",
    )  # fmt: skip
    x = mx.nd.array(numbers(1, 2, 4, 5))
    net.initialize(mx.init.Uniform(1))
    net(x)  # makes what was deferred
    for i, (_, p) in enumerate(sorted(net.collect_params().items())):
        p.set_data(mx.nd.array(numbers(*p.shape, seed=i) / 4))
    plain = net(x)  # MXNet has gradients of it on GPUs alone
    net.hybridize()
    return {"imperative": plain, "hybridized": net(x)}
