"""Iterators that MXNet's tests and examples use."""

from __future__ import annotations

from typing import Any

from .. import io
from .downloads import get_mnist_ubyte

__all__ = ["DummyIter", "get_mnist_iterator"]


class DummyIter(io.DataIter):
    """The first batch of an iterator, again and again: it never ends."""

    def __init__(self, real_iter: Any):
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data = real_iter.provide_data
        self.provide_label = real_iter.provide_label
        self.the_batch = next(real_iter)

    def next(self) -> Any:
        return self.the_batch


def get_mnist_iterator(
    batch_size: int, input_shape: Any, num_parts: int = 1, part_index: int = 0
) -> tuple[io.MNISTIter, io.MNISTIter]:
    """MNIST's images from ``data``, those for training in random order, and those for tests.

    Args:
        batch_size: images in a batch.
        input_shape: of three sizes: batches (n, 1, 28, 28); else (n, 784).
        num_parts, part_index: which part of the images is read.
    """
    get_mnist_ubyte()
    train, test = (
        io.MNISTIter(
            image=f"data/{start}-images-idx3-ubyte",
            label=f"data/{start}-labels-idx1-ubyte",
            batch_size=batch_size,
            flat=len(input_shape) != 3,
            num_parts=num_parts,
            part_index=part_index,
        )
        for start in ("train", "t10k")
    )
    return train, test
