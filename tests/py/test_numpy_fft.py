"""``np.fft`` in the graph against NumPy's own: errors stay within a few units of the largest."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative
from numpy_samples import sample
from traced import check

from jupyter_hybrid import _core

SIZES = [*range(1, 131), 1000, 1009, 4096, 7919, 10007]
NORMS = [None, "backward", "ortho", "forward"]
#: Allowed distance from NumPy, as a part of the root mean square of the result. NumPy's inverse
#: transforms of single precision are themselves up to 1e-6 away from those of double precision.
BOUND = {"d": 6e-15, "f": 1.5e-6}
#: Of ours from the transform in double precision: the result is rounded once.
ROUNDED = 2.5e-7


def close(got, transform, x):
    wanted, exact = transform(x), transform(x.astype(np.result_type(x, np.float64)))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    size = np.sqrt(np.mean(np.abs(exact) ** 2))
    single = wanted.dtype in ("float32", "complex64")
    far = np.abs(got - wanted).max() / size
    assert far <= BOUND["f" if single else "d"], (far, wanted.shape)
    if single:
        far = np.abs(got - exact).max() / size
        assert far <= ROUNDED, (far, wanted.shape)


def complex_sample(shape, letter="d", seed=0):
    made = sample(shape, "float64", seed) + 1j * sample(shape, "float64", seed + 1)
    return np.asarray(made).astype("complex128" if letter == "d" else "complex64")


def run(op, x, **attrs):
    return _core.invoke_core(op, [_core.from_numpy(x)], attrs).asnumpy()


@pytest.mark.parametrize("letter", "df")
def test_every_size(letter):
    for n in SIZES:
        z, x = complex_sample((2, n), letter), sample((2, n), letter)
        close(run("fft", z, n=n), np.fft.fft, z)
        close(run("fft", z, n=n, inverse=True, scale=1 / n), np.fft.ifft, z)
        close(run("rfft", x, n=n), np.fft.rfft, x)
        half = z[:, : n // 2 + 1].copy()
        close(run("irfft", half, n=n, scale=1 / n), lambda h, n=n: np.fft.irfft(h, n), half)


@pytest.mark.parametrize("n", [6, 7, 37, 74])
def test_axes_and_lengths(n):
    z, x = complex_sample((3, n, 4)), sample((3, n, 4), "float64")
    for axis in (0, 1, -1):
        for points in (None, 1, 2, 5, 43):
            for f in ("fft", "ifft", "irfft"):
                if f == "irfft" and points is None and z.shape[axis] == 1:
                    continue
                check(
                    lambda np, z, f=f, a=axis, p=points: getattr(np.fft, f)(z, n=p, axis=a),
                    z, scale=2e-13,
                )  # fmt: skip
            check(lambda np, x, a=axis, p=points: np.fft.rfft(x, p, a), x, scale=2e-13)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
def test_norms_and_dtypes(norm, dtype):
    x = complex_sample((2, 12), "f" if dtype == "complex64" else "d")
    x = x.astype(dtype) if dtype[0] == "c" else sample((2, 12), dtype)
    scale = 1e-13 if np.result_type(dtype, 1.0) in ("float64", "complex128") else 4e-5
    functions = ["fft", "ifft", "irfft", "hfft", "fft2", "ifftn", "irfft2"]
    for f in functions + ([] if dtype[0] == "c" else ["rfft", "ihfft", "rfft2"]):
        check(lambda np, x, f=f: getattr(np.fft, f)(x, norm=norm), x, scale=scale)


def test_shifts_and_frequencies():
    x = sample((3, 4, 5), "float64")
    check(lambda np, x: (np.fft.fftshift(x), np.fft.ifftshift(x, axes=1)), x, ulp=0)
    check(lambda np, x: np.fft.fftshift(x, axes=(0, 2)), x, ulp=0)
    check(lambda np, x: x[0] * np.fft.fftfreq(5, 0.1) + np.fft.rfftfreq(8), x, ulp=0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda np, x: np.fft.fft(x, n=0),
        lambda np, x: np.fft.fft(x, axis=2),
        lambda np, x: np.fft.rfft(x, norm="other"),
        lambda np, x: np.fft.rfft(x + 1j),
        lambda np, x: np.fft.fft(x[:0], axis=0),
    ],
)
def test_errors_are_numpys(wrong):
    check(wrong, sample((3, 4), "float64"), captured=False)


def test_no_rows():
    check(lambda np, x: (np.fft.fft(x), np.fft.rfft(x)), np.zeros((0, 4)))


def test_a_cell_is_one_graph():
    body = "spectrum = np.fft.rfft(x)\nspectrum[np.abs(spectrum) < 3] = 0\n"
    body += "clean = np.fft.irfft(spectrum, len(x))"
    start = {"np": np, "x": sample((64,), "float64")}
    shell = Shell()
    shell.ns.update(start)
    shell.hybridize(body)
    names, _ = imperative(body, start)
    for name in ("spectrum", "clean"):
        np.testing.assert_allclose(shell.ns[name], names[name], rtol=0, atol=1e-13)
    assert shell.report.graph_breaks == []


def test_pairs():
    x = sample((2, 3, 10), "float64")
    z = np.fft.fft(x)
    pairs = run("_contrib_fft", x)
    np.testing.assert_allclose(pairs, np.stack([z.real, z.imag], -1).reshape(2, 3, 20), atol=1e-12)
    np.testing.assert_allclose(run("_contrib_ifft", pairs), 10 * x, atol=1e-12)
    with pytest.raises(_core.MXNetError, match="pairs"):
        run("_contrib_ifft", x[..., :5].copy())
