"""Bad files of models, records and images: refused or read, in little memory and time.

5,000 changed files in the short tier, 200,000 in the long one, and hand-made bombs; each is read in
a child process that measures its own peak of memory (``bad_files/child.py``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.bad_files import good_files

pytestmark = pytest.mark.timeout(3600)

_LONG = os.environ.get("HYBRID_HYPOTHESIS") == "long"
#: Kind -> changed files in the short tier; the long one has 40 times as many.
COUNTS = {"params": 1100, "symbol": 1200, "rec": 500, "idx": 300, "image": 800, "onnx": 1100}
TIMES = 40
#: Bombs that are valid: what they claim is made only when somebody computes it.
VALID = {
    "symbol": {"nodes that no head needs", "shapes", "a declared shape"},
    "image": {"a text of 256 MiB in a .png", "a profile of 256 MiB in a .png"},
    "onnx": {
        *("external data in 'data'", "a text of megabytes"),
        *("Tile by 2 numbers", "Expand by 4 numbers", "Pad by 4 numbers"),
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("bad_files")
    good_files.write(made)
    return made


def child(root: Path, folder: Path, *words: object) -> list[str]:
    """The lines that a child prints; decoders' own complaints go to a file."""
    log = folder / ("-".join(map(str, words)) + ".log")
    command = [sys.executable, "-m", "tests.fuzz.bad_files.child", str(folder), *map(str, words)]
    with log.open("wb") as errors:
        done = subprocess.run(
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "OPENCV_LOG_LEVEL": "OFF"},
        )
    now = folder / f"{words[0]}-{words[-1]}.now"
    last = now.read_text().strip() if now.exists() else "the first"
    text = log.read_text(errors="replace")[-3000:]
    assert done.returncode == 0, f"{done.returncode} at {last} of {words}: {done.stdout}{text}"
    return done.stdout.splitlines()


def read_changed(root: Path, folder: Path, kind: str, count: int, seed: int) -> None:
    (line,) = child(root, folder, kind, count, seed)
    told = json.loads(line)
    assert not told["wrong"], "\n".join(told["wrong"])
    assert told["read"] + told["refused"] == count
    assert told["read"] > count // 50 and told["refused"] > count // 3
    print(f"{kind}: {told['read']} read, {told['refused']} refused, {told['slowest_s']:.2f} s")


@pytest.mark.parametrize("kind", COUNTS)
def test_changed_files(kind, root, folder):
    for seed in range(TIMES if _LONG else 1):
        read_changed(root, folder, kind, COUNTS[kind], seed)


@pytest.mark.parametrize("kind", COUNTS)
def test_bombs(kind, root, folder):
    rows = [json.loads(line) for line in child(root, folder, kind)]
    assert not [row for row in rows if row[2]]
    assert {name for name, outcome, *_ in rows if outcome == "read"} == VALID.get(kind, set())
    assert max(seconds for *_, seconds in rows) < 10
