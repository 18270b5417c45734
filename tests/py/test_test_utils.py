"""MXNet's test_utils: what passes, what has to fail, and what the messages say."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import nd, sym
from jupyter_hybrid import test_utils as tu
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.gluon import nn


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (np.float32([1, 2]), np.float32([1, 2.0001]), True),
        (np.float32([1, 2]), np.float32([1, 2.01]), False),
        (np.float16([100]), np.float32([100.9]), True),  # the less exact dtype decides
        (np.float64([1]), np.float64([1.0001]), False),
        (np.int32([3, 4]), np.int32([3, 5]), False),
        (np.array([True]), np.array([False]), False),
        (np.float32([[1], [1]]), 1.0, True),
    ],
)
def test_almost_equal_by_dtype(a, b, equal):
    if equal:
        tu.assert_almost_equal(nd.array(a, dtype=a.dtype), b)
    else:
        with pytest.raises(AssertionError):
            tu.assert_almost_equal(a, b)


def test_messages_tell_the_worst_place():
    a, b = np.zeros((2, 3), "float32"), np.zeros((2, 3), "float32")
    b[1, 2] = 5
    b[0, 1] = 1
    with pytest.raises(AssertionError, match=r"maximum error: \(.*1.*2.*, here=0.0+, there=5"):
        tu.assert_almost_equal(a, b, names=("here", "there"))
    with pytest.raises(AssertionError, match=r"33.3"):
        tu.assert_almost_equal(a, b)
    tu.assert_almost_equal_with_err(a, b, etol=0.4)
    with pytest.raises(AssertionError):
        tu.assert_almost_equal_with_err(a, b, etol=0.3)


def test_nan_is_ignored_or_equal_when_asked():
    a, b = np.array([1, np.nan]), np.array([1, np.nan])
    tu.assert_almost_equal(a, b, equal_nan=True)
    tu.assert_almost_equal_ignore_nan(a, np.array([1.0, 3.0]))
    with pytest.raises(AssertionError):
        tu.assert_almost_equal(a, b)


def test_gradients_against_differences():
    x, w = sym.var("x"), sym.var("w")
    net = sym.FullyConnected(sym.tanh(x), w, no_bias=True, num_hidden=2)
    shapes = {"x": (3, 4), "w": (2, 4)}
    point = {name: np.random.uniform(-1, 1, size=s) for name, s in shapes.items()}
    tu.check_numeric_gradient(net, point, numeric_eps=1e-2, rtol=0.02, atol=1e-3)
    tu.check_numeric_gradient(net, point, grad_nodes={"x": "add", "w": "null"}, rtol=0.05)
    wrong = sym.BlockGrad(x) * x  # half of the true gradient
    with pytest.raises(AssertionError, match="NUMERICAL_x"):
        tu.check_numeric_gradient(wrong, [point["x"]], rtol=0.02, atol=1e-3)
    with pytest.raises(ValueError, match="do not match"):
        tu.check_numeric_gradient(net, {"x": point["x"]})


def test_symbolic_checks():
    a, b = sym.var("a"), sym.var("b")
    x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3)) * 2
    grad = np.full((2, 3), 3.0)
    for dtype in (np.float32, np.float64):
        out = tu.check_symbolic_forward(a * b, [x, y], [x * y], dtype=dtype)
        assert out[0].dtype == dtype
        for req in ("write", "add", "null"):
            wanted = [grad * y, grad * x]
            tu.check_symbolic_backward(a * b, [x, y], [grad], wanted, 1e-5, 1e-6, grad_req=req)
    with pytest.raises(AssertionError, match="FORWARD"):
        tu.check_symbolic_forward(a * b, [x, y], [x])
    with pytest.raises(AssertionError, match="BACKWARD_b"):
        tu.check_symbolic_backward(a * b, [x, y], [grad], [grad * y, grad])
    assert np.array_equal(tu.simple_forward(a + b, a=x, b=y), x + y)
    assert tu.check_speed(a * b, {"a": x, "b": y}, N=2) > 0


def test_consistency():
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="f")
    shapes = {"x": (2, 4)}
    types = [np.float64, np.float32]
    runs = [{"ctx": tu.default_context(), **shapes, "type_dict": {"x": t}} for t in types]
    found = tu.check_consistency(net, runs)
    assert set(found) >= {"f_output", "x", "f_weight"}
    with pytest.raises(AssertionError):
        tu.check_consistency([net, net * 1.1], runs)  # other numbers
    tu.check_gluon_hybridize_consistency(
        lambda prefix: nn.Dense(3, in_units=4, prefix=prefix), [nd.ones((2, 4))]
    )


def test_generators():
    pytest.importorskip("scipy")
    buckets, probs = tu.gen_buckets_probs_with_ppf(lambda p: p * 2, 4)
    assert buckets == [(0, 0.5), (0.5, 1), (1, 1.5), (1.5, 2)]
    draw = np.random.default_rng(5).uniform
    assert len(tu.verify_generator(lambda n: draw(0, 2, n), buckets, probs, 10000)) == 5
    with pytest.raises(AssertionError, match="p values"):
        tu.verify_generator(lambda n: draw(0, 2, n) ** 1.2, buckets, probs, 10000)


def test_moments_of_generators():
    draw = np.random.default_rng(5).normal
    assert tu.mean_check(lambda n: draw(1, 2, n), 1, 2, 10000)
    assert not tu.mean_check(lambda n: draw(1.2, 2, n), 1, 2, 10000)
    assert tu.var_check(lambda n: draw(1, 2, n), 2, 10000)
    assert not tu.var_check(lambda n: draw(1, 2.2, n), 2, 10000)


def test_matrices():
    m = tu.new_matrix_with_real_eigvals_nd((2, 3, 3))
    assert np.abs(np.linalg.eigvals(m).imag).max() < 1e-9
    q = tu.new_orthonormal_matrix_2d(4)
    assert np.allclose(q @ q.T, np.eye(4))
    s = tu.new_sym_matrix_with_real_eigvals_nd((2, 3, 3))
    assert np.allclose(s, s.transpose(0, 2, 1))
    assert np.array_equal(tu.collapse_sum_like(np.ones((2, 3, 4)), (3, 1)), np.full((3, 1), 8.0))
    assert tu.np_reduce(np.ones((2, 3)), 1, True, np.sum).tolist() == [[3], [3]]


def test_the_environment_comes_back(tmp_path, monkeypatch):
    monkeypatch.setenv("A_NAME", "before")
    with tu.environment({"A_NAME": "inside", "ANOTHER": "x"}):
        assert os.environ["A_NAME"] == tu.getenv("A_NAME") == "inside"
    assert os.environ["A_NAME"] == "before"
    assert "ANOTHER" not in os.environ
    x = nd.ones((2, 2))
    assert tu.same_array(x, x[:])
    assert not tu.same_array(x, x.copy())
    source = tmp_path / "a.txt"
    source.write_text("content")
    path = tu.download(source.as_uri(), dirname=str(tmp_path / "b"))
    assert Path(path).read_text() == "content"
    with pytest.raises(OSError, match="can't be fetched"):
        tu.download((tmp_path / "none").as_uri(), dirname=str(tmp_path), retries=0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b"]


def test_sparse_arrays_are_refused():
    for make in (tu.rand_ndarray, tu.rand_sparse_ndarray, tu.create_sparse_array):
        with pytest.raises(MXNetError, match="dense"):
            make((2, 2), "csr")


def test_scipy_is_imported_by_who_needs_it():
    code = "import sys, jupyter_hybrid.test_utils as t; print('scipy.stats' in sys.modules, t.ss)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False ")
    assert tu.ss is tu.generators.statistics()


def test_digits_of_the_current_folder_in_mxnets_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, start in enumerate(("train", "t10k"), 1):
        pixels = np.full((number, 28, 28), 51 * number, "u1")
        labels = np.arange(number, dtype="u1")
        for kind, array in (("images-idx3", pixels), ("labels-idx1", labels)):
            head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
            with gzip.open(f"{start}-{kind}-ubyte.gz", "wb") as file:
                file.write(head + array.tobytes())
    found = tu.get_mnist()
    assert list(found) == ["train_data", "train_label", "test_data", "test_label"]
    assert found["test_data"].shape == (2, 1, 28, 28)
    assert (found["test_data"] == np.float32(0.4)).all()
    assert found["test_label"].tolist() == [0, 1]
