"""What image files claim to hold, and whether their bytes can hold that.

Each kind of file has a limit: how many bytes of pixels one of its bytes can stand for. 1032 is
Deflate's (zlib's technical notes). A JPEG has at least one bit for each block of 8 x 8 pixels. LZW
gives at most 4096 pixels for a code of 12 bits.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from .._core import MXNetError, jpeg_is_whole

__all__ = ["check"]

_DEFLATE = 1032
_PER_BYTE = {"JPEG": 512, "GIF": 2731, "WebP": 4096, "TIFF": 8 * _DEFLATE}  # pixels
_RLE_PIXELS = 128
_LARGE = 1 << 27  # pixels; what claims more has a byte for each 64 of them
_LARGE_PER_BYTE = 64
_JPEG_PER_BYTE = 8  # pixels: of photographs; what is smoother is looked at
_FREE = 8 << 20  # what may be decoded without a closer look, beside four times the file
_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of PNG's colour types
_NO_SIZE = frozenset((0xC4, 0xC8, 0xCC))  # JPEG markers between the frame headers' that are none


def check(data: memoryview) -> None:
    """Raises MXNetError where a file claims more pixels than its bytes can hold.

    And where it is of a kind that isn't known here, or ends inside its header.
    """
    head = bytes(data[:16])
    try:
        if head.startswith(_PNG):
            _check_png(data)
        elif head.startswith(b"\xff\xd8"):
            _check_jpeg(data)
        elif head.startswith(b"BM"):
            _check_bmp(data)
        elif head.startswith((b"GIF87a", b"GIF89a")):
            _limit(data, "GIF", *struct.unpack_from("<HH", data, 6))
        elif head.startswith(b"RIFF") and head[8:12] == b"WEBP":
            _limit(data, "WebP", *_webp_size(data))
        elif head.startswith((b"II*\0", b"MM\0*")):
            _limit(data, "TIFF", *_tiff_size(data))
        elif head[:1] == b"P" and head[1:2] in b"123456":
            _check_pnm(data)
        else:
            raise MXNetError(
                f"imdecode: {len(data)} bytes that begin with {head[:8].hex()}, expected a JPEG, "
                "PNG, BMP, GIF, WebP, TIFF or PNM file"
            )
    except (struct.error, IndexError, ValueError, zlib.error) as error:
        raise MXNetError("imdecode: the image's header is broken or cut off") from error


def _limit(data: memoryview, kind: str, width: int, height: int) -> None:
    _limit_pixels(data, kind, width, height)
    if width * height > _PER_BYTE[kind] * len(data):
        raise _too_large(kind, width, height, data)


def _limit_pixels(data: memoryview, kind: str, width: int, height: int) -> None:
    """Valid or not: gigabytes of one colour are no image that somebody reads."""
    if width * height > max(_LARGE, _LARGE_PER_BYTE * len(data)):
        raise _too_large(kind, width, height, data)


def _too_large(kind: str, width: int, height: int, data: memoryview) -> MXNetError:
    return MXNetError(
        f"imdecode: a {kind} file of {len(data)} bytes claims {width} x {height} pixels, which "
        "so few bytes can't hold"
    )


def _check_jpeg(data: memoryview) -> None:
    width, height = _jpeg_size(data)
    _limit(data, "JPEG", width, height)
    # What is not there would be filled with grey, and an image of the claimed size made.
    smooth = width * height > _JPEG_PER_BYTE * len(data)
    if smooth and 3 * width * height > 4 * len(data) + _FREE and not jpeg_is_whole(data):
        raise MXNetError("imdecode: a JPEG file whose pixels are cut off")


def _check_png(data: memoryview) -> None:
    # OpenCV takes as much memory as a chunk's length says, whatever the file's.
    chunks = list(_png_chunks(data))
    width, height, depth, colour = struct.unpack_from(">IIBB", data, 16)
    frames = [struct.unpack_from(">II", body, 4) for kind, body in chunks if kind == b"fcTL"]
    if chunks[0][0] != b"IHDR" or any(w > width or h > height for w, h in frames):
        raise ValueError("no header, or an animation beyond it")
    _limit_pixels(data, "PNG", width, height)
    needed = height * (1 + (width * depth * _CHANNELS.get(colour, 4) + 7) // 8)
    if width == 0 or needed > _DEFLATE * len(data):
        raise _too_large("PNG", width, height, data)
    # Only what unpacks far: a file that is cut off or changed would take its claim all the same.
    if needed > 4 * len(data) + _FREE and _unpacked_size(chunks, needed) < needed:
        raise MXNetError("imdecode: a PNG file whose pixels are cut off")


def _png_chunks(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Kind and content of each chunk up to the last. Raises ValueError where one is broken."""
    at, kind = 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if end + 4 > len(data) or (kind == b"IHDR") != (at == 8):
            raise ValueError("a chunk is cut off, or a second header")
        yield kind, data[at + 8 : end]
        at = end + 4


