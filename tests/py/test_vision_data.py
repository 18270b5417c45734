"""MNIST and CIFAR from local files, made here; files that are missing, broken or cut off."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, image, nd
from jupyter_hybrid.gluon.data import vision

RNG = np.random.RandomState(0)
IMAGES = RNG.randint(0, 256, (20, 28, 28)).astype(np.uint8)
LABELS = RNG.randint(0, 10, 20).astype(np.uint8)
pytestmark = pytest.mark.filterwarnings("ignore:.*has another SHA-1")


def idx(array):
    head = struct.pack(f">{1 + array.ndim}I", 0x800 + array.ndim, *array.shape)
    return gzip.compress(head + array.tobytes())


@pytest.fixture
def mnist(tmp_path):
    for part in ("train", "t10k"):
        n = 20 if part == "train" else 5
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(idx(IMAGES[:n]))
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(idx(LABELS[:n]))
    return tmp_path


@pytest.mark.parametrize("kind", [vision.MNIST, vision.FashionMNIST])
def test_digits(kind, mnist):
    data = kind(root=str(mnist))
    picture, label = data[3]
    assert len(data) == 20 and picture.shape == (28, 28, 1) and picture.dtype is np.uint8
    assert np.array_equal(picture.asnumpy()[..., 0], IMAGES[3])
    assert label == LABELS[3] and label.dtype == np.int32
    assert data[2:4][0].shape == (2, 28, 28, 1)
    halved = kind(str(mnist), False, lambda x, y: (x.astype("float32") / 2, -y))
    assert len(halved) == 5 and halved[1][1] == -int(LABELS[1])
    np.testing.assert_array_equal(halved[1][0].asnumpy()[..., 0], IMAGES[1] / 2)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"get train-images.*6c95f4b05d.*and put it there"):
        vision.MNIST(str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"get cifar-100-binary.tar.gz .*a0bb982c"):
        vision.CIFAR100(str(tmp_path))


def test_another_hash_is_told(mnist):
    with pytest.warns(UserWarning, match="another SHA-1"):
        vision.MNIST(str(mnist))


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        idx(IMAGES)[:2000],
        gzip.compress(struct.pack(">IIII", 0x803, 20, 28, 28) + bytes(10)),
        gzip.compress(struct.pack(">IIII", 0x803, 1 << 31, 28, 28)),
        gzip.compress(struct.pack(">IIII", 0x803, 20, 27, 28) + bytes(20 * 27 * 28)),
        idx(IMAGES[:19]),
    ],
)
def test_broken_digits(mnist, content):
    (mnist / "train-images-idx3-ubyte.gz").write_bytes(content)
    with pytest.raises(MXNetError, match="train-images"):
        vision.MNIST(str(mnist))


def rows(n, labels):
    return RNG.randint(0, 10, (n, labels + 3072)).astype(np.uint8)


def archive(path, files):
    with tarfile.open(path, "w:gz") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo("folder/" + name)
            entry.size = content.nbytes
            made.addfile(entry, io.BytesIO(content.tobytes()))


def test_small_colour_images(tmp_path):
    files = {f"data_batch_{i}.bin": rows(2, 1) for i in range(1, 6)} | {
        "test_batch.bin": rows(3, 1)
    }
    archive(tmp_path / "cifar-10-binary.tar.gz", files)
    data = vision.CIFAR10(str(tmp_path))
    picture, label = data[5]
    row = files["data_batch_3.bin"][1]
    assert len(data) == 10 and picture.shape == (32, 32, 3) and label == row[0]
    assert np.array_equal(picture.asnumpy().transpose(2, 0, 1).ravel(), row[1:])
    assert len(vision.CIFAR10(str(tmp_path), train=False)) == 3
    fine = rows(4, 2)
    (tmp_path / "train.bin").write_bytes(fine.tobytes())
    assert vision.CIFAR100(str(tmp_path))[2][1] == fine[2, 0]
    assert vision.CIFAR100(str(tmp_path), True)[2][1] == fine[2, 1]


def test_broken_small_images(tmp_path):
    path = tmp_path / "cifar-10-binary.tar.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(MXNetError, match="not a whole archive"):
        vision.CIFAR10(str(tmp_path))
    archive(path, {"data_batch_1.bin": rows(2, 1)})
    with pytest.raises(MXNetError, match=r"has no data_batch_2\.bin"):
        vision.CIFAR10(str(tmp_path))
    (tmp_path / "test.bin").write_bytes(b"short")
    with pytest.raises(MXNetError, match="expected rows of 3074"):
        vision.CIFAR100(str(tmp_path), train=False)


def test_images_that_can_not_be_resized():
    picture = nd.zeros((4, 5, 3), dtype="uint8")
    for w, h in ((0, 3), (3, -1), (1 << 40, 2)):
        with pytest.raises(MXNetError, match="image_resize"):
            image.imresize(picture, w, h)
    with pytest.raises(MXNetError, match=r"\(4, 5\), expected an NDArray"):
        image.imresize(nd.zeros((4, 5)), 2, 2)
    with pytest.raises(MXNetError, match="interp 77"):
        image.imresize(picture, 2, 2, 77)
    with pytest.raises(MXNetError, match="imread: can't open"):
        image.imread("/nothing/here.png")
    with pytest.raises(ValueError, match="type str"):
        image.imdecode("text")
    with pytest.raises(MXNetError, match="margins"):
        image.copyMakeBorder(picture, -1, 0, 0, 0)
    out = nd.zeros((2, 2, 3), dtype="uint8")
    assert image.imresize(picture + 7, 2, 2, out=out) is out and out.asnumpy().min() == 7
