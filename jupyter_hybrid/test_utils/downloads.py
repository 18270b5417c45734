"""Files from the network, and the data sets that MXNet's examples load by them."""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "download",
    "download_model",
    "get_bz2_data",
    "get_cifar10",
    "get_mnist",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_zip_data",
]

_DATA = "http://data.mxnet.io/"


def download(
    url: str,
    fname: str | None = None,
    dirname: str | None = None,
    overwrite: bool = False,
    retries: int = 5,
) -> str:
    """Fetches a file unless it is there, and returns its path.

    Args:
        fname: the file; None: named like the address' last part.
        dirname: the folder, made if need be; None: that of ``fname``.
        retries: how often it is tried again.

    Raises:
        OSError: it can't be fetched; the message names the address and where the file goes.
    """
    assert retries >= 0, "retries has to be at least 0"
    path = fname or url.rpartition("/")[2]
    if dirname is not None:
        path = os.path.join(dirname, path)
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(path) and not overwrite:
        return path
    for left in reversed(range(retries + 1)):
        try:
            _fetch(url, path, folder)
            return path
        except OSError as error:
            if not left:
                raise OSError(
                    f"download: {url} can't be fetched ({error}); put the file at {path}"
                ) from error
    return path


def _fetch(url: str, path: str, folder: str) -> None:
    """Writes a file beside the place and moves it there when it is whole."""
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
        try:
            with urllib.request.urlopen(url, timeout=30) as source:
                shutil.copyfileobj(source, part)
        except BaseException:
            os.unlink(part.name)
            raise
    os.replace(part.name, path)


def download_model(
    model_name: str, dst_dir: str = "./", meta_info: dict[str, dict[str, str]] | None = None
) -> tuple[str | None, int]:
    """Fetches a symbol and its parameters: (start of the files' names, epoch).

    Args:
        meta_info: model -> its addresses, ``symbol`` and ``params``. MXNet's own server is gone:
            without them the answer is (None, 0), as for an unknown model.
    """
    addresses = (meta_info or {}).get(model_name)
    if addresses is None:
        return None, 0
    start = os.path.join(dst_dir, model_name)
    download(addresses["symbol"], start + "-symbol.json")
    download(addresses["params"], start + "-0000.params")
    return start, 0


def _idx(path: str) -> np.ndarray:
    """The array of a file in MNIST's format: sizes, then bytes."""
    with gzip.open(path) as file:
        content = file.read()
    axes = content[3]
    sizes = np.frombuffer(content, ">u4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(sizes)


def get_mnist() -> dict[str, np.ndarray]:
    """MNIST from the four ``...-ubyte.gz`` files in the current folder, fetched if need be.

    Returns:
        ``train_data`` and ``test_data``, float32 (n, 1, 28, 28) from 0 to 1, and their ``_label``.

    Raises:
        OSError: a file is neither there nor to be had.
    """
    found: dict[str, np.ndarray] = {}
    for part, start in (("train", "train"), ("test", "t10k")):
        label, image = (
            _idx(download(f"{_DATA}data/mnist/{start}-{kind}-ubyte.gz"))
            for kind in ("labels-idx1", "images-idx3")
        )
        found[f"{part}_data"] = image[:, None].astype(np.float32) / 255
        found[f"{part}_label"] = label.view(np.int8)
    return found


def _unless_there(files: list[str], make: Callable[[], Any]) -> None:
    os.makedirs("data", exist_ok=True)
    if not all(os.path.exists(os.path.join("data", name)) for name in files):
        make()


def _unzip(address: str) -> None:
    with zipfile.ZipFile(download(address, dirname="data")) as file:
        file.extractall("data")


def get_mnist_pkl() -> None:
    """Fetches ``data/mnist.pkl.gz`` unless it is there."""
    address = "http://deeplearning.net/data/mnist/mnist.pkl.gz"
    _unless_there(["mnist.pkl.gz"], lambda: download(address, dirname="data"))


def get_mnist_ubyte() -> None:
    """Fetches MNIST's four files into ``data`` unless they are there."""
    names = [
        f"{start}-{kind}-ubyte"
        for start in ("train", "t10k")
        for kind in ("images-idx3", "labels-idx1")
    ]
    _unless_there(names, lambda: _unzip(f"{_DATA}mxnet/data/mnist.zip"))


def get_cifar10() -> None:
    """Fetches CIFAR-10 as RecordIO into ``data/cifar`` unless it is there."""
    names = [f"cifar/{part}.{kind}" for part in ("train", "test") for kind in ("rec", "lst")]
    _unless_there(names, lambda: _unzip(f"{_DATA}mxnet/data/cifar10.zip"))


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Fetches a zip file into a folder unless it is there, and unpacks it."""
    path = os.path.join(data_dir, data_origin_name)
    if not os.path.exists(path):
        with zipfile.ZipFile(download(url, dirname=data_dir, fname=data_origin_name)) as file:
            file.extractall(data_dir)


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Fetches a bz2 file into a folder and unpacks it as ``data_name``, unless that is there."""
    target = os.path.join(data_dir, data_name)
    if os.path.exists(target):
        return
    packed = download(url, fname=data_origin_name, dirname=data_dir)
    with bz2.open(packed) as source, open(target, "wb") as file:
        shutil.copyfileobj(source, file)
    os.remove(packed)