def _unpacked_size(chunks: list[tuple[bytes, memoryview]], most: int) -> int:
    inflate = zlib.decompressobj()
    size = 0
    for kind, body in chunks:
        rest: Any = body if kind == b"IDAT" else b""
        while len(rest) and size < most and not inflate.eof:
            size += len(inflate.decompress(rest, 1 << 20))
            rest = inflate.unconsumed_tail
    return size


def _jpeg_size(data: memoryview) -> tuple[int, int]:
    at = 2
    while True:
        while data[at] != 0xFF:
            at += 1
        while data[at] == 0xFF:
            at += 1
        marker = data[at]
        at += 1
        if 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", data, at + 3)
            return width, height
        if marker == 0 or marker == 1 or 0xD0 <= marker <= 0xD9:
            continue  # these have no length
        at += struct.unpack_from(">H", data, at)[0]


def _check_bmp(data: memoryview) -> None:
    (size,) = struct.unpack_from("<I", data, 14)
    if size == 12:  # OS/2's
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
        packed = 0
    else:
        width, height, _, bits, packed = struct.unpack_from("<iiHHI", data, 18)
    width, height = abs(width), abs(height)
    most = _RLE_PIXELS * len(data) * 8 if packed in (1, 2) else 8 * len(data)
    _limit_pixels(data, "BMP", width, height)
    if (width * bits + 31) // 32 * 32 * height > most:
        raise _too_large("BMP", width, height, data)


def _webp_size(data: memoryview) -> tuple[int, int]:
    kind = bytes(data[12:16])
    if kind == b"VP8X":
        low, high = bytes(data[24:27]), bytes(data[27:30])
        if len(high) < 3:
            raise ValueError("cut off")
        return int.from_bytes(low, "little") + 1, int.from_bytes(high, "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _tiff_size(data: memoryview) -> tuple[int, int]:
    order = "<" if data[0] == ord("I") else ">"
    width = height = 0
    (at,) = struct.unpack_from(order + "I", data, 4)
    while at:  # every directory: a decoder may want any of them
        (count,) = struct.unpack_from(order + "H", data, at)
        for i in range(count):
            tag, kind = struct.unpack_from(order + "HH", data, at + 2 + 12 * i)
            number = "H" if kind == 3 else "I"
            (value,) = struct.unpack_from(order + number, data, at + 10 + 12 * i)
            if tag == 256:
                width = max(width, value)
            elif tag == 257:
                height = max(height, value)
        before, (at,) = at, struct.unpack_from(order + "I", data, at + 2 + 12 * count)
        if at and at <= before:
            raise ValueError("directories in a circle")
    return width, height


def _check_pnm(data: memoryview) -> None:
    numbers: list[int] = []
    text = bytes(data[2 : 2 + 4096])
    lines = (line.partition(b"#")[0] for line in text.split(b"\n"))
    for word in b" ".join(lines).split():
        numbers.append(int(word))
        if len(numbers) == 2:
            break
    width, height = numbers[0], numbers[1]
    _limit_pixels(data, "PNM", width, height)
    bits = 1 if data[1] == ord("4") else 8  # at least, a pixel
    if width * height * bits > 8 * len(data):
        raise _too_large("PNM", width, height, data)
