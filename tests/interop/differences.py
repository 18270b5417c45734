"""Cases in which MXNet 1.9.1 and we differ, by the case's name, with the reason.

The lists are strict: a case that no longer differs has to leave.
"""

from __future__ import annotations

#: MXNet's gradient is wrong: ours is held against a finite difference, which its gradient fails.
WRONG: dict[str, str] = {
    "BatchNorm-8": "gradients of the mean and variance that are put out are left out",
    "GroupNorm-3": "gradients of the mean and deviation that are put out are left out",
    "LayerNorm-7": "gradients of the mean and deviation that are put out are left out",
    "SoftmaxActivation-0": "of more than two axes, the gradient is that of another shape",
    **dict.fromkeys(
        (
            "image.flip_left_right-8",
            "image.flip_top_bottom-8",
            "image.random_brightness-27",
            "image.random_contrast-20",
        ),
        "the gradient of images is that of the identity",
    ),
    **dict.fromkeys(
        ("LeakyReLU-8", "LeakyReLU-9", "LeakyReLU-10", "LeakyReLU-11"),
        "selu's gradient at negative inputs is not that of its output",
    ),
    **{
        f"{name}-{number}": "a gradient flows through what is rounded to integers"
        for name in ("Cast", "cast")
        for number in (21, 22, 23, 28, 29, 30, 35, 36, 37, 42, 43, 44)
    },
}

#: Ours does what MXNet's documentation says, MXNet does not.
DOCUMENTED: dict[str, str] = {
    **dict.fromkeys(
        ("nag_mom_update-1", "mp_nag_mom_update-1"),
        "into the weight itself: the momentum takes the decay of the new weight",
    ),
    **dict.fromkeys(
        ("mp_lamb_update_phase2-0", "mp_lamb_update_phase2-1", "mp_lamb_update_phase2-2"),
        "weight32 stays what it was, so that nothing is learned",
    ),
    "contrib.adamw_update-2": "the clipped gradient is written into grad",
    "RNN-36": "on CPU use_sequence_length is ignored: states go on beyond a sequence's end",
    "contrib.MultiBoxTarget-3": "minimum_negative_samples is ignored",
    "contrib.bipartite_matching-1": "topk matches one more than it says",
    "MAERegressionOutput-0": "in float16 the sign of 0 is -1",
    "SoftmaxOutput-7": "out_grad multiplies by the operator's output, not by the output's gradient",
    "Softmax-7": "out_grad multiplies by the operator's output, not by the output's gradient",
    "image.random_saturation-8": "the grey of a pixel is a part of it, its blue's alone",
    "image.to_tensor-0": "float16 is divided in float16 before it becomes float32",
}

#: Ours is meant to differ: what MXNet does, and why we don't.
CHOSEN: dict[str, str] = {
    **dict.fromkeys(
        ("BatchNorm-2", "BatchNorm-3", "contrib.SyncBatchNorm-6", "contrib.SyncBatchNorm-7"),
        "fix_gamma overwrites the argument gamma with 1, even where nothing is trained; here gamma "
        "counts as 1 and stays: a forward pass writes no parameter that other uses may still need",
    ),
}

#: The same of what is no single operator's: tests/py/test_mxnet_behaviour.py holds it.
BEHAVIOUR: tuple[str, ...] = (
    "BatchNorm moves its running statistics in the forward pass in training, as MXNet does on GPUs "
    "(cuDNN); on CPU MXNet moves them in the backward pass, so not at all without one",
    "An array that `backward()` still needs and that is written after it was recorded: the "
    "gradient is refused with its reason, but for Parameter.set_data, which keeps the old values "
    "for it; MXNet computes both with the new values",
    "A loss operator (SoftmaxOutput, MakeLoss, ...) has its gradient where one flows to it; MXNet "
    "gives it one behind BlockGrad, a comparison or argmax, too",
    "`Embedding` raises for an index out of range, which MXNet clips in silence",
    "A float modulo 0 is nan, as in NumPy; MXNet gives 0",
    "A list or array of bools as an index is a mask, as in NumPy; MXNet takes rows 0 and 1",
    "Writes whose source overlaps their target (`c[1:] -= c[:-1]`, `nd.dot(a, b, out=a)`) read all "
    "of the source first; MXNet may read what it has written",
    "One device twice among a parameter's contexts (`initialize(ctx=[cpu(), cpu()])`) is refused: "
    "MXNet keeps the last part's gradient alone, and its Trainer then finds the other one stale",
    "`Nadam`, `LARS` and `LBSGD` in a Trainer over several devices count for every device, so that "
    "their parameters stay equal; in MXNet one count advances once a device",
    "With `ignore_stale_grad=True` a device that ran no backward beside others that did counts as "
    "0; MXNet adds its gradient of an earlier step, and leaves its parameters behind where the "
    "devices update themselves",
)

ALL = {**WRONG, **DOCUMENTED, **CHOSEN}
