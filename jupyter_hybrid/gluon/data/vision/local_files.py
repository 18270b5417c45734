"""The files of known data sets, from the local disk: nothing is downloaded."""

from __future__ import annotations

import os
import tarfile
import warnings
import zlib

import numpy as np

from ...._core import MXNetError
from ....io.idx import DEFLATE
from ...utils import check_sha1

__all__ = ["find", "read_cifar", "root_of"]


def root_of(name: str) -> str:
    """``$MXNET_HOME/datasets/NAME``; MXNET_HOME is ``~/.mxnet`` where it isn't set."""
    home = os.environ.get("MXNET_HOME", os.path.join(os.path.expanduser("~"), ".mxnet"))
    return os.path.join(home, "datasets", name)


def find(root: str, name: str, sha1: str, where: str) -> str:
    """The path of a file; a warning where its hash is another one.

    Raises FileNotFoundError that says which file is needed, from where, and where to put it.
    """
    path = os.path.join(root, name)
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"{path} is not there, and nothing is downloaded here: get {name} (SHA-1 {sha1}) from "
            f"{where} and put it there"
        )
    if not check_sha1(path, sha1):
        warnings.warn(f"{path} has another SHA-1 than {sha1}", stacklevel=4)
    return path


def read_cifar(path: str, name: str, labels: int) -> np.ndarray:
    """Rows of a CIFAR binary file, uint8 (n, labels + 3072); ``path`` is it, or a tar of it."""
    if path.endswith(".bin"):
        with open(path, "rb") as file:
            content = file.read()
    else:
        content = _member(path, name)
    row = labels + 3072
    if len(content) % row or not content:
        raise MXNetError(f"{name}: {len(content)} bytes, expected rows of {row}")
    return np.frombuffer(content, np.uint8).reshape(-1, row)


def _member(path: str, name: str) -> bytes:
    """A file of an archive, whatever folder it stands in."""
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and os.path.basename(member.name) == name:
                    if member.size > DEFLATE * os.path.getsize(path):
                        raise MXNetError(f"{path}: {name} claims {member.size} bytes")
                    opened = archive.extractfile(member)
                    assert opened is not None
                    return opened.read()
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise MXNetError(f"{path}: not a whole archive: {error}") from error
    raise MXNetError(f"{path}: has no {name}")
