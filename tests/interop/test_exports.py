"""Exports of whole nets, loaded by the other system: they predict and train alike.

``make test`` loads what genuine MXNet 1.9.1 wrote (record_exports.py), in ``make test-all`` it
loads what we write.
"""

from __future__ import annotations

import json
import lzma
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from genuine import run_script
from old_files import params_of, symbol_of
from whole_nets import EVERY, NETS, Results, read, write, write_again

import jupyter_hybrid as mx
from jupyter_hybrid import nd

FOLDER = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "exports"
#: As a program genuine MXNet computes another gradient than imperatively, and a wrong one.
WRONG = {"after:net_prelu0_alpha"}
#: Recurrent layers, cells and BatchNormReLU are written with other operators.
OTHERWISE = {"lstm", "every_cell", "every_layer"}
#: Normalization makes much of rounding: ResNet's parameters move by a tenth of these.
TOLERANCES = {"resnet18": 1e-4}


def start_of(name: str, folder: Path) -> str:
    return str(folder / name)


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What genuine MXNet wrote, unpacked."""
    folder = tmp_path_factory.mktemp("genuine")
    for file in FOLDER.glob("*.params"):
        shutil.copy(file, folder)
    for file in FOLDER.glob("*.json.xz"):
        (folder / file.stem).write_bytes(lzma.decompress(file.read_bytes()))
    return folder


def agree(name: str, found: Results, expected: Results) -> None:
    tolerance = TOLERANCES.get(name, 1e-5)
    assert found, "nothing came out"
    assert set(found) <= set(expected)
    for key, array in found.items():
        scale = max(1.0, float(np.abs(expected[key]).max(initial=0)))
        np.testing.assert_allclose(
            array / scale, expected[key] / scale, rtol=0, atol=tolerance, err_msg=f"{name}: {key}"
        )


def recorded(name: str) -> Results:
    with np.load(FOLDER / f"{name}.npz") as held:
        return dict(held)


def operators(file: str) -> Counter[str]:
    """How often each stands there; whether operands are known to have one shape is left out."""
    nodes = json.loads(Path(file).read_text())["nodes"]
    return Counter(node["op"].replace("elemwise_", "broadcast_") for node in nodes)


@pytest.mark.parametrize("name", NETS)
def test_genuine_exports_predict_and_train_here(name, genuine):
    ways = read(mx, NETS[name], start_of(name, genuine))
    assert len(ways) == 5
    for way, found in ways.items():
        expected = recorded(name)
        assert way == "symbol" or set(found) == set(expected)
        agree(name, found, expected)


@pytest.mark.parametrize("name", NETS)
def test_our_export_is_the_same_program(name, genuine, tmp_path):
    expected = recorded(name)
    found = write(mx, NETS[name], start_of(name, tmp_path))
    assert list(found) == list(expected)  # names of parameters, and their order
    agree(name, found, expected)
    for end in ("0000", "gluon"):
        ours, theirs = (nd.load(f"{start_of(name, f)}-{end}.params") for f in (tmp_path, genuine))
        assert sorted(ours) == sorted(theirs)
        for key, array in theirs.items():
            np.testing.assert_array_equal(ours[key].asnumpy(), array.asnumpy())
    files = [start_of(name, folder) + "-symbol.json" for folder in (tmp_path, genuine)]
    assert name in OTHERWISE or operators(files[0]) == operators(files[1])
    symbols = [mx.sym.load(file) for file in files]
    for listed in ("list_arguments", "list_auxiliary_states"):
        assert sorted(getattr(symbols[0], listed)()) == sorted(getattr(symbols[1], listed)())


def test_every_layer_is_exported():
    """Those that genuine MXNet can export: neither what is no HybridBlock nor a base class."""
    gluon = mx.gluon
    rooms: list[ModuleType] = [gluon.nn, gluon.contrib.nn, gluon.contrib.cnn, gluon.rnn]
    layers = {
        getattr(room, name)
        for room in [*rooms, gluon.contrib.rnn]
        for name in room.__all__
        if isinstance(getattr(room, name), type)
    }
    hybrid = {kind for kind in layers if issubclass(kind, gluon.HybridBlock)}
    bases = {gluon.HybridBlock, gluon.SymbolBlock, gluon.rnn.HybridRecurrentCell}
    bases |= {gluon.rnn.ModifierCell, gluon.contrib.nn.SyncBatchNorm}
    made: set[type] = set()
    for name in EVERY:
        NETS[name].make(mx).apply(lambda block: made.add(type(block)))
    assert not hybrid - bases - made


# --- Older files ----------------------------------------------------------------------------------
#: Nets and forms; states had other names before 0.9.
OLD = [
    ("lenet", "0.8", "V0"),
    ("lenet", "0.9", "V1"),
    ("resnet18", "0.9", "V0"),
    ("resnet18", "1.0", "V3"),
    ("transformer", "1.0", "V1"),
]


def make_old(name: str, symbol: str, params: str, genuine: Path, folder: Path) -> str:
    start = str(folder / name)
    text = Path(start_of(name, genuine) + "-symbol.json").read_text()
    Path(f"{start}-symbol.json").write_text(symbol_of(text, symbol))
    for end in ("0000", "gluon"):
        content = Path(f"{start_of(name, genuine)}-{end}.params").read_bytes()
        Path(f"{start}-{end}.params").write_bytes(params_of(content, params))
    return start


@pytest.mark.parametrize(("name", "symbol", "params"), OLD)
def test_old_files_are_read(name, symbol, params, genuine, tmp_path):
    start = make_old(name, symbol, params, genuine, tmp_path)
    for found in read(mx, NETS[name], start).values():
        agree(name, found, recorded(name))


# --- Genuine MXNet reads --------------------------------------------------------------------------
def read_by_genuine(python: str, folder: Path, *names: str) -> Iterator[tuple[str, Results]]:
    words = ("read", str(folder), *names)
    run_script(python, "exports_in_mxnet.py", *words, folder=folder, onednn=True)
    for name in names:
        ways: dict[str, Results] = {}
        with np.load(folder / f"{name}-read.npz") as held:
            for key in held:
                way, what = key.split("/")
                ways.setdefault(way, {})[what] = held[key]
        assert len(ways) == 5
        for found in ways.values():
            yield name, {key: array for key, array in found.items() if key not in WRONG}


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_genuine_mxnet_loads_ours(mxnet_python, genuine, tmp_path):
    """What we write of our own nets, and of its own, read before."""
    expected = {name: write(mx, net, start_of(name, tmp_path)) for name, net in NETS.items()}
    again = tmp_path / "again"
    again.mkdir()
    for name, net in NETS.items():
        write_again(mx, net, start_of(name, genuine), start_of(name, again))
    for folder in (tmp_path, again):
        for name, found in read_by_genuine(mxnet_python, folder, *NETS):
            agree(name, found, expected[name])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "symbol", "params"), [old for old in OLD if old[2] != "V3"])
def test_genuine_mxnet_reads_the_old_files(name, symbol, params, mxnet_python, genuine, tmp_path):
    make_old(name, symbol, params, genuine, tmp_path)
    for _, found in read_by_genuine(mxnet_python, tmp_path, name):
        agree(name, found, recorded(name))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_genuine_mxnet_writes_what_is_recorded(mxnet_python, tmp_path):
    run_script(
        mxnet_python, "exports_in_mxnet.py", "write", str(tmp_path), folder=tmp_path, onednn=True
    )
    for name in NETS:
        with np.load(tmp_path / f"{name}.npz") as held:
            agree(name, dict(held), recorded(name))
        for end in ("0000", "gluon"):
            file = f"{name}-{end}.params"
            assert (tmp_path / file).read_bytes() == (FOLDER / file).read_bytes()
