"""The folders of csrc stand in layers: a file includes from its own folder and from those below.

`python tools/include_layers.py [folder]` prints each include against that order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# From the ground up: the one place that says which folder may include which.
LAYERS = (
    "core",
    "engine",
    "model",
    "kernels",
    "ops",
    "graph",
    "plan",
    "launch",
    "symbol",
    "passes",
    "program",
    "control",
    "array",
    "tape",
    "trace",
    "call",
    "files",
    "units",
    "cuda",
    "capi",
    "bind",
)
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


class Include(NamedTuple):
    path: Path
    line: int
    folder: str
    included: str  # as written
    target: str  # its folder

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: {self.folder} includes "{self.included}"'


def includes(root: Path) -> Iterator[Include]:
    """What the files of one folder of `root` include of another one."""
    for path in sorted(root.rglob("*")):
        if path.suffix not in {".cc", ".h", ".inc", ".c"}:
            continue
        folder = path.relative_to(root).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found or not (root / found[1]).is_file():
                continue  # a system's header, or one beside the file
            target = found[1].split("/")[0]
            if target != folder:
                yield Include(path, number, folder, found[1], target)


def violations(root: Path, layers: tuple[str, ...]) -> list[str]:
    """What is not as the layers say, in words."""
    folders = {path.name for path in root.iterdir() if path.is_dir()}
    wrong = [f"{root / name}: not among the layers" for name in sorted(folders - set(layers))]
    wrong += [f"layers: {name} is no folder of {root}" for name in layers if name not in folders]
    height = {name: at for at, name in enumerate(layers)}
    for include in includes(root):
        if include.folder in height and height.get(include.target, -1) > height[include.folder]:
            wrong.append(f"{include}, which is above it")
    return wrong


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1] / "csrc"
    wrong = violations(root, LAYERS)
    print("\n".join(wrong) or f"{len(LAYERS)} layers, no include against their order")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
