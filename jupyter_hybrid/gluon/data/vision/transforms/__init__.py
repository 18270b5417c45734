"""What is done to images before a net sees them, as blocks.

Images are (height, width, channels) or batches of them; :class:`ToTensor` makes (channels, height,
width) of them. What is a HybridBlock is part of a program.
"""

from __future__ import annotations

from .colours import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomHue,
    RandomLighting,
    RandomSaturation,
)
from .compose import Compose, RandomApply
from .sizes import CenterCrop, CropResize, RandomResizedCrop, Resize
from .turns import RandomFlipLeftRight, RandomFlipTopBottom, RandomRotation, Rotate
from .values import Cast, Normalize, ToTensor

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]
