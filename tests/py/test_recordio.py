"""RecordIO files: what is refused, processes, pickles; bad files and image bombs take no memory.

That files are MXNet's byte for byte says tests/interop/test_recorded_data.py.
"""

from __future__ import annotations

import os
import pickle
import resource
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, _core, recordio
from jupyter_hybrid.gluon.data import DataLoader, RecordFileDataset
from jupyter_hybrid.image_files import codec


@pytest.fixture
def made(tmp_path):
    """Paths of an index and of a file with ten records."""
    paths = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    writer = recordio.MXIndexedRecordIO(*paths, "w")
    for i in range(10):
        writer.write_idx(i, b"record %d" % i)
    writer.close()
    return paths


def test_workers_read_their_own_file(made):
    rows = RecordFileDataset(made[1])
    loader = DataLoader(rows, 3, num_workers=2, batchify_fn=list)
    assert [row for batch in loader for row in batch] == [b"record %d" % i for i in range(10)]
    assert rows[4] == b"record 4"


def test_pickles(made):
    reader = recordio.MXIndexedRecordIO(*made, "r")
    copy = pickle.loads(pickle.dumps(reader))
    assert copy.read_idx(7) == b"record 7" and reader.read_idx(2) == b"record 2"
    reader.close()
    assert not pickle.loads(pickle.dumps(reader)).is_open
    writer = recordio.MXRecordIO(made[1] + "2", "w")
    with pytest.raises(TypeError, match="open for writing"):
        pickle.dumps(writer)


def test_misuse(made, tmp_path):
    reader = recordio.MXRecordIO(made[1], "r")
    writer = recordio.MXRecordIO(tmp_path / "b.rec", "w")
    with pytest.raises(AssertionError):
        reader.write(b"x")
    with pytest.raises(AssertionError):
        writer.read()
    with pytest.raises(TypeError, match="type str"):
        writer.write("text")
    reader.close()
    reader.close()
    with pytest.raises(MXNetError, match="is closed"):
        reader.read()
    with pytest.raises(ValueError, match="expected 'r' or 'w'"):
        recordio.MXRecordIO(made[1], "a")
    with pytest.raises(MXNetError, match="can't open"):
        recordio.MXRecordIO(tmp_path / "none", "r")
    with pytest.raises(KeyError):
        recordio.MXIndexedRecordIO(*made, "r").read_idx(99)
    reader.open()
    pid = os.fork()
    if pid == 0:
        try:
            reader.read()
        except RuntimeError:
            os._exit(3)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3


