"""``hybrid-run`` and the C API: exported models without Python give Python's bits."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import autograd, gluon, init, native, nd, sym
from jupyter_hybrid import random as hybrid_random
from jupyter_hybrid.gluon import nn

RNG = np.random.default_rng(5)


def hybrid_run(*words: object, program: str | None = None, status: int = 0) -> str:
    """What it prints, on both streams; its exit status is checked."""
    command = [program or native.program(), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    assert (status == 0) == (done.stderr == ""), done.stderr
    return done.stdout + done.stderr


def cnn():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(8, kernel_size=3, padding=1, activation="relu"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Conv2D(12, kernel_size=3, strides=2, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("tanh"),
        nn.AvgPool2D(pool_size=2, strides=1),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Dense(20, activation="sigmoid"),
        nn.Dense(10),
    )
    return net


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small CNN after three steps of training: (symbol file, parameter file, input, output)."""
    folder = tmp_path_factory.mktemp("model")
    net = cnn()
    net.initialize(init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    x = RNG.normal(size=(4, 3, 16, 16)).astype(np.float32)
    for _ in range(3):
        with autograd.record():
            value = loss(net(nd.array(x)), nd.array([1, 2, 3, 4]))
        value.backward()
        trainer.step(4)
    net.hybridize()
    y = net(nd.array(x)).asnumpy()
    symbol, params = net.export(str(folder / "cnn"))
    np.save(folder / "x.npy", x)
    return symbol, params, str(folder / "x.npy"), y


# What it is ---------------------------------------------------------------------------------------
def libraries(path: str) -> dict[str, str]:
    """The shared libraries that a program would load, and from where."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    assert "not found" not in text, text
    return dict(re.findall(r"^\s*(\S+) => (\S+)", text, re.MULTILINE))


def test_it_needs_no_python_and_brings_its_own_cpp_library():
    found = set(libraries(native.program()))
    assert "libhybrid.so" in found and "libscipy_openblas.so" in found
    known = r"libhybrid\.so|libscipy_openblas\.so|lib(c|m|dl|pthread|rt)\.so\.\d+$"
    assert not [name for name in found if not re.match(known, name)], found


def test_the_library_shows_the_c_functions_alone(root):
    library = str(Path(native.get_library()) / "libhybrid.so")
    text = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    names = {line.split()[-1] for line in text.splitlines()}
    header = (Path(native.get_include()) / "hybrid.h").read_text()
    declared = set(re.findall(r"HYBRID_API [^;]*?(hybrid_\w+)\(", header))
    assert len(declared) > 15
    assert names == declared
    assert header == (root / "csrc" / "capi" / "hybrid.h").read_text()


# Right answers ------------------------------------------------------------------------------------
def test_a_trained_net_gives_pythons_bits(model, tmp_path):
    symbol, params, x, y = model
    assert hybrid_run(symbol, params, x, "-o", tmp_path / "y.npy") == ""
    found = np.load(tmp_path / "y.npy")
    assert found.dtype == y.dtype
    np.testing.assert_array_equal(found, y)


def test_onnxruntime_agrees(model, tmp_path):
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from jupyter_hybrid.compat.onnx import export_model

    symbol, params, x, _ = model
    block = gluon.SymbolBlock.imports(symbol, "data", params)
    path = str(tmp_path / "cnn.onnx")
    export_model(block, inputs=nd.array(np.load(x)), onnx_file_path=path)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    (theirs,) = session.run(None, {session.get_inputs()[0].name: np.load(x)})
    hybrid_run(symbol, params, x, "-o", tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["lenet", "my_mlp"])
def test_files_of_genuine_mxnet(name, data, tmp_path):
    start = data / "mxnet" / name
    y = tmp_path / "y.npy"
    hybrid_run(f"{start}-symbol.json", f"{start}-0000.params", f"{start}-input.npy", "-o", y)
    expected = np.load(f"{start}-output.npy")
    np.testing.assert_allclose(np.load(y), expected, rtol=1e-5, atol=1e-5)


def two_in_two_out(folder: Path) -> tuple[str, dict[str, np.ndarray], list[np.ndarray]]:
    a, b = sym.var("a"), sym.var("b")
    outputs = sym.Group([sym.dot(a, b, name="product"), sym.sum(b, axis=0, name="total")])
    outputs.save(str(folder / "two-symbol.json"))
    arrays = {
        "a": RNG.normal(size=(3, 4)).astype(np.float32),
        "b": RNG.normal(size=(4, 5)).astype(np.float32),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    found = outputs.eval(**{n: nd.array(v) for n, v in arrays.items()})
    return str(folder / "two-symbol.json"), arrays, [o.asnumpy() for o in found]


def test_inputs_by_name_and_outputs_by_number_or_name(tmp_path):
    symbol, _, (product, total) = two_in_two_out(tmp_path)
    inputs = [f"b={tmp_path}/b.npy", f"a={tmp_path}/a.npy"]
    hybrid_run(symbol, *inputs, "-o", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out-0.npy"), product)
    np.testing.assert_array_equal(np.load(tmp_path / "out-1.npy"), total)
    hybrid_run(symbol, *inputs, "-o", f"total_output={tmp_path}/total.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "total.npy"), total)
    text = hybrid_run(symbol, *inputs)
    assert "product_output: float32 (3, 5): " in text and "total_output: float32 (5,): " in text
    shown = text.splitlines()[1].split(": ")[2].split()
    np.testing.assert_array_equal(np.array(shown, np.float32), total)


def test_names_may_hold_what_separates_words(tmp_path):
    a, b = sym.var("left side"), sym.var("b=c/d")
    both = [sym.broadcast_add(a, b, name="the sum"), sym.broadcast_mul(a, b, name="x/y=")]
    sym.Group(both).save(str(tmp_path / "net-symbol.json"))
    x, y = np.float32([[1, 2], [3, 4]]), np.array(10, np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    words = [tmp_path / "net-symbol.json", f"left side={tmp_path}/x.npy"]
    text = hybrid_run(*words, status=1)
    assert "input 'b=c/d' (float32 of any shape) has no value: give b=c/d=FILE.npy" in text
    words.append(f"b=c/d={tmp_path}/y.npy")
    outputs = ["-o", f"the sum_output={tmp_path}/sum.npy", "-o", f"x/y=_output={tmp_path}/xy.npy"]
    hybrid_run(*words, *outputs)
    np.testing.assert_array_equal(np.load(tmp_path / "sum.npy"), x + y)
    np.testing.assert_array_equal(np.load(tmp_path / "xy.npy"), x * y)
    text = hybrid_run(words[0], "--shapes", "left side=2x3,b=c/d=3", "--describe", "--time", 1)
    assert "input   b=c/d: float32 (3,)" in text


def test_orders_versions_and_dtypes_of_npy(tmp_path):
    symbol, arrays, (product, _) = two_in_two_out(tmp_path)
    with open(tmp_path / "b.npy", "wb") as file:
        np.lib.format.write_array(file, np.asfortranarray(arrays["b"]), version=(2, 0))
    inputs = [f"a={tmp_path}/a.npy", f"b={tmp_path}/b.npy"]
    hybrid_run(symbol, *inputs, "-o", tmp_path / "f.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "f-0.npy"), product)
    for name in "ab":  # nothing decides the dtype here: the files do
        np.save(tmp_path / f"{name}.npy", (10 * arrays[name]).astype(np.float64))
    hybrid_run(symbol, *inputs, "-o", tmp_path / "d.npy")
    found = np.load(tmp_path / "d-0.npy")
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, 100 * product, rtol=1e-5)


def test_float64_files_are_rounded_when_asked(model, tmp_path):
    symbol, params, x, y = model
    np.save(tmp_path / "x.npy", np.load(x).astype(np.float64))
    text = hybrid_run(symbol, params, tmp_path / "x.npy", status=1)
    assert "is float64, input 'data' is float32" in text and "--cast" in text
    hybrid_run(symbol, params, tmp_path / "x.npy", "--cast", "-o", tmp_path / "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), y)


def test_random_operators_draw_as_python_does(tmp_path):
    noisy = sym.random.normal(0, 1, shape=(50,)) + sym.var("data")
    noisy.save(str(tmp_path / "noise-symbol.json"))
    np.save(tmp_path / "x.npy", np.zeros(50, np.float32))
    hybrid_run(
        tmp_path / "noise-symbol.json", tmp_path / "x.npy", "--seed", 3, "-o", tmp_path / "y.npy"
    )
    hybrid_random.seed(3)
    expected = noisy.eval(data=nd.zeros(50))[0].asnumpy()
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), expected)


def test_labels_need_no_file(tmp_path):
    net = sym.SoftmaxOutput(sym.var("data"), name="softmax")
    net.save(str(tmp_path / "net-symbol.json"))
    np.save(tmp_path / "x.npy", np.zeros((2, 4), np.float32))
    hybrid_run(tmp_path / "net-symbol.json", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.full((2, 4), 0.25))
    text = hybrid_run(tmp_path / "net-symbol.json", "--describe")
    assert "input   softmax_label: any dtype of any shape, not needed" in text


# What it says -------------------------------------------------------------------------------------
def test_the_plan_is_pythons(model):
    symbol, params, x, _ = model
    text = hybrid_run(symbol, params, x, "--plan", "--time", 3)
    rows = dict(re.findall(r"^(\w+) +([\d.]+)", text, re.MULTILINE))
    block = gluon.SymbolBlock.imports(symbol, "data", params)
    block.hybridize()
    block(nd.array(np.load(x)))
    plan = block._cached.graph.report().program.plan
    assert int(rows["planned"]) == plan.planned_bytes
    assert int(rows["unplanned"]) == plan.imperative_bytes
    assert int(rows["arena"]) == plan.arena_bytes
    assert int(rows["parameters"]) == sum(
        4 * p.data().size for p in block.collect_params().values()
    )
    assert int(rows["kernels"]) > 5
    assert float(rows["median"]) > 0


def test_shapes_stand_for_files(model):
    symbol, params, _, _ = model
    text = hybrid_run(symbol, params, "--shapes", "2x3x16x16", "--describe", "--time=1")
    assert "input   data: float32 (2, 3, 16, 16)" in text
    assert re.search(r"output  \w+: float32 \(2, 10\)", text)
    assert "median" in text
    text = hybrid_run(symbol, params, "--describe")
    assert "input   data: float32" in text


def test_help_and_version():
    assert "usage: hybrid-run" in hybrid_run("--help")
    assert re.fullmatch(r"hybrid-run \d+\.\d+\.\d+\n", hybrid_run("--version"))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no model was given"),
        (["{symbol}", "--what"], "unknown option '--what'"),
        (["{symbol}", "-o"], "-o needs a value"),
        (["{symbol}", "--time", "0"], "--time: expected a whole number"),
        (["{symbol}", "--time", "many"], "given 'many'"),
        (["{symbol}", "--shapes", "1xx3"], "--shapes: expected a whole number"),
        (["{symbol}", "--shapes", "x".join("1" * 9)], "at most 8 dimensions"),
        (["{symbol}", "--plan=yes"], "--plan takes no value"),
        (["{symbol}", "{params}", "{params}"], "two .params files"),
    ],
)
def test_wrong_use_is_status_2(model, words, why):
    symbol, params, _, _ = model
    words = [w.format(symbol=symbol, params=params) for w in words]
    assert why in hybrid_run(*words, status=2)


def test_what_is_refused_is_status_1_with_a_reason(model, tmp_path):
    symbol, params, x, _ = model

    def written(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    def refused(*words: object) -> str:
        return hybrid_run(*words, status=1)

    weights, text = Path(params).read_bytes(), Path(symbol).read_bytes()
    assert "no/such.json: No such file" in refused("no/such.json")
    assert "no.params: No such file" in refused(symbol, "no.params", x)
    assert "no.npy: No such file" in refused(symbol, params, "no.npy")
    for cut in (0, 7, 100, len(weights) - 5):
        bad = written("bad.params", weights[:cut])
        assert str(bad) in refused(symbol, bad, x)
    bad = written("cut.json", text[: len(text) // 2])
    assert str(bad) in refused(bad, params, x)
    bad = written("op.json", text.replace(b'"Convolution"', b'"Convolvement"', 1))
    assert "unknown operator 'Convolvement'" in refused(bad, params, x)
    # Without parameters everything is an input.
    assert "is the .params file missing?" in refused(symbol, x)
    assert "_weight' (float32 (8, 3, 3, 3)) has no value" in refused(symbol, f"data={x}")

    good = Path(x).read_bytes()
    for cut in (0, 5, 11, 60, len(good) - 1):
        bad = written("bad.npy", good[:cut])
        assert f"{bad}: npy: " in refused(symbol, params, bad)
    huge = good.replace(b"(4, 3, 16, 16)", b"(4444444, 9, )", 1)
    assert "needs 159999984 bytes, the file has 12288" in refused(
        symbol, params, written("huge.npy", huge)
    )
    np.save(tmp_path / "shape.npy", np.zeros((4, 3), np.float32))
    assert "Convolution" in refused(symbol, params, tmp_path / "shape.npy")
    np.save(tmp_path / "object.npy", np.array([{}]), allow_pickle=True)
    assert "Python objects" in refused(symbol, params, tmp_path / "object.npy")
    np.save(tmp_path / "big.npy", np.zeros((4, 3, 16, 16), ">f4"))
    assert "big-endian" in refused(symbol, params, tmp_path / "big.npy")
    assert "there is no input 'date'; the inputs are data" in refused(symbol, params, f"date={x}")
    assert "given twice" in refused(symbol, params, x, x)
    assert "there is no output 'y'" in refused(symbol, params, x, "-o", f"y={tmp_path}/y.npy")
    assert "no/y.npy: No such file" in refused(symbol, params, x, "-o", "no/y.npy")
    huge = refused(symbol, params, "--shapes", "1000000000000x3x16x16", "--time", "1")
    assert "input 'data'" in huge and "takes 3072000000000000 bytes: out of memory" in huge


def test_damaged_files_never_crash_it(model, tmp_path):
    """Status 0 or 1 and a reason, whatever the bytes are."""
    symbol, params, x, _ = model
    contents = {Path(p).name: Path(p).read_bytes() for p in (symbol, params, x)}
    rng = np.random.default_rng(1)
    statuses = []
    for i in range(150):
        name = list(contents)[i % 3]
        damaged = bytearray(contents[name])
        span = len(damaged) if name.endswith("json") else min(len(damaged), 300)
        for at in rng.integers(0, span, 1 + i % 3):
            if i % 5 == 0:
                del damaged[at : at + 9]
            else:
                damaged[at] = rng.choice(list(b"0123456789,()[]{}\"'\xff\x00A"))
        files = [tmp_path / n for n in contents]
        for file in files:
            file.write_bytes(damaged if file.name == name else contents[file.name])
        done = subprocess.run(
            [native.program(), *map(str, files)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode in (0, 1), (name, bytes(damaged[:300]), done.stderr)
        assert (done.returncode == 0) == (done.stderr == "")
        statuses.append(done.returncode)
    assert 20 < sum(statuses) < 150


# The C API ----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def example(tmp_path_factory) -> str:
    """The example, compiled as its first lines say, against a copy of the library."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    assert compiler, "a C compiler is missing: apt-get install gcc"
    folder = tmp_path_factory.mktemp("example")
    native.copy_to(folder)
    program = str(folder / "example")
    command = [compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    command += [f"{folder}/example.c", "-I", f"{folder}/include"]
    command += ["-L", f"{folder}/lib", "-lhybrid", f"-Wl,-rpath,{folder}/lib", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def test_the_c_example_gives_the_same_bits(model, example, tmp_path):
    symbol, params, x, y = model
    Path(tmp_path / "x.bin").write_bytes(np.load(x).tobytes())
    text = hybrid_run(symbol, params, tmp_path / "x.bin", 4, 3, 16, 16, program=example)
    name, numbers = text.strip().split(":")
    assert name.endswith("_output") or name.endswith("_fwd")
    np.testing.assert_array_equal(np.array(numbers.split(), np.float32).reshape(y.shape), y)
    assert "libstdc++.so.6" not in libraries(example)
    text = hybrid_run("no.json", params, "x.bin", program=example, status=1)
    assert text == "example: no.json: No such file or directory\n"


# Elsewhere ----------------------------------------------------------------------------------------
def test_a_copy_runs_by_itself(model, tmp_path):
    """Only the folder and the C library: no Python, no environment, no file of this package."""
    symbol, params, x, y = model
    assert native.main([str(tmp_path / "made")]) == 0
    folder = tmp_path / "else" / "where"
    folder.parent.mkdir()
    (tmp_path / "made").rename(folder)
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == [
        "bin/hybrid-run",
        "example.c",
        "include/hybrid.h",
        "lib/libhybrid.so",
        "lib/libscipy_openblas.so",
    ]
    program = str(folder / "bin" / "hybrid-run")
    for name, path in libraries(program).items():
        own = name in ("libhybrid.so", "libscipy_openblas.so")
        assert (
            Path(path).resolve().is_relative_to(folder)
            if own
            else path.startswith(("/lib", "/usr/lib"))
        ), (name, path)
    command = [program, symbol, params, x, "-o", "y.npy"]
    done = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), y)


def test_the_console_script_becomes_the_program(model):
    symbol, params, x, _ = model
    code = "from jupyter_hybrid.native import run_program; run_program()"
    done = subprocess.run(
        [sys.executable, "-c", code, symbol, params, x], capture_output=True, text=True
    )
    assert done.returncode == 0 and "float32 (4, 10)" in done.stdout, done.stderr


def test_a_part_that_is_missing_is_named(monkeypatch, tmp_path, capsys):
    class Core:
        __file__ = str(tmp_path / "_core.so")

    monkeypatch.setattr(native, "_core", Core)
    with pytest.raises(FileNotFoundError, match="hybrid-run is missing"):
        native.program()
    assert native.main([str(tmp_path / "copy")]) == 1
    assert "is missing" in capsys.readouterr().err
