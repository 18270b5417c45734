"""Transforms that change colours at random, of images of one or three channels."""

from __future__ import annotations

from typing import Any

from ....hybrid_block import HybridBlock


class _RandomFactor(HybridBlock):
    """Changes by a factor drawn evenly from [max(0, 1 - by), 1 + by]."""

    def __init__(self, by: float):
        super().__init__()
        self._args = (max(0, 1 - by), 1 + by)


class RandomBrightness(_RandomFactor):
    """Times a random factor.

    Args:
        brightness: the factor is drawn from [max(0, 1 - brightness), 1 + brightness].
    """

    def __init__(self, brightness: float):
        super().__init__(brightness)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_brightness(x, *self._args)


class RandomContrast(_RandomFactor):
    """To or from the image's mean grey.

    Args:
        contrast: how much of the image is kept is drawn from [max(0, 1 - contrast), 1 + contrast].
    """

    def __init__(self, contrast: float):
        super().__init__(contrast)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_contrast(x, *self._args)


class RandomSaturation(_RandomFactor):
    """To or from each pixel's grey.

    Args:
        saturation: how much of the image is kept is drawn from [max(0, 1 - saturation),
            1 + saturation].
    """

    def __init__(self, saturation: float):
        super().__init__(saturation)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_saturation(x, *self._args)


class RandomHue(_RandomFactor):
    """The hue turned.

    Args:
        hue: 360 degrees times a factor drawn from [max(0, 1 - hue), 1 + hue].
    """

    def __init__(self, hue: float):
        super().__init__(hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_hue(x, *self._args)


class RandomColorJitter(HybridBlock):
    """Brightness, contrast, saturation and hue, those above 0, in random order.

    Args:
        brightness, contrast, saturation: factors are drawn from [1 - v, 1 + v].
        hue: turned by 360 degrees times a number drawn from [-hue, hue].
    """

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ):
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Plus a random colour, as AlexNet was trained (Krizhevsky and others 2012).

    Args:
        alpha: standard deviation of the weights of the principal components.
    """

    def __init__(self, alpha: float):
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_lighting(x, self._alpha)
