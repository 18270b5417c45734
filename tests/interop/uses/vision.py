"""Model zoo: what makes nets, and their blocks; data sets from local files; random transforms."""

from __future__ import annotations

import gzip
import struct
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from .common import numbers


def nets(mx):
    held, zoo = {}, mx.gluon.model_zoo.vision
    for name, given in (
        ("get_resnet", (2, 18)),
        ("get_vgg", (11,)),
        ("get_mobilenet", (0.25,)),
        ("get_mobilenet_v2", (0.5,)),
        ("get_model", ("resnet18_v1",)),
    ):
        made = getattr(zoo, name)(*given, classes=3)
        shapes = {n[len(made.prefix) :]: p.shape for n, p in made.collect_params().items()}
        held[name] = [type(made).__name__, shapes]
    return held


def small_nets(mx):
    """Outputs of the nets that are small enough, weights by their place."""
    zoo, held = mx.gluon.model_zoo.vision, {}
    made = {
        "AlexNet": (zoo.AlexNet(classes=2), 64),
        "VGG": (zoo.VGG([1, 1], [2, 3], classes=2), 32),
        "BasicBlockV1": (zoo.BasicBlockV1(4, 2, True, in_channels=3), 8),
        "BasicBlockV2": (zoo.BasicBlockV2(4, 2, True, in_channels=3), 8),
        "BottleneckV1": (zoo.BottleneckV1(4, 2, True, in_channels=3), 8),
        "BottleneckV2": (zoo.BottleneckV2(4, 1, True, in_channels=3), 8),
    }
    made["Inception3"] = (zoo.Inception3(classes=2), 299)
    for name, (net, size) in made.items():
        out = net(mx.sym.var("data"))
        shapes = out.infer_shape(data=(1, 3, size, size))
        held[f"{name} shapes"] = [len(shapes[0]), shapes[1]]
        if name in ("AlexNet", "Inception3", "VGG"):  # too large to run
            continue
        net.initialize(mx.init.Constant(0.125))
        held[name] = net(mx.nd.array(numbers(1, 3, size, size)))
    return held


def data_sets(mx):
    vision, held = mx.gluon.data.vision, {}
    _without_hashes(vision)
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ours says that the hashes are others
        for kind in ("MNIST", "FashionMNIST"):
            _write_digits(Path(made) / kind)
            held |= _first(kind, getattr(vision, kind)(str(Path(made) / kind), train=False))
        names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
        _write_cifar(Path(made) / "ten", names, 1)
        held |= _first("CIFAR10", vision.CIFAR10(str(Path(made) / "ten"), train=False))
        _write_cifar(Path(made) / "hundred", ["train.bin", "test.bin"], 2)
        for fine in (False, True):
            found = vision.CIFAR100(str(Path(made) / "hundred"), fine_label=fine, train=True)
            held |= _first(f"CIFAR100 {fine}", found)
    return held


def _without_hashes(vision):
    """MXNet takes no files but the original ones, and would download them."""
    module = sys.modules[vision.MNIST.__module__]
    if hasattr(module, "download"):
        module.check_sha1 = lambda *given: True
        module.download = lambda url, path, sha1_hash: str(Path(path) / url.split("/")[-1])


def _first(name, found):
    image, label = found[1]
    return {f"{name} image": image, f"{name} label": int(label), f"{name} length": len(found)}


def _write_digits(folder):
    folder.mkdir()
    pictures = np.random.RandomState(1).randint(0, 256, (3, 28, 28)).astype(np.uint8)
    labels = np.array([4, 0, 9], np.uint8)
    for what, head, body in (
        ("images-idx3", struct.pack(">IIII", 2051, 3, 28, 28), pictures),
        ("labels-idx1", struct.pack(">II", 2049, 3), labels),
    ):
        with gzip.open(folder / f"t10k-{what}-ubyte.gz", "wb") as file:
            file.write(head + body.tobytes())


def _write_cifar(folder, names, labels):
    folder.mkdir()
    for i, name in enumerate(names):
        rows = np.random.RandomState(i).randint(0, 10, (2, labels + 3072)).astype(np.uint8)
        (folder / name).write_bytes(rows.tobytes())


def random_transforms(mx):
    transforms = mx.gluon.data.vision.transforms
    x = mx.nd.array(np.arange(6).reshape(1, 6, 1), dtype="uint8")
    y = x.transpose((1, 0, 2))
    held = {}
    for name, given in (("RandomFlipLeftRight", x), ("RandomFlipTopBottom", y)):
        flipped = [int(getattr(transforms, name)()(given).asnumpy().ravel()[0]) for _ in range(400)]
        held[name] = sorted(set(flipped))
        held[f"{name} share"] = round(sum(flipped) / 5 / 400 * 4) / 4
    for name, given in (("left_right", x), ("top_bottom", y)):
        function = getattr(mx.nd.image, f"random_flip_{name}")
        flipped = [int(function(given).asnumpy().ravel()[0]) for _ in range(400)]
        held[f"function {name}"] = [sorted(set(flipped)), round(sum(flipped) / 5 / 400 * 4) / 4]
        symbol = getattr(mx.sym.image, f"random_flip_{name}")(mx.sym.var("x"))
        flipped = [symbol.eval(ctx=mx.cpu(), x=given)[0].asnumpy().ravel()[0] for _ in range(50)]
        held[f"symbol {name}"] = sorted(int(f) for f in set(flipped))
    return held


def own_augmenters(mx):
    class Brighter(mx.image.Augmenter):
        def __init__(self, by):
            super().__init__(by=by)
            self.by = by

        def __call__(self, src):
            return src + self.by

    class Boxes(mx.image.DetAugmenter):
        def __call__(self, src, label):
            return src, label * 2

    x = mx.nd.ones((2, 2, 3))
    boxes = Boxes(scale=2)
    return {
        "image": Brighter(3)(x),
        "told": Brighter(3).dumps(),
        "boxes": boxes(x, x)[1],
        "boxes told": boxes.dumps(),
    }
