"""mxnet.io's iterators: batches of arrays and files, epochs' ends, threads, errors."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, io, nd, test_utils


def epoch(iterator):
    """(first column of the data, label, pad) of each batch."""
    return [
        (b.data[0].asnumpy().reshape(len(b.data[0]), -1)[:, 0].tolist(),
         b.label[0].asnumpy().tolist() if b.label else None, b.pad)
        for b in iterator
    ]  # fmt: skip


def numbers(n, size, handle, **kwargs):
    return io.NDArrayIter(np.arange(2 * n).reshape(n, 2), np.arange(n), size,
                          last_batch_handle=handle, **kwargs)  # fmt: skip


def epochs(iterator, count):
    found = []
    for _ in range(count):
        found.append([(labels, pad) for _, labels, pad in epoch(iterator)])
        iterator.reset()
    return found


def test_the_last_batch_is_filled_left_out_or_rolled_over():
    # What MXNet 1.9.1 gives for these.
    padded = [([0, 1, 2], 0), ([3, 4, 5], 0), ([6, 7, 8], 0), ([9, 0, 1], 2)]
    assert epochs(numbers(10, 3, "pad"), 2) == [padded, padded]
    assert epochs(numbers(10, 3, "discard"), 2) == [padded[:3]] * 2
    rolled = epochs(numbers(10, 3, "roll_over"), 3)
    assert rolled[1] == [([9, 0, 1], 1), ([2, 3, 4], 0), ([5, 6, 7], 0)]
    assert rolled[2][0] == ([8, 9, 0], 2) and len(rolled[2]) == 4
    assert epochs(numbers(2, 7, "pad"), 1) == [[([0, 1, 0, 1, 0, 1, 0], 5)]]
    # MXNet fails where fewer samples are left than two epochs need.
    assert epochs(numbers(2, 5, "roll_over"), 3) == [[], [], [([0, 1, 0, 1, 0], 4)]]


def test_names_orders_and_layouts():
    named = io.NDArrayIter(
        {"b": np.ones((4, 2)), "a": nd.ones((4, 3), dtype="int32")}, batch_size=2
    )
    assert [(d.name, d.shape, np.dtype(d.dtype).name) for d in named.provide_data] == [
        ("a", (2, 3), "int32"), ("b", (2, 2), "float32"),
    ]  # fmt: skip
    assert named.provide_label == [] and [x.shape for x in named.next().data] == [(2, 3), (2, 2)]
    several = io.NDArrayIter([np.ones((2, 2))] * 2, batch_size=1, data_name="x")
    assert [d.name for d in several.provide_data] == ["_0_x", "_1_x"]
    across = io.NDArrayIter(np.arange(8).reshape(2, 4), batch_size=3, layout="CN")
    assert [b.data[0].asnumpy().tolist() for b in across] == [
        [[0, 1, 2], [4, 5, 6]], [[3, 0, 1], [7, 4, 5]],
    ]  # fmt: skip


def test_shuffled_by_numpys_numbers():
    np.random.seed(3)
    iterator = io.NDArrayIter(nd.arange(10, dtype="int32"), np.arange(10), 4, shuffle=True)
    # MXNet 1.9.1's order, which makes float32 of the array.
    assert [data for data, _, _ in epoch(iterator)] == [[5, 4, 1, 2], [9, 6, 7, 0], [3, 8, 5, 4]]
    iterator.reset()
    second = epoch(iterator)
    assert [data for data, _, _ in second] == [[1, 2, 4, 9], [3, 8, 6, 0], [5, 7, 1, 2]]
    assert all(data == labels for data, labels, _ in second)


@pytest.mark.parametrize(
    "data, error, message",
    [
        (None, AssertionError, "data is None"),
        ([], AssertionError, "empty list"),
        ("x", TypeError, "given str"),
        ({"a": "x"}, TypeError, "a is of type str"),
    ],
)
def test_no_arrays(data, error, message):
    with pytest.raises(error, match=message):
        io.NDArrayIter(data)


def test_epochs_of_another_length():
    iterator = io.ResizeIter(numbers(4, 2, "pad"), 3)
    assert [labels for _, labels, _ in epoch(iterator)] == [[0, 1], [2, 3], [0, 1]]
    iterator.reset()
    assert iterator.provide_data[0].shape == (2, 2) and len(epoch(iterator)) == 3
    going_on = io.ResizeIter(numbers(4, 2, "pad"), 3, reset_internal=False)
    epoch(going_on)
    going_on.reset()
    assert epoch(going_on)[0][1] == [2, 3]
    dummy = test_utils.DummyIter(numbers(4, 2, "pad"))
    assert dummy.next() is dummy.next() and dummy.batch_size == 2


def test_fetched_ahead():
    iterator = io.PrefetchingIter(
        [numbers(4, 2, "pad"), numbers(4, 2, "pad")], [{"data": "a"}, {"data": "b"}]
    )
    assert [d.name for d in iterator.provide_data] == ["a", "b"]
    for _ in range(2):
        batches = list(iterator)
        assert [len(b.data) for b in batches] == [2, 2] and len(batches[0].label) == 2
        iterator.reset()
    with pytest.raises(AssertionError, match="different numbers of batches"):
        list(io.PrefetchingIter([numbers(4, 2, "pad"), numbers(6, 2, "pad")]))


def test_errors_of_threads_are_raised():
    class Broken(io.DataIter):
        provide_data = provide_label = [io.DataDesc("data", (2, 2))]

        def next(self):
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        io.PrefetchingIter(Broken()).next()


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,1,2\n3,4,5\n6,7,8\n9,10,11\n")
    (tmp_path / "labels.csv").write_text("0\n10\n20\n30\n")
    return path


def test_lines_of_numbers(lines):
    # What MXNet 1.9.1 gives for these.
    csv = io.CSVIter(data_csv=str(lines), data_shape=(3,), batch_size=3)
    assert isinstance(csv, io.MXDataIter) and csv.provide_label[0].shape == (3,)
    first = [[0, 3, 6], [9, 0, 3]]
    assert [data for data, _, _ in epoch(csv)] == first
    csv.reset()
    assert [(data, pad) for data, _, pad in epoch(csv)] == [([6, 9, 0], 1)]
    csv.reset()
    assert [b.index.tolist() for b in csv] == [[1, 2, 3]]
    files = {"data_csv": str(lines), "label_csv": str(lines.parent / "labels.csv")}
    whole = io.CSVIter(**files, data_shape=(1, 3), batch_size=3, round_batch=False, dtype="int32")
    assert epoch(whole) == [([0, 3, 6], [0, 10, 20], 0), ([9, 3, 6], [30, 10, 20], 2)]
    whole.reset()
    assert whole.iter_next() and whole.getdata().shape == (3, 1, 3) and whole.getpad() == 0


def test_lines_that_cannot_be_read(lines):
    for change, message in (
        ({"data_shape": (4,)}, "3 numbers a line .* expected 4"),
        ({"data_csv": "none.csv"}, "can't read 'none.csv'"),
        ({"dtype": "float64"}, "dtype float64"),
        ({"batch_size": 0}, "batch_size 0"),
    ):
        arguments = {"data_csv": str(lines), "data_shape": (3,), "batch_size": 2, **change}
        with pytest.raises(MXNetError, match=message):
            io.CSVIter(**arguments)
    lines.write_text("1,2,x\n")
    with pytest.raises(MXNetError, match="can't read"):
        io.CSVIter(data_csv=str(lines), data_shape=(3,), batch_size=1)


@pytest.mark.parametrize("packed", [False, True])
def test_digits(tmp_path, packed):
    images = np.arange(120, dtype=np.uint8).reshape(10, 4, 3)
    files = {"image": struct.pack(">IIII", 0x803, 10, 4, 3) + images.tobytes(),
             "label": struct.pack(">II", 0x801, 10) + bytes(range(10))}  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    paths = {name: str(tmp_path / name) for name in files}
    digits = io.MNISTIter(**paths, batch_size=3, shuffle=False)
    assert [labels for _, labels, _ in epoch(digits)] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    digits.reset()
    np.testing.assert_array_equal(
        digits.next().data[0].asnumpy(), images[:3, None] / np.float32(256)
    )
    flat = io.MNISTIter(**paths, batch_size=5, seed=1, flat=True)
    mixed = [labels for _, labels, _ in epoch(flat)]
    assert sorted(np.ravel(mixed)) == list(range(10)) and mixed != [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
    ]
    flat.reset()
    assert [labels for _, labels, _ in epoch(flat)] == mixed and flat.provide_data[0].shape == (
        5,
        12,
    )
    part = io.MNISTIter(**paths, batch_size=3, shuffle=False, num_parts=3, part_index=1)
    assert [labels for _, labels, _ in epoch(part)] == [[3, 4, 5]]
    with pytest.raises(MXNetError, match="no batch"):
        io.MNISTIter(**paths, batch_size=11)
    with pytest.raises(MXNetError, match="not a whole IDX file"):
        io.MNISTIter(image=paths["image"], label=str(tmp_path / "none"))
