"""Complex numbers in NumPy cells: Python's literals, parts, promotion, and what stays NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative
from traced import Recorded, check

X = np.linspace(-1, 1, 12).reshape(3, 4)
Z = X * (1 + 2j) + 0.25j


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool"])
def test_real_arrays_beside_complex_literals(dtype):
    x = (X * 3).astype(dtype)
    check(lambda np, x: (1j * x, x * 1j, x + (1 + 2j), 2j - x, x / 2j, x == 1j), x)
    check(lambda np, x: (np.add(x, 1j), np.where(x > 0, 1j, x), np.exp(1j * x)), x, ulp=8)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_arrays(dtype):
    z = Z.astype(dtype)
    check(lambda np, z: (z * (1 + 2j), z**2, abs(z), z.conj(), np.conj(z), z != 1j, -z), z, ulp=8)
    check(lambda np, z: (z.real, z.imag, np.real(z), np.imag(z), z[0, 1].real), z)
    check(lambda np, z: (np.angle(z), np.angle(z, deg=True), np.sqrt(z)), z, ulp=8)
    check(lambda np, z: (z.real**2 + z.imag**2, z.real.T.sum(axis=0), z.imag[1:, ::2]), z, ulp=8)
    check(lambda np, z: (np.full(3, 1 - 2j), np.full_like(z, 2j), np.zeros(2, z.dtype) + 1j), z)
    check(
        lambda np, z: (np.array([1j, z[0, 0]]), z * np.complex64(2j), z.sum(), z.mean()), z, ulp=8
    )


def test_promotion_is_weak():
    recorded = Recorded(lambda np, x: (x * 1j, x + 1.0), (X.astype("f"),))
    assert [v.dtype for v in recorded.value] == [np.complex64, np.float32]


def test_signs_of_zero_survive():
    made = Recorded(lambda np, x: (np.full(2, -0.0), np.full(2, complex(0, -0.0))), (X,)).value
    assert np.signbit(made[0]).all()
    assert np.signbit(made[1].imag).all() and not np.signbit(made[1].real).any()


def test_parts_follow_their_array():
    def written(np, z):
        part = z.real
        z[0] = 7j
        z[1] *= 2
        return part, part.reshape(-1), z

    check(written, Z)


def test_parts_that_are_written_leave_the_graph():
    def written(np, z):
        z.real = 3
        z.imag[0] = 5
        w = z * 2
        part = w.real
        part += 1
        w.imag = part
        return z, w, part

    check(written, Z, captured=False)
    reasons = Recorded(written, (Z.copy(),)).reasons
    assert "writing: the real or imaginary parts of an array" in reasons


def test_a_complex_number_never_enters_real_memory():
    for write in (lambda x: x.__setitem__(0, 1j), lambda x: x.fill(1j)):
        with pytest.raises(TypeError):
            Recorded(lambda np, x, w=write: w(x), (X.copy(),))


def test_in_a_cell():
    body = """
import numpy as np
t = np.arange(8) / 8
wave = np.exp(-2j * np.pi * 3 * t)
power = (wave.real**2 + wave.imag**2).astype(np.float32)
shifted = power * 1j
c = t + 1j * t[:, None]
z = c * 0
for _ in range(4):
    z = z**2 + c
inside = np.abs(z) <= 2
"""
    wanted, _ = imperative(body)
    shell = Shell()
    shell.hybridize(body, "--view none")
    assert not shell.report.graph_breaks
    for name in ("wave", "power", "shifted", "inside"):
        got = np.asarray(shell.ns[name])
        assert got.dtype == wanted[name].dtype
        np.testing.assert_allclose(got, wanted[name], rtol=1e-6, atol=1e-12)
