"""MXNet's .params files: genuine ones are read and written back byte for byte; bad ones refused."""

from __future__ import annotations

import numpy as np
import pytest
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st

from jupyter_hybrid import MXNetError, _core, nd


def test_files_of_mxnet_round_trip_byte_for_byte(data):
    files = sorted([*data.glob("mxnet/*.params"), *data.glob("mxnet/*.nd")])
    assert len(files) >= 5
    for path in files:
        content = path.read_bytes()
        assert _core.save_params(_core.load_params(content)) == content, path.name


@pytest.mark.parametrize("name", ["dict_dtypes", "list_dtypes"])
def test_values_and_dtypes_are_mxnets(data, name):
    arrays = nd.load(data / "mxnet" / f"{name}.nd")
    expected = np.load(data / "mxnet" / f"{name}.expected.npz")
    named = arrays if isinstance(arrays, dict) else {str(i): a for i, a in enumerate(arrays)}
    keys = list(expected)
    assert len(keys) == len(named)
    for (_, array), key in zip(sorted(named.items()), sorted(keys)):
        assert array.asnumpy().dtype == expected[key].dtype
        np.testing.assert_array_equal(array.asnumpy(), expected[key])


def test_what_is_saved_is_what_is_loaded(tmp_path):
    path = tmp_path / "arrays"
    x = nd.arange(6).reshape((2, 3))
    nd.save(path, x)
    assert [a.tolist() for a in nd.load(path)] == [x.tolist()]
    nd.save(path, [x, nd.ones(2, dtype="int64")])
    first, second = nd.load(path)
    assert first.tolist() == x.tolist() and second.dtype is np.int64
    nd.save(str(path), {"a:weight": x, "b": nd.zeros((1, 2, 3))})
    loaded = nd.load(str(path))
    assert list(loaded) == ["a:weight", "b"] and loaded["b"].shape == (1, 2, 3)
    nd.save(path, {"view": x[:, 1]})  # not contiguous
    assert nd.load(path)["view"].tolist() == [1, 4]
    for bad in (5, "text", [1, 2], {"a": np.ones(2)}):
        with pytest.raises(TypeError):
            nd.save(path, bad)


@at_least(50)
@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=8),
            st.lists(st.integers(0, 4), min_size=1, max_size=4),
            st.sampled_from(["float32", "float64", "int32", "int64", "uint8"]),
        ),
        max_size=4,
    )
)
def test_any_shapes_and_names(specs):
    arrays = [(n, nd.array(np.random.rand(*shape) * 9, dtype=d)) for n, shape, d in specs]
    loaded = _core.load_params(_core.save_params(arrays))
    assert [n for n, _ in loaded] == [n for n, _ in arrays]
    for (_, a), (_, b) in zip(arrays, loaded):
        assert a.dtype is b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_every_truncation_is_refused(data):
    content = (data / "mxnet" / "dict_dtypes.nd").read_bytes()
    for size in [*range(0, min(len(content), 400)), len(content) // 2, len(content) - 1]:
        with pytest.raises(MXNetError):
            _core.load_params(content[:size])


@at_least(50)
@given(st.data())
def test_corrupt_bytes_never_crash(data):
    content = bytearray(_core.save_params([("w", nd.ones((2, 3))), ("b", nd.zeros(3))]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        arrays = _core.load_params(bytes(content))
    except MXNetError:
        return
    assert all(a is None or a.size < 1 << 20 for _, a in arrays)


@pytest.mark.parametrize(
    "name", [b"\x80", b"\xc3(", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"]
)
def test_a_name_that_is_not_utf8_is_refused(name):
    content = _core.save_params([("n" * len(name), nd.ones(2))])
    with pytest.raises(MXNetError, match="name 0 is not UTF-8"):
        _core.load_params(content.replace(b"n" * len(name), name))


def test_names_in_any_script_come_back():
    names = ["weight", "\u00e9", "\u6743\u91cd", "\U0001f600"]
    loaded = _core.load_params(_core.save_params([(n, nd.ones(2)) for n in names]))
    assert [n for n, _ in loaded] == names


def test_a_huge_declared_shape_allocates_nothing():
    content = bytearray(_core.save_params([("w", nd.ones((2, 3)))]))
    place = content.index((2).to_bytes(8, "little") + (3).to_bytes(8, "little"))
    content[place : place + 8] = (1 << 50).to_bytes(8, "little")
    with pytest.raises(MXNetError):
        _core.load_params(bytes(content))


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        nd.load(tmp_path / "nothing")
