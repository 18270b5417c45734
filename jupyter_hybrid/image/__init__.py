"""Images: read, resized and cut, as ``mxnet.image``; needs the extra ``[image]``."""

from __future__ import annotations

from .augmenters import (
    Augmenter,
    CastAug,
    CenterCropAug,
    ColorNormalizeAug,
    ForceResizeAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomGrayAug,
    RandomOrderAug,
    RandomSizedCropAug,
    ResizeAug,
    SequentialAug,
)
from .box_iterator import ImageDetIter
from .boxes import (
    DetAugmenter,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
)
from .colours import (
    BrightnessJitterAug,
    ColorJitterAug,
    ContrastJitterAug,
    CreateAugmenter,
    HueJitterAug,
    LightingAug,
    SaturationJitterAug,
)
from .crops import (
    center_crop,
    color_normalize,
    fixed_crop,
    random_crop,
    random_size_crop,
    resize_short,
    scale_down,
)
from .detection import (
    CreateDetAugmenter,
    CreateMultiRandCropAugmenter,
    DetBorrowAug,
    DetRandomSelectAug,
)
from .iterator import ImageIter
from .pixels import copyMakeBorder, imdecode, imread, imresize
from .rotation import imrotate, random_rotate

__all__ = [
    "DetAugmenter",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetBorrowAug",
    "DetRandomSelectAug",
    "Augmenter",
    "BrightnessJitterAug",
    "CastAug",
    "CenterCropAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "HueJitterAug",
    "ImageDetIter",
    "ImageIter",
    "LightingAug",
    "RandomCropAug",
    "RandomGrayAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SaturationJitterAug",
    "SequentialAug",
    "center_crop",
    "color_normalize",
    "copyMakeBorder",
    "fixed_crop",
    "imdecode",
    "imread",
    "imresize",
    "imrotate",
    "random_crop",
    "random_rotate",
    "random_size_crop",
    "resize_short",
    "scale_down",
]
