"""Random transforms of images: what they leave alone, their bounds, and means over many draws."""

from __future__ import annotations

import numpy as np

DRAWS = 300


def _image(mx):
    return mx.nd.array(np.arange(60).reshape(4, 5, 3) * 77 % 251, dtype="uint8")


def _drawn(change, image, draws=DRAWS):
    return np.stack([change(image).asnumpy().astype(np.float64) for _ in range(draws)])


def _about(values, step):
    """Rounded so coarsely that two samples of one distribution agree."""
    return float(np.round(values / step) * step)


def transforms(mx):
    made, image = mx.gluon.data.vision.transforms, _image(mx)
    flat = image.asnumpy().astype(np.float64)
    held = {}
    for name, nothing, much in (
        ("RandomBrightness", {"brightness": 0}, {"brightness": 0.5}),
        ("RandomContrast", {"contrast": 0}, {"contrast": 0.5}),
        ("RandomSaturation", {"saturation": 0}, {"saturation": 0.5}),
        ("RandomHue", {"hue": 0}, {"hue": 0.2}),
        ("RandomColorJitter", None, {"brightness": 0.3, "contrast": 0.3, "hue": 0.1}),
        ("RandomLighting", {"alpha": 0}, {"alpha": 0.2}),
    ):
        kind = getattr(made, name)
        found = _drawn(kind(**much), image)
        if nothing:  # a jitter of nothing gives zeros under MXNet
            same = kind(**nothing)(image).asnumpy()
            held[f"{name} unchanged"] = bool(np.abs(same - flat).max() <= 1)
        held |= {
            f"{name} dtype": kind(**much)(image).dtype,
            f"{name} mean": _about(found.mean() - flat.mean(), 30.0),
            f"{name} varies": bool(found.std(0).mean() > 1),
            f"{name} bounds": [bool(found.min() >= 0), bool(found.max() <= 255)],
        }
    return held


def brightness(mx):
    """Means and bounds of the factor, which one pixel tells."""
    pixel = mx.nd.full((1, 1, 3), 100)
    change = mx.gluon.data.vision.transforms.RandomBrightness(0.5)
    found = _drawn(change, pixel, 2000)[:, 0, 0, 0]
    return {
        "mean": _about(found.mean(), 20),
        "deviation": _about(found.std(), 14),
        "bounds": [_about(found.min(), 25), _about(found.max(), 25)],
    }
