"""Changed RecordIO and image files, read in a process of its own: ``bad_files.py COUNT SEED``.

Prints how many were read, how many refused, and by how many bytes the process has grown at most.
"""

from __future__ import annotations

import contextlib
import faulthandler
import random
import resource
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

from jupyter_hybrid import MXNetError, recordio
from jupyter_hybrid.image_files import codec

WAITS_S = 10  # then the process ends, with the place at which it hung
NUMBERS = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 50_000, 1 << 28)


def images() -> dict[str, bytes]:
    """A valid file of each kind."""
    rng = np.random.RandomState(0)
    picture = np.kron(rng.randint(0, 255, (8, 10, 3)), np.ones((6, 6, 1))).astype(np.uint8)
    made = {kind: codec.encode(picture, kind, 90) for kind in (".jpg", ".png", ".bmp")}
    for kind in (".webp", ".tiff", ".ppm", ".pgm"):
        grey = picture[:, :, 0] if kind == ".pgm" else picture
        made[kind] = codec.encode(grey, kind, 90)
    return made


def records(folder: Path) -> bytes:
    writer = recordio.MXRecordIO(folder / "good.rec", "w")
    for i in range(8):
        content = bytes(range(i * 20)) + struct.pack("<I", 0xCED7230A) * (i % 3)
        writer.write(recordio.pack((0, [i] * i, i, 0), content))
    writer.close()
    return (folder / "good.rec").read_bytes()


def changed(good: bytes, draw: random.Random) -> bytes:
    """One to four changes: a byte, a number, a piece that is lost, doubled or cut off."""
    made = bytearray(good)
    for _ in range(draw.randint(1, 4)):
        at = (
            draw.randrange(len(made)) if draw.random() < 0.5 else draw.randrange(min(64, len(made)))
        )
        how = draw.randrange(5)
        if how == 0:
            made[at] = draw.randrange(256)
        elif how == 1:
            form = draw.choice((">I", "<I", ">H", "<H"))
            number = draw.choice(NUMBERS) & (0xFFFFFFFF if form[1] == "I" else 0xFFFF)
            piece = struct.pack(form, number)
            made[at : at + len(piece)] = piece
        elif how == 2:
            del made[at : at + draw.randint(1, 40)]
        elif how == 3:
            made[at:at] = made[at : at + draw.randint(1, 40)]
        else:
            del made[max(at, 4) :]
        made = made or bytearray(b"\0")
    return bytes(made)


def read_records(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    reader = recordio.MXRecordIO(path, "r")
    while (record := reader.read()) is not None:
        recordio.unpack(record)


def main(count: int, seed: int) -> None:
    draw = random.Random(seed)
    outcomes = {"read": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good = images()
        for content in good.values():  # OpenCV's own code comes into memory when it is used
            codec.decode(content)
            for cut in (26, 30, len(content) // 2):
                with contextlib.suppress(MXNetError):
                    codec.decode(content[:cut])
        rows = records(folder)
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for i in range(count):
            faulthandler.dump_traceback_later(WAITS_S, exit=True)
            try:
                if i % 2:
                    read_records(folder / "bad.rec", changed(rows, draw))
                else:
                    codec.decode(changed(draw.choice(list(good.values())), draw), i // 2 % 3 - 1)
                outcomes["read"] += 1
            except MXNetError:
                outcomes["refused"] += 1
            faulthandler.cancel_dump_traceback_later()
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start)
    print(outcomes["read"], outcomes["refused"], grown, max(len(f) for f in (*good.values(), rows)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
