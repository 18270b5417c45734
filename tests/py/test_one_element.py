"""``asnumpy()`` of one element is a number as well."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from jupyter_hybrid import autograd, nd


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 1, 1)])
def test_converts_to_a_number(shape: tuple[int, ...]) -> None:
    real = nd.full(shape, 2.5).asnumpy()
    both = "%f %d"
    assert both % (real, real) == "2.500000 2"
    assert (float(real), int(real), complex(real)) == (2.5, 2, 2.5 + 0j)
    assert math.sqrt(real * 2 + 1.25) == 2.5


def test_is_an_array_in_every_other_way() -> None:
    real = nd.full((1,), 2.5).asnumpy()
    assert isinstance(real, np.ndarray) and repr(real) == "array([2.5], dtype=float32)"
    assert str(type(real)) == "<class 'numpy.ndarray'>"
    assert type(real[0]) is np.float32 and type(real.sum()) is np.float32
    assert type(real + np.zeros(3)) is np.ndarray and type(np.stack([real, real])) is np.ndarray
    back = pickle.loads(pickle.dumps(real))
    assert type(back) is np.ndarray and back == real


def test_other_sizes_are_plain() -> None:
    for shape in ((0,), (2,), (1, 2)):
        real = nd.zeros(shape).asnumpy()
        assert type(real) is np.ndarray
        with pytest.raises(TypeError):
            float(real)
    grown = nd.ones((1,)).asnumpy().repeat(2)
    for convert in (float, int, complex):
        with pytest.raises(TypeError):
            convert(grown)


def test_printed_in_a_training_loop() -> None:
    x = nd.array([[1.0], [3.0]])
    x.attach_grad()
    with autograd.record():
        loss = (x * x).mean()
    loss.backward()
    printed = "loss %.3f"
    assert printed % loss.asnumpy() == "loss 5.000"
