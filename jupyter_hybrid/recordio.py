"""RecordIO: files of records, and records that hold a label and an image.

The format is dmlc-core's (``recordio.h``), byte for byte. A record is one part or several, each
with a header of two little-endian numbers: the magic number; three bits that say whether the part
is whole (0), the first (1), a middle one (2) or the last (3), and 29 bits with its length. A part
is padded to a multiple of four bytes. Where the magic number stands in the data, at a multiple of
four bytes, a part ends, and it is left out.
"""

from __future__ import annotations

import contextlib
import numbers
import os
import struct
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from ._core import MXNetError
from .image_files import codec

__all__ = [
    "IRHeader",
    "MXIndexedRecordIO",
    "MXRecordIO",
    "pack",
    "pack_img",
    "unpack",
    "unpack_img",
]

_MAGIC = struct.pack("<I", 0xCED7230A)
_LENGTH_BITS = 29
_LONGEST_ROW = 4096  # characters of an index
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)
_PART = struct.Struct("<4sI")
_HEADER = struct.Struct("<IfQQ")

#: What stands before a record's content: ``flag`` (the number of labels, where they are several),
#: ``label`` (a number, or an array of float32), ``id`` and ``id2`` (of the user's).
IRHeader = namedtuple("HEADER", ["flag", "label", "id", "id2"])  # type: ignore[name-match]


class MXRecordIO:
    """A file of records, read or written from its beginning to its end.

    Args:
        uri: the file's path.
        flag: "r" to read, "w" to write: what was in the file is lost.

    Raises MXNetError where the file can't be opened or holds no records.
    """

    is_open = False
    writable = False

    def __init__(self, uri: str | os.PathLike[str], flag: str):
        self.uri = os.fspath(uri)
        self.flag = flag
        self.pid: int | None = None
        self.open()

    def open(self) -> None:
        """Opens the file."""
        if self.flag not in ("r", "w"):
            raise ValueError(f"MXRecordIO: flag is {self.flag!r}, expected 'r' or 'w'")
        self.writable = self.flag == "w"
        try:
            self.handle: IO[bytes] = open(self.uri, self.flag + "b")  # noqa: SIM115
        except OSError as error:
            raise MXNetError(f"MXRecordIO: can't open {self.uri!r}: {error.strerror}") from error
        self.pid = os.getpid()
        self.is_open = True

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        """What pickle keeps: a reader opens its file again, at its beginning."""
        if self.writable and self.is_open:
            raise TypeError(
                f"MXRecordIO: {self.uri!r} is open for writing and can't be pickled: its copy "
                "would empty the file"
            )
        state = self.__dict__.copy()
        state.pop("handle", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "is_open": False}
        if state.get("is_open"):
            self.open()

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self.is_open:
            self.is_open = False
            self.pid = None
            self.handle.close()

    def reset(self) -> None:
        """Back to the first record. A file that is written is emptied."""
        self.close()
        self.open()

    def write(self, buf: bytes) -> None:
        """Adds a record of less than 2^29 bytes."""
        assert self.writable, "MXRecordIO: opened for reading"
        self._check_pid()
        if not isinstance(buf, (bytes, bytearray)):
            raise TypeError(f"MXRecordIO: a record of type {type(buf).__name__}, expected bytes")
        self.handle.write(_record(bytes(buf)))

    def read(self) -> bytes | None:
        """The next record; None at the end of the file."""
        assert not self.writable, "MXRecordIO: opened for writing"
        self._check_pid()
        content = bytearray()
        while True:
            kind = self._read_part(content)
            if kind is None:
                if content:
                    raise self._invalid("a record has no end")
                return None
            if kind in (_WHOLE, _LAST):
                return bytes(content)
            content += _MAGIC

    def _read_part(self, content: bytearray) -> int | None:
        header = self.handle.read(_PART.size)
        if not header:
            return None
        if len(header) < _PART.size:
            raise self._invalid("it ends inside a header")
        magic, word = _PART.unpack(header)
        if magic != _MAGIC:
            raise self._invalid(f"no record begins here, but {header[:4].hex()}")
        kind, length = word >> _LENGTH_BITS, word & ((1 << _LENGTH_BITS) - 1)
        padded = (length + 3) & ~3
        # Asked before memory is taken: the length is whatever a bad file says.
        left = os.fstat(self.handle.fileno()).st_size - self.handle.tell()
        data = self.handle.read(padded) if padded <= left else b""
        if len(data) < padded:
            raise self._invalid(f"a part of {padded} bytes is cut off after {left}")
        content += memoryview(data)[:length]
        return kind

    def _invalid(self, why: str) -> MXNetError:
        return MXNetError(
            f"MXRecordIO: {self.uri!r} is no valid RecordIO file: {why} (byte {self.handle.tell()})"
        )

    def _check_pid(self, allow_reset: bool = False) -> None:
        """A file's position is shared with forked processes, so each has to open its own."""
        if not self.is_open:
            raise MXNetError(f"MXRecordIO: {self.uri!r} is closed")
        if self.pid != os.getpid():
            if not allow_reset:
                raise RuntimeError(
                    "MXRecordIO: a file that another process has opened: call reset() first"
                )
            self.reset()


