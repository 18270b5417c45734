"""What the build promises: no instruction set leaks, libraries found, the extension installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import jupyter_hybrid._core


def output(*command: object, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def shared_definitions(objects: list[Path]) -> set[str]:
    """Symbols that a linker takes from whichever object defines them first: inline functions."""
    lines = output("nm", "--defined-only", *objects).splitlines() if objects else []
    return {line.split()[-1] for line in lines if re.search(r" [WVu] ", line)}


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_avx_files_share_no_inline_function_with_others(root: Path, isa: str) -> None:
    """Else a machine without AVX2 may be handed the AVX2 copy of, say, a std::vector member."""
    objects = sorted((root / "build" / "editable" / "CMakeFiles").rglob("csrc/**/*.cc.o"))
    avx = [path for path in objects if path.name.endswith(f"_{isa}.cc.o")]
    assert avx, f"the {isa} objects are not where the build puts them"
    plain = [path for path in objects if path not in avx]
    assert not shared_definitions(avx) & shared_definitions(plain)


def test_core_finds_its_blas_beside_itself() -> None:
    text = output("readelf", "-d", jupyter_hybrid._core.__file__)
    assert "$ORIGIN/../scipy_openblas32/lib" in text
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", text))
    allowed = r"libscipy_openblas\.so|libstdc\+\+|libgcc_s|libc\.|libm\.|ld-linux|libpthread|libdl"
    assert not [name for name in needed if not re.match(allowed, name)]


def test_no_fast_math_start_up_code(root: Path) -> None:
    """-ffast-math at link time would flush denormals to zero in the whole process."""
    code = "import numpy as n, jupyter_hybrid; assert n.float32(1e-40) * n.float32(0.5) > 0"
    output(sys.executable, "-c", code)
    assert "-ffast-math" not in (root / "build" / "editable" / "build.ninja").read_text()


def test_jupyterlab_knows_the_extension(root: Path) -> None:
    jupyter = Path(sysconfig.get_path("scripts")) / "jupyter"
    text = output(jupyter, "labextension", "list", cwd=root)
    line = next((line for line in text.splitlines() if "jupyter-hybrid" in line), "")
    assert "enabled" in line and "OK" in line, text


@pytest.mark.slow
@pytest.mark.timeout(0)  # a whole build, as long as the machine takes
def test_source_distribution_installs_without_node(root: Path, tmp_path: Path) -> None:
    """The sdist carries the assets; its wheel is a working extension, and runs models elsewhere."""
    code = (
        "import sys; sys.path.insert(0, 'tools'); import backend; backend.build_sdist(sys.argv[1])"
    )
    output(sys.executable, "-c", code, tmp_path, cwd=root)
    sdist = next(tmp_path.glob("*.tar.gz"))
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[-1] for name in archive.getnames()]
    assert {
        "jupyter_hybrid/labextension/package.json",
        "jupyter_hybrid/labextension/notebooks/index.json",
        "jupyter_hybrid/static/graph.js",
        "csrc/capi/hybrid.h",
        "csrc/capi/example.c",
    } <= set(names)
    assert not [
        name for name in names if "node_modules" in name or name.startswith((".venv", "build/"))
    ]

    output(sys.executable, "-m", "venv", tmp_path / "env")
    scripts = tmp_path / "env" / "bin"
    output(scripts / "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path / "wheels", sdist)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    parts = ("bin/hybrid-run", "lib/libhybrid.so", "include/hybrid.h", "example/example.c")
    assert {f"jupyter_hybrid/{part}" for part in parts} <= set(modes)
    assert [name for name in modes if name.endswith("jupyter-hybrid/notebooks/00_tour.ipynb")]
    assert modes["jupyter_hybrid/bin/hybrid-run"] & 0o111
    output(scripts / "pip", "install", "--quiet", wheel)

    environment = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    done = subprocess.run(
        [scripts / "jupyter", "labextension", "list"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert re.search(
        r"jupyter-hybrid v.*enabled.*OK.*python, jupyter_hybrid", done.stderr + done.stdout
    )
    output(scripts / "python", "-c", "import jupyter_hybrid._core", cwd=tmp_path)
    start = root / "tests" / "data" / "mxnet" / "lenet"
    model = (f"{start}-symbol.json", f"{start}-0000.params", f"{start}-input.npy")
    assert "float32 (4, 10)" in output(scripts / "hybrid-run", *model, cwd=tmp_path)
    output(scripts / "python", "-m", "jupyter_hybrid.native", tmp_path / "made", cwd=tmp_path)

    # Elsewhere: the folder has moved, the environment is gone.
    copy = (tmp_path / "made").rename(tmp_path / "copy")
    (tmp_path / "env").rename(tmp_path / "gone")
    assert "float32 (4, 10)" in output(copy / "bin" / "hybrid-run", *model)
    command = ["cc", "-std=c99", copy / "example.c", "-I", copy / "include", "-L", copy / "lib"]
    output(*command, "-lhybrid", f"-Wl,-rpath,{copy}/lib", "-o", copy / "example")
    given, expected = np.load(model[2]), np.load(f"{start}-output.npy")
    given.tofile(tmp_path / "input.bin")
    text = output(copy / "example", *model[:2], tmp_path / "input.bin", *given.shape)
    found = np.array(text.split(":")[1].split(), np.float32).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
