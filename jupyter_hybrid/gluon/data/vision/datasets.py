"""MNIST, CIFAR, and images in RecordIO files and folders."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .... import image, nd, recordio
from ...._core import MXNetError
from ....io.idx import read_idx
from ..dataset import Dataset, RecordFileDataset
from .local_files import find, read_cifar, root_of

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageRecordDataset",
]

_Transform = Callable[[Any, Any], Any] | None


class _LocalDataset(Dataset):
    """A known data set: sample i is (image, label), through ``transform`` where that is given."""

    def __init__(self, root: str, transform: _Transform):
        self._transform = transform
        self._root = os.path.expanduser(root)
        self._data: Any = None
        self._label: Any = None
        self._get_data()

    def __getitem__(self, idx: Any) -> Any:
        if self._transform is not None:
            return self._transform(self._data[idx], self._label[idx])
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return len(self._label)

    def _get_data(self) -> None:
        raise NotImplementedError


class MNIST(_LocalDataset):
    """Handwritten digits (yann.lecun.com/exdb/mnist).

    Images are NDArrays (28, 28, 1) of uint8, labels numbers of int32.

    Args:
        root: the folder with the four ``.gz`` files.
        train: 60,000 samples; False: 10,000 others.
        transform: called with image and label of each sample; gives what the sample is.

    Raises:
        FileNotFoundError: a file is not there; the message has its hash and says where to put it.
        MXNetError: a file is broken.
    """

    _from = "yann.lecun.com/exdb/mnist"
    _files = {
        "train-images-idx3-ubyte.gz": "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
        "train-labels-idx1-ubyte.gz": "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
        "t10k-images-idx3-ubyte.gz": "c3a25af1f52dad7f726cce8cacb138654b760d48",
        "t10k-labels-idx1-ubyte.gz": "763e7fa3757d93b0cdec073cef058b2004252c17",
    }

    def __init__(
        self, root: str = root_of("mnist"), train: bool = True, transform: _Transform = None
    ):
        self._train = train
        super().__init__(root, transform)

    def _get_data(self) -> None:
        names = [
            name for name in self._files if name.startswith("train" if self._train else "t10k")
        ]
        paths = [find(self._root, name, self._files[name], self._from) for name in names]
        images, labels = read_idx(paths[0], 3, (28, 28)), read_idx(paths[1], 1)
        if len(images) != len(labels):
            raise MXNetError(f"{paths[0]}: {len(images)} images, but {len(labels)} labels")
        self._data = nd.array(images[..., None], dtype=np.uint8)
        self._label = labels.astype(np.int32)


class FashionMNIST(MNIST):
    """Zalando's articles (github.com/zalandoresearch/fashion-mnist), in MNIST's form."""

    _from = "github.com/zalandoresearch/fashion-mnist"
    _files = {
        "train-images-idx3-ubyte.gz": "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
        "train-labels-idx1-ubyte.gz": "236021d52f1e40852b06a4c3008d8de8aef1e40b",
        "t10k-images-idx3-ubyte.gz": "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
        "t10k-labels-idx1-ubyte.gz": "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
    }

    def __init__(
        self,
        root: str = root_of("fashion-mnist"),
        train: bool = True,
        transform: _Transform = None,
    ):
        super().__init__(root, train, transform)


class CIFAR10(_LocalDataset):
    """Small colour images in ten classes (www.cs.toronto.edu/~kriz/cifar.html).

    Images are NDArrays (32, 32, 3) of uint8, labels numbers of int32.

    Args:
        root: the folder with the archive, or with its ``.bin`` files.
        train: 50,000 samples; False: 10,000 others.
        transform: called with image and label of each sample; gives what the sample is.

    Raises what :class:`MNIST` does.
    """

    _archive = ("cifar-10-binary.tar.gz", "fab780a1e191a7eda0f345501ccd62d20f7ed891")
    _train_files = {
        "data_batch_1.bin": "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
        "data_batch_2.bin": "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
        "data_batch_3.bin": "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
        "data_batch_4.bin": "aab85764eb3584312d3c7f65fd2fd016e36a258e",
        "data_batch_5.bin": "26e2849e66a845b7f1e4614ae70f4889ae604628",
    }
    _test_files = {"test_batch.bin": "67eb016db431130d61cd03c7ad570b013799c88c"}
    _labels = 1  # in a row of a file
    _column = 0  # which of them

    def __init__(
        self, root: str = root_of("cifar10"), train: bool = True, transform: _Transform = None
    ):
        self._train = train
        super().__init__(root, transform)

    def _get_data(self) -> None:
        files = self._train_files if self._train else self._test_files
        if all(os.path.isfile(os.path.join(self._root, name)) for name in files):
            where = "www.cs.toronto.edu/~kriz"
            paths = [find(self._root, name, sha1, where) for name, sha1 in files.items()]
        else:
            paths = [find(self._root, *self._archive, "www.cs.toronto.edu/~kriz")] * len(files)
        parts = [read_cifar(path, name, self._labels) for path, name in zip(paths, files)]
        rows = np.concatenate(parts)
        images = rows[:, self._labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        self._data = nd.array(images, dtype=np.uint8)
        self._label = rows[:, self._column].astype(np.int32)


class CIFAR100(CIFAR10):
    """Small colour images in 100 classes, or in the 20 groups of them.

    ``fine_label``: labels are classes; else groups. Other arguments are :class:`CIFAR10`'s.
    """

    _archive = ("cifar-100-binary.tar.gz", "a0bb982c76b83111308126cc779a992fa506b90b")
    _train_files = {"train.bin": "e207cd2e05b73b1393c74c7f5e7bea451d63e08e"}
    _test_files = {"test.bin": "8fb6623e830365ff53cf14adec797474f5478006"}
    _labels = 2

    def __init__(
        self,
        root: str = root_of("cifar100"),
        fine_label: bool = False,
        train: bool = True,
        transform: _Transform = None,
    ):
        self._column = int(fine_label)
        super().__init__(root, train, transform)


class ImageRecordDataset(RecordFileDataset):
    """Images and labels of a RecordIO file with an index.

    Args:
        filename: the ``.rec`` file; its ``.idx`` stands beside it.
        flag: 1 colour (red, green, blue), 0 grey.
        transform: called with image and label of each sample; gives what the sample is.
    """

    def __init__(self, filename: str, flag: int = 1, transform: _Transform = None):
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: Any) -> Any:
        header, content = recordio.unpack(super().__getitem__(idx))
        picture = image.imdecode(content, self._flag)
        if self._transform is not None:
            return self._transform(picture, header.label)
        return picture, header.label


class ImageFolderDataset(Dataset):
    """Images in folders, one a class: ``root/car/0001.jpg``, ``root/bus/023.jpg``.

    Args:
        root: the folder of the folders.
        flag: 1 colour (red, green, blue), 0 grey.
        transform: called with image and label of each sample; gives what the sample is.

    ``synsets`` are the names of the classes, sorted: ``synsets[i]`` is label i. ``items`` are
    (file, label). What is no folder, no .jpg, .jpeg or .png is left out with a warning.
    """

    _exts = (".jpg", ".jpeg", ".png")

    def __init__(self, root: str, flag: int = 1, transform: _Transform = None):
        self._root = os.path.expanduser(root)
        self._flag = flag
        self._transform = transform
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        for folder in sorted(os.listdir(self._root)):
            path = os.path.join(self._root, folder)
            if os.path.isdir(path):
                self._add(folder, path)
            else:
                warnings.warn(f"Ignoring {path}, which is not a directory.", stacklevel=2)

    def _add(self, name: str, folder: str) -> None:
        label = len(self.synsets)
        self.synsets.append(name)
        for file in sorted(os.listdir(folder)):
            path = os.path.join(folder, file)
            kind = os.path.splitext(file)[1]
            if kind.lower() in self._exts:
                self.items.append((path, label))
            else:
                only = ", ".join(self._exts)
                warnings.warn(f"Ignoring {path} of type {kind}. Only support {only}", stacklevel=3)

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        picture = image.imread(path, self._flag)
        return (picture, label) if self._transform is None else self._transform(picture, label)

    def __len__(self) -> int:
        return len(self.items)