class MXIndexedRecordIO(MXRecordIO):
    """A file of records with an index: records are read in any order.

    The index is text: a line with key, tab and position for each record.

    Args:
        idx_path: path of the index.
        uri: path of the records.
        flag: "r" or "w".
        key_type: makes a key of its text.
    """

    def __init__(
        self,
        idx_path: str | os.PathLike[str],
        uri: str | os.PathLike[str],
        flag: str,
        key_type: Callable[[Any], Any] = int,
    ):
        self.idx_path = idx_path
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        self.fidx: Any = None
        super().__init__(uri, flag)

    def open(self) -> None:
        """Opens both files; to read, the whole index."""
        super().open()
        self.idx = {}
        self.keys = []
        try:
            self.fidx = open(self.idx_path, self.flag, errors="surrogateescape")  # noqa: SIM115
            if not self.writable:
                self._read_index()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes both files."""
        super().close()
        if self.fidx is not None:
            self.fidx.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "fidx": None}

    def seek(self, idx: Any) -> None:
        """Makes the record of key ``idx`` the next one that is read. KeyError: there is none."""
        assert not self.writable, "MXIndexedRecordIO: opened for writing"
        self._check_pid(allow_reset=True)
        self.handle.seek(self.idx[idx])

    def tell(self) -> int:
        """The position at which the next record will be written, in bytes."""
        assert self.writable, "MXIndexedRecordIO: opened for reading"
        return self.handle.tell()

    def read_idx(self, idx: Any) -> bytes | None:
        """The record of a key."""
        self.seek(idx)
        return self.read()

    def write_idx(self, idx: Any, buf: bytes) -> None:
        """Adds a record with a key."""
        key = self.key_type(idx)
        position = self.tell()
        self.write(buf)
        self.fidx.write(f"{key}\t{position}\n")
        self.idx[key] = position
        self.keys.append(key)

    def _read_index(self) -> None:
        for _ in self._rows():  # a bad index is refused before memory is taken
            pass
        self.fidx.seek(0)
        for key, position in self._rows():
            self.idx[key] = position
            self.keys.append(key)

    def _rows(self) -> Iterator[tuple[Any, int]]:
        for number, line in enumerate(iter(lambda: self.fidx.readline(_LONGEST_ROW), ""), 1):
            words = line.strip().split("\t")
            try:
                key, position = self.key_type(words[0]), int(words[1])
                if not 0 <= position < 1 << 63 or len(line) == _LONGEST_ROW:
                    raise ValueError("no position in a file, or no row")
            except (ValueError, IndexError) as error:
                raise MXNetError(
                    f"MXIndexedRecordIO: line {number} of {os.fspath(self.idx_path)!r} is "
                    f"{line[:80]!r}, expected a key, a tab and a position"
                ) from error
            yield key, position


def _record(content: bytes) -> bytes:
    """The bytes of a record in a file."""
    size = len(content)
    if size >= 1 << _LENGTH_BITS:
        raise MXNetError(f"MXRecordIO: a record of {size} bytes, expected less than 2^29")
    made = bytearray()
    begin, found = 0, content.find(_MAGIC)
    while found >= 0:
        if found % 4 == 0:
            made += _part(_MIDDLE if begin else _FIRST, content[begin:found])
            begin = found + 4
        found = content.find(_MAGIC, found + 1)
    made += _part(_LAST if begin else _WHOLE, content[begin:])
    return bytes(made + bytes(-size % 4))


def _part(kind: int, data: bytes) -> bytes:
    return _PART.pack(_MAGIC, kind << _LENGTH_BITS | len(data)) + data


def pack(header: Any, s: bytes) -> bytes:
    """A record's content: header, labels where they are several, then ``s``.

    ``header`` has the fields of :data:`IRHeader`; its flag becomes the number of labels, or 0
    where the label is a number.
    """
    header = IRHeader(*header)
    if isinstance(header.label, numbers.Number):
        header = header._replace(flag=0)
    else:
        label = np.asarray(header.label, dtype=np.float32)
        header = header._replace(flag=label.size, label=0)
        s = label.tobytes() + s
    return _HEADER.pack(*header) + s


def unpack(s: bytes) -> tuple[Any, bytes]:
    """Header and content of a record; the label is an array where ``flag`` is not 0."""
    if len(s) < _HEADER.size:
        raise MXNetError(
            f"unpack: a record of {len(s)} bytes, expected the {_HEADER.size} of its header"
        )
    header = IRHeader(*_HEADER.unpack_from(s))
    s = s[_HEADER.size :]
    if header.flag > 0:
        if header.flag * 4 > len(s):
            raise MXNetError(f"unpack: {header.flag} labels in a record of {len(s)} bytes more")
        header = header._replace(label=np.frombuffer(s, np.float32, header.flag))
        s = s[header.flag * 4 :]
    return header, s


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[Any, np.ndarray]:
    """Header and image of a record, of shape (height, width, channels), channels blue to red.

    ``iscolor`` is OpenCV's: -1 as stored, 0 grey, shape (height, width), 1 three channels.
    """
    header, content = unpack(s)
    return header, codec.decode(content, iscolor)


def pack_img(header: Any, img: np.ndarray, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """A record's content with an image, channels blue to red.

    ``quality`` is 1 to 100 for ".jpg", how much a ".png" is compressed, 0 to 9.
    """
    return pack(header, codec.encode(img, img_fmt, quality))
