"""Reads many changed files of a kind and measures each: ``child.py FOLDER KIND COUNT SEED [AT]``;
``child.py FOLDER KIND`` reads its bombs.

Prints one line of JSON. What is wrong with a file, its number, and that of a file that ended the
process stand in ``FOLDER/KIND-SEED.now``. With AT only that file is read.
"""

from __future__ import annotations

import faulthandler
import json
import random
import resource
import signal
import sys
import time
from pathlib import Path

import onnx

from tests.fuzz.bad_files import bombs, mutations, readers

# Then the process ends, with the place at which it hung: of the processor, and where it only waits.
HANGS_S, WAITS_S = 10, 600
FREE = 16 << 20


class Peak:
    """The most memory that was in use since :meth:`begin`, beyond what was in use then."""

    def __init__(self) -> None:
        try:
            Path("/proc/self/clear_refs").write_text("5")
            self._resets = True
        except OSError:  # then the highest of all files counts for each
            self._resets = False
        self._before = self._now()

    def _now(self, field: str = "VmRSS:") -> int:
        with open("/proc/self/status", "rb") as file:
            text = file.read()
        return 1024 * int(text.partition(field.encode())[2].split()[0])

    def begin(self) -> None:
        if self._resets:
            with open("/proc/self/clear_refs", "wb") as file:
                file.write(b"5")
            self._before = self._now()

    def grown(self) -> int:
        if self._resets:
            return self._now("VmHWM:") - self._before
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self._before


class Changes:
    """The changed files of a kind: the same ones for a seed."""

    def __init__(self, folder: Path, kind: str, seed: int):
        self._kind, self._seed = kind, seed
        self.good = [path.read_bytes() for path in sorted((folder / kind).iterdir())]
        self._models = []
        if kind == "onnx":
            self._models = [onnx.ModelProto.FromString(content) for content in self.good]

    def made(self, i: int) -> bytes:
        draw = random.Random(f"{self._seed}:{i}")
        which = draw.randrange(len(self.good))
        good, other = self.good[which], draw.choice(self.good)
        if i % 2 and self._kind == "symbol":
            return mutations.changed_json(good, draw)
        if i % 4 and self._kind == "onnx":
            return mutations.changed_message(self._models[which], draw)
        return mutations.changed_bytes(good, other, draw)


def read(path: Path, kind: str, content: bytes, peak: Peak) -> tuple[str, str, float]:
    """("read" or "refused", what is wrong, seconds of the processor) of a file."""
    path.write_bytes(content)
    outcome, wrong = "read", ""
    faulthandler.dump_traceback_later(WAITS_S, exit=True)
    signal.setitimer(signal.ITIMER_PROF, HANGS_S)
    peak.begin()
    start = time.process_time()  # what it takes, not what others do meanwhile
    try:
        readers.READERS[kind](path)
    except readers.REFUSED:
        outcome = "refused"
    except Exception as error:
        wrong = f"{type(error).__name__}: {str(error)[:300]}"
    seconds = time.process_time() - start
    grown = peak.grown()
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()
    if grown > 4 * len(content) + FREE:
        wrong += f" {grown >> 20} MiB for {len(content)} bytes"
    return outcome, wrong, seconds


def read_bombs(folder: Path, kind: str) -> None:
    """Reads the bombs of a kind and prints, a line of JSON each, what came of it."""
    place, peak = folder / "bombs" / kind, Peak()
    place.mkdir(parents=True)
    (place / "good.rec").write_bytes((folder / "rec" / "records").read_bytes())
    bombs.write_beside(place)
    for path in sorted((folder / kind).iterdir()):
        assert read(place / "bad", kind, path.read_bytes(), peak)[0] == "read"
    for name, content in bombs.KINDS[kind]():
        outcome, wrong, seconds = read(place / "bad", kind, content, peak)
        print(json.dumps([name, outcome, wrong, seconds]), flush=True)


def main(folder: Path, kind: str, count: int, seed: int, at: int | None = None) -> None:
    changes = Changes(folder, kind, seed)
    progress, bad = folder / f"{kind}-{seed}.now", folder / f"{kind}-{seed}.bad"
    if kind == "idx":
        (folder / "good.rec").write_bytes((folder / "rec" / "records").read_bytes())
    peak = Peak()
    for content in changes.good:  # libraries come into memory when they are used
        assert read(bad, kind, content, peak)[0] == "read"
    told = {"read": 0, "refused": 0, "slowest_s": 0.0, "wrong": []}
    with progress.open("w") as file:
        for i in range(count) if at is None else [at]:
            file.seek(0)
            file.write(f"{i}\n")
            file.flush()
            outcome, wrong, seconds = read(bad, kind, changes.made(i), peak)
            told[outcome] += 1
            told["slowest_s"] = max(told["slowest_s"], seconds)
            if wrong:
                told["wrong"].append(f"{kind} {seed} {i}: {wrong}")
    print(json.dumps({**told, "wrong": told["wrong"][:20]}))


if __name__ == "__main__":
    faulthandler.register(signal.SIGPROF, chain=True)  # tells where, then ends the process
    if len(sys.argv) == 3:
        read_bombs(Path(sys.argv[1]), sys.argv[2])
    else:
        main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
