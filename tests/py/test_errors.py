"""Errors: at the call where they can be, else kept and raised where the value is read."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, engine, nd


def failing():
    """An operator whose kernel finds the error: an index out of range with mode='raise'."""
    return nd.take(nd.ones((3, 2)), nd.array([7]), mode="raise")


def line_of_failing():
    return failing.__code__.co_firstlineno + 2


def test_the_error_type():
    assert mx.base.MXNetError is MXNetError is mx.MXNetError
    assert issubclass(MXNetError, RuntimeError)
    assert MXNetError.__module__ == "jupyter_hybrid.base"


@pytest.mark.parametrize("options", [{}, {"inline": False}], ids=str)
def test_a_kernels_error_is_raised_when_the_value_is_read(options):
    with engine.using(**options):
        y = failing()
        for _ in range(2):  # and again
            with pytest.raises(MXNetError, match="take") as error:
                y.asnumpy()
        text = str(error.value)
        assert "7" in text and f"line {line_of_failing()}" in text, text
        assert "test_errors.py" in text
        with pytest.raises(MXNetError):
            y.wait_to_read()


def test_naive_mode_raises_at_once():
    with engine.using(kind="naive"), pytest.raises(MXNetError, match="take"):
        failing()


@pytest.mark.parametrize("options", [{}, {"inline": False}], ids=str)
def test_dependents_inherit_the_error_and_others_do_not(options):
    with engine.using(**options):
        y = failing()
        z = (y + 1).sum()
        other = nd.ones(2) + 1
        with pytest.raises(MXNetError, match="take"):
            z.asscalar()
        assert other.tolist() == [2, 2]


def test_waitall_raises_each_error_once():
    y = failing()
    with pytest.raises(MXNetError, match="take"):
        nd.waitall()
    nd.waitall()
    with pytest.raises(MXNetError, match="take"):
        y.asnumpy()


def test_overwriting_heals():
    y = failing()
    y[:] = 3
    assert y.tolist() == [[3, 3]]
    z = failing()
    z[:, :1] = 3  # only a part
    with pytest.raises(MXNetError, match="take"):
        z.asnumpy()


def test_errors_in_a_gradient_reach_the_gradient():
    x = nd.ones((3, 2))
    x.attach_grad()
    with mx.autograd.record():
        y = nd.take(x, nd.array([7]), mode="raise")
    with pytest.raises(MXNetError, match="take"):
        y.backward()
        x.grad.asnumpy()


def test_the_line_is_the_users_not_the_librarys():
    with engine.using(inline=False):
        rows = nd.ones((3, 2))
        y = rows.take(nd.array([9]), mode="raise")
        line = test_the_line_is_the_users_not_the_librarys.__code__.co_firstlineno + 3
        with pytest.raises(MXNetError, match=rf"line {line}\b"):
            y.asnumpy()


def test_memory_that_is_not_there():
    with pytest.raises(MXNetError, match=r"cpu\(0\)"):
        nd.empty((1 << 46,), dtype="uint8")
    assert nd.ones(1).asscalar() == 1


def test_nothing_is_left_behind_by_errors():
    nd.waitall()
    before = engine.pool_stats()["used"]
    for _ in range(100):
        with pytest.raises(MXNetError):
            nd.dot(nd.ones((2, 3)), nd.ones((2, 3)))
        with pytest.raises(MXNetError):
            failing().asnumpy()
    np.testing.assert_allclose(engine.pool_stats()["used"], before, atol=1 << 16)