@pytest.mark.parametrize(
    "content, message",
    [
        (b"abc", "inside a header"),
        (b"12345678", "no record begins here, but 31323334"),
        (struct.pack("<II", 0xCED7230A, (1 << 29) - 1) + b"x", "cut off after 1"),
        (struct.pack("<II4s", 0xCED7230A, 1 << 29 | 4, b"abcd"), "has no end"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "bad.rec"
    path.write_bytes(content)
    with pytest.raises(MXNetError, match=message):
        recordio.MXRecordIO(path, "r").read()


@pytest.mark.parametrize("text", ["1", "a\t5\n", "1\t-5\n", "1\tx\n", "\n"])
def test_bad_indices(made, text):
    Path(made[0]).write_text("0\t0\n" + text)
    with pytest.raises(MXNetError, match=r"line 2 .*expected a key, a tab and a position"):
        recordio.MXIndexedRecordIO(*made, "r")


def test_bad_records():
    with pytest.raises(MXNetError, match="24"):
        recordio.unpack(b"short")
    with pytest.raises(MXNetError, match="9 labels"):
        recordio.unpack(struct.pack("<IfQQ", 9, 0, 0, 0) + b"1234")


def test_images_in_records():
    picture = np.random.RandomState(0).randint(0, 255, (5, 7, 3)).astype(np.uint8)
    packed = recordio.pack_img((0, 3.0, 1, 0), picture, img_fmt=".png", quality=3)
    header, again = recordio.unpack_img(packed)
    assert header.label == 3 and np.array_equal(again, picture)
    grey = recordio.unpack_img(packed, 0)[1]
    assert grey.shape == (5, 7)
    smooth = np.full((16, 16, 3), (10, 100, 200), np.uint8)
    _, lossy = recordio.unpack_img(recordio.pack_img((0, [1, 2], 1, 0), smooth, quality=100))
    assert abs(lossy.astype(int) - smooth).max() < 5
    with pytest.raises(MXNetError, match="can't encode"):
        recordio.pack_img((0, 1, 1, 0), picture, img_fmt=".nothing")


def with_jpeg_size(stored, width, height):
    at = next(stored.index(m) for m in (b"\xff\xc0", b"\xff\xc2") if m in stored) + 5
    return stored[:at] + struct.pack(">HH", height, width) + stored[at + 4 :]


def with_size(kind: str, width: int, height: int) -> bytes:
    """A valid small image whose header claims another size."""
    made = bytearray(codec.encode(np.zeros((8, 8, 3), np.uint8), kind, 90))
    if kind == ".png":
        made[16:24] = struct.pack(">II", width, height)
    elif kind == ".jpg":
        return with_jpeg_size(bytes(made), width, height)
    elif kind == ".bmp":
        made[18:26] = struct.pack("<ii", width, height)
    else:
        made[:9] = b"P6\n%d %d\n" % (width, height)
    return bytes(made)


def test_images_of_a_recorded_cell():
    shell = Shell()
    shell.hybridize(
        "import numpy as np\n"
        "from jupyter_hybrid import image, recordio\n"
        "made = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 3\n"
        "header = recordio.IRHeader(0, 1.0, 0, 0)\n"
        "content = recordio.pack_img(header, made, 9, '.png')\n"
        "read = recordio.unpack_img(content)[1] + 0\n"
        "pixels = np.frombuffer(content[24:], np.uint8)[:]\n"
        "decoded = image.imdecode(pixels, to_rgb=0)\n"
    )
    wanted = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 3
    assert np.array_equal(shell.ns["read"], wanted)
    assert np.array_equal(shell.ns["decoded"].asnumpy(), wanted)


@pytest.mark.parametrize("kind", [".png", ".jpg", ".bmp", ".ppm"])
def test_bombs_are_refused_before_memory_is_taken(kind):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MXNetError, match="claims 50000 x 50000 pixels"):
        codec.decode(with_size(kind, 50_000, 50_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 14


def test_a_large_image_in_few_bytes_is_no_bomb():
    white = np.full((1500, 2500, 3), 255, np.uint8)
    for kind, quality in {".png": 9, ".jpg": 90}.items():
        stored = codec.encode(white, kind, quality)
        assert len(stored) < 200_000
        assert (codec.decode(stored) == 255).all()
    with pytest.raises(MXNetError, match="cut off"):
        codec.decode(codec.encode(white, ".png", 9)[:-2000])


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"hello, world", b"BM"])
def test_no_images(content):
    with pytest.raises(MXNetError, match="imdecode"):
        codec.decode(content)


def smooth(height, width, channels):
    """A picture whose JPEG has few bytes for many pixels."""
    rng = np.random.RandomState(0)
    cells = rng.randint(0, 255, (height // 40 + 1, width // 40 + 1, channels))
    return np.kron(cells, np.ones((40, 40, 1)))[:height, :width].astype(np.uint8)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    "options", [(), (2, 1), (3, 1), (4, 3), (7, 0x111111), (7, 0x411111, 2, 1, 4, 2)]
)
def test_jpegs_are_followed_to_their_end(channels, options):
    """Progressive ones, optimized ones, with restart markers, without subsampling."""
    cv2 = codec.opencv()
    for size in ((1, 1), (7, 9), (165, 243), (480, 640)):
        stored = cv2.imencode(".jpg", smooth(*size, channels), options)[1].tobytes()
        assert _core.jpeg_is_whole(stored)
        scan = stored.index(b"\xff\xda") + 2
        header = struct.unpack_from(">H", stored, scan)[0]
        assert not _core.jpeg_is_whole(stored[: scan + header])
        assert not _core.jpeg_is_whole(with_jpeg_size(stored, 4096, 4096))


def test_a_jpeg_that_is_cut_off_is_no_large_image():
    stored = codec.encode(smooth(2000, 3000, 3), ".jpg", 30)
    assert codec.decode(stored).shape == (2000, 3000, 3)
    with pytest.raises(MXNetError, match="cut off"):
        codec.decode(stored[: len(stored) // 2])


def test_without_opencv(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    codec.opencv.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'jupyter_hybrid\[image\]'"):
        codec.decode(b"\x89PNG")
    codec.opencv.cache_clear()
