"""``python -m jupyter_hybrid.plan``: lifetimes and symbols, text and JSON, refusals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import sym
from jupyter_hybrid.plan import main, read_lifetimes

CHAIN = "id,lower,upper,size\n" + "".join(f"{i},{i},{i + 2},4096\n" for i in range(50))


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.csv"
    path.write_text(CHAIN)
    return path


def layers(
    n: int, width: int, batch: int, folder: Path, activation: str = "relu", classes: int = 0
) -> Path:
    """A symbol file of n FullyConnected layers with activations and a softmax loss."""
    x = sym.var("data")
    for i in range(n):
        x = sym.FullyConnected(x, num_hidden=width, name=f"fc{i}")
        x = sym.Activation(x, act_type=activation, name=f"act{i}")
    if classes:
        x = sym.FullyConnected(x, num_hidden=classes, name="last")
    path = folder / f"mlp{n}-symbol.json"
    sym.SoftmaxOutput(x, name="softmax").save(str(path))
    (folder / "shapes.json").write_text(json.dumps({"data": [batch, width]}))
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> dict[str, Any]:
    """The JSON that the command prints."""
    assert main([*map(str, args), "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_lifetimes_of_a_csv(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(capsys, chain)
    assert result["peak"] == result["lower_bound"] == 2 * 4096
    assert result["optimal"] is True
    assert result["ms"] >= 0
    assert run(capsys, chain, "--exact")["peak"] == 2 * 4096


def test_text_says_what_was_found(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(chain)]) == 0
    out = capsys.readouterr().out
    assert "50 buffers" in out
    assert "8,192 bytes, optimal" in out


def test_a_capacity_is_said_to_hold_it_or_not(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, chain, "--capacity", 2 * 4096)["fits"]
    assert not run(capsys, chain, "--capacity", 4096)["fits"]
    assert main([str(chain), "--capacity", "4096"]) == 0
    assert "does not fit into 4,096" in capsys.readouterr().out


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("size,id,upper,lower\n7,0,3,1\n")
    assert read_lifetimes(path) == [(0, 1, 3, 7)]


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
def test_forward_takes_two_buffers_whatever_the_depth(
    activation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layer = 4 * 32 * 64
    for n in (2, 8, 20):
        path = layers(n, 64, 32, tmp_path, activation)
        result = run(capsys, path, "--shapes", tmp_path / "shapes.json")
        assert result["peak"] <= 2 * layer


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
def test_training_takes_a_layer_each_and_two_each_unplanned(
    activation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layer = 4 * 32 * 64
    for n in (4, 8, 20):
        path = layers(n, 64, 32, tmp_path, activation)
        args = (path, "--shapes", tmp_path / "shapes.json", "--train")
        planned = run(capsys, *args)
        assert planned["optimal"]
        assert n * layer <= planned["peak"] <= (n + 3) * layer
        unplanned = run(capsys, *args, "--passes", "gradient,dce")
        assert unplanned["peak"] >= planned["peak"]


def test_shapes_by_model_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = layers(2, 8, 4, tmp_path)
    table = tmp_path / "many.json"
    table.write_text(json.dumps({"mlp2": {"data": [4, 8]}, "other": {"x": [1]}}))
    assert run(capsys, path, "--shapes", table)["peak"] > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,lower,upper\n1,2,3\n", "size missing"),
        ("id,lower,upper,size\n0,0,x,1\n", "line 2: expected integers"),
        ("id,lower,upper,size\n0,5,2,1\n", "line 2: expected lower <= upper .* lower 5, upper 2"),
        ("id,lower,upper,size\n0,0,2,-1\n", "a size of 0 or more, got .* size -1"),
        ("id,lower,upper,size\n0,0,2\n", "line 2: expected 4 values"),
        ("id,lower,upper,size\n0,0,2,3,4\n", "line 2: expected 4 values"),
        ("id,lower,upper,size\n0,0,2,1\n0,3,4,1\n", "line 3: id '0' stands in line 2 too"),
        ("id,lower,upper,size\n0,0,2,99999999999999999999\n", "at most 18 digits"),
        ("id,lower,upper,size\n0,0,2,1_0\n", "expected integers"),
        ("", "missing in an empty file"),
    ],
)
def test_bad_lifetimes_are_named(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert main([str(path)]) == 1
    assert re.search(message, capsys.readouterr().err)


def test_ids_are_texts_and_a_spreadsheet_may_have_written_it(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("\ufeffid, lower, upper, size\nb1, 0, 2, 10\nb2, 1, 3, 20\n", encoding="utf-8")
    assert read_lifetimes(path) == [(0, 0, 2, 10), (1, 1, 3, 20)]


@pytest.mark.parametrize("option", ["--train", "--passes=fold", "--remat=sqrt", "--shapes=s.json"])
def test_options_of_graphs_are_refused_for_lifetimes(
    option: str, chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(chain), option])
    assert "is read as a CSV" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--ms=-5", "--ms=nan", "--capacity=-1", "--seconds=x"])
def test_wrong_limits_are_refused(
    option: str, chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(chain), option])
    assert option.split("=")[0] in capsys.readouterr().err


def test_parameters_beside_the_graph_tell_their_shapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = jh.Variable("x")
    made = jh.sym.dot(x, jh.Variable("w")) + jh.Constant([1.0, 2.0, 3.0])
    made.save(tmp_path / "net")
    arrays = jh.nd.load(str(tmp_path / "net-0000.params"))
    jh.nd.save(str(tmp_path / "net-0000.params"), {**arrays, "arg:w": jh.nd.ones((4, 3))})
    shapes = tmp_path / "shapes.json"
    shapes.write_text('{"x": [2, 4]}')
    assert run(capsys, tmp_path / "net-symbol.json", "--shapes", shapes)["peak"] == 2 * 3 * 4


def test_bad_symbols_and_shapes_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = layers(2, 8, 4, tmp_path)
    assert main([str(path)]) == 1
    assert "give the shape of data" in capsys.readouterr().err
    shapes = tmp_path / "shapes.json"
    shapes.write_text('{"data": "wide"}')
    assert main([str(path), "--shapes", str(shapes)]) == 1
    assert "expected shapes by argument" in capsys.readouterr().err
    assert main([str(tmp_path / "none.csv")]) == 1
    assert "none.csv" in capsys.readouterr().err
    shapes.write_text('{"data": [4, 8]}')
    assert main([str(path), "--shapes", str(shapes), "--passes", "fusion"]) == 1
    assert "fusion" in capsys.readouterr().err


def test_as_a_module(chain: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_hybrid.plan", str(chain), "--json", "--ms", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["peak"] == 8192
    assert done.stderr == ""


def resnet18(folder: Path) -> Path:
    """ResNet-18 (He and others, 2015) for images of 64 x 64, batch 16, with a softmax loss."""

    def normed(x: Any, filters: int, kernel: int, stride: int) -> Any:
        x = sym.Convolution(
            x,
            num_filter=filters,
            kernel=(kernel, kernel),
            stride=(stride, stride),
            pad=(kernel // 2, kernel // 2),
            no_bias=True,
        )
        return sym.BatchNorm(x, fix_gamma=False, eps=1e-5)

    def act(x: Any) -> Any:
        return sym.Activation(x, act_type="relu")

    x = act(normed(sym.var("data"), 64, 7, 2))
    x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    for stage, filters in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = normed(act(normed(x, filters, 3, stride)), filters, 3, 1)
            x = act(y + (normed(x, filters, 1, stride) if stride == 2 else x))
    x = sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1))
    x = sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=1000), name="softmax")
    path = folder / "resnet18-symbol.json"
    x.save(str(path))
    (folder / "shapes.json").write_text(json.dumps({"data": [16, 3, 64, 64]}))
    return path


def test_known_networks_take_what_they_need_at_least(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never above MXNet 1.9.1's figures, and at the lower bound of the graph."""
    mib = 2**20
    rows = [
        (lambda: layers(8, 512, 4096, tmp_path, classes=10), 16, 72),
        (lambda: layers(8, 512, 4096, tmp_path, "sigmoid", 10), 16, 73),  # MXNet: 136
        (lambda: resnet18(tmp_path), 6, 27),  # MXNet: 30
    ]
    for write, forward, training in rows:
        path = write()
        for flags, most in ((), forward), (("--train",), training):
            result = run(capsys, path, "--shapes", tmp_path / "shapes.json", *flags)
            assert result["peak"] // mib <= most, (path.name, flags)
            assert result["peak"] == result["lower_bound"], (path.name, flags)
