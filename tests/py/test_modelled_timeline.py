"""Saved timelines, their pictures, the machine in words."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from cells import Shell
from modelled_helpers import TOY, devices

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, nd
from jupyter_hybrid.modelled import Link, Machine, Timeline, record


@pytest.fixture
def run():
    with devices(2, dispatch=1e-4) as gpus:
        a = nd.ones((300, 300), ctx=gpus[0])
        b = nd.ones((300, 300), ctx=gpus[1])
        nd.waitall()
        with record() as made:
            for _ in range(3):
                b = nd.dot(b, a.copyto(gpus[1]))
        yield made


def test_a_timeline_is_saved_and_read(run, tmp_path):
    path = tmp_path / "run.json"
    run.save(path)
    read = Timeline.load(path)
    assert str(read) == str(run) and read._repr_svg_() == run._repr_svg_()
    np.testing.assert_array_equal(read.of("gpu(1)"), run.of("gpu(1)"))
    assert "nothing here was measured" in str(read)
    good = json.loads(path.read_text())
    for change in (
        {"format": "x"}, {"lanes": []}, {"spans": [[1]]}, {"seconds": "long"}, {"peaks": 3},
        {"fields": ["nothing"]}, {"names": {"a": "b"}}, {"seconds": float("nan")},
        {"peaks": {"gpu(0)": -1.0}}, {"spans": [[float("inf"), *good["spans"][0][1:]]]},
        {"spans": [[good["spans"][0][0], -1.0, *good["spans"][0][2:]]]},
    ):  # fmt: skip
        path.write_text(json.dumps({**good, **change}))
        with pytest.raises(MXNetError, match="no saved timeline"):
            Timeline.load(path)
    path.write_text("{")
    with pytest.raises(MXNetError, match="no saved timeline"):
        Timeline.load(path)


def test_figures_add_up(run):
    for figures in run.figures():
        assert figures.compute + figures.exposed + figures.idle == pytest.approx(run.seconds)
    one = run.figures()[1]
    done = 3 * 2 * 300**3
    assert one.peak_share == pytest.approx(done / (TOY.float32 * run.seconds))
    assert one.copies == pytest.approx(run.of("gpu(1)", "copy-in")["seconds"].sum())


def test_the_picture_has_every_lane_and_span(run):
    root = ElementTree.fromstring(run._repr_svg_())
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("MFLOP" in t and t.startswith("dot") for t in titles) == 3
    assert all("modelled" in t for t in titles)
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    for word in ("host", "gpu(1), virtual", "compute", "copy-in", "links"):
        assert word in texts
    assert any(t.startswith("Modelled time: 2 x toy, virtual") for t in texts)
    # JupyterLab shows an image of it, which only then fits where it stands.
    assert root.get("width") is None and root.get("viewBox")
    told = [t for t in root.iter("{http://www.w3.org/2000/svg}text") if " %" in t.text]
    heights = np.diff([float(t.get("y")) for t in told])
    assert len(told) == 3 and (heights > 12).all()  # none is written over another
    # Spans lie where their times say.
    axis = next(root.iter("{http://www.w3.org/2000/svg}line"))
    left, right = float(axis.get("x1")), float(axis.get("x2"))
    first = run.of("gpu(1)", "compute")["start_s"].min()
    expected = left + (right - left) * first / run.seconds
    xs = [
        float(g.find("{http://www.w3.org/2000/svg}rect").get("x"))
        for g in root.iter("{http://www.w3.org/2000/svg}g")
        if g.find("{http://www.w3.org/2000/svg}title").text.count("MFLOP")
        and "dot" in g.find("{http://www.w3.org/2000/svg}title").text
    ]
    assert min(xs) == pytest.approx(expected, abs=0.01)


def test_the_magic_declares_and_tells():
    shell = Shell()
    try:
        told = shell.run("%hybrid gpus 4").out
        assert told.startswith("4 x V100, virtual, computed by the CPU\n")
        assert "15.7 TFLOP/s" in told and "900 GB/s" in told and "Ampere" in told
        assert "nothing is measured" in told
        told = shell.run("%hybrid gpus 2 like rtx3090 links nvlink dispatch 30 modelled-only").out
        assert told.startswith("2 x RTX 3090, virtual, modelled only\n")
        assert "NVLink" in told and "30 µs" in told and " 24 GB," in told
        assert mx.modelled.declared().dispatch == pytest.approx(30e-6)
        assert "without modelled times" in shell.run("%hybrid gpus 3 unmodelled").out
        assert mx.num_gpus() == 3
        for wrong, why in (
            ("65", "N is 0 to 64"), ("x", "'x'"), ("2 like", "nothing follows like"),
            ("two", "N is 0 to 64, a whole number, not 'two'"),
            ("2 like Z80 links dgx1", "no device 'Z80' is known"), ("2 dispatch soon", "'soon'"),
            ("2 dispatch soon", "dispatch is 'soon', expected a number of microseconds"),
            ("2 links torus", "no topology 'torus'"), ("2 quickly", "'quickly' is no option"),
        ):  # fmt: skip
            assert why in str(shell.run(f"%hybrid gpus {wrong}", fails=True).error)
            assert mx.num_gpus() == 3
        assert "2 x RTX 3090" in shell.run("%hybrid gpus 2 like RTX 3090 dispatch 3").out
        assert "no virtual GPUs" in shell.run("%hybrid gpus 0").out
    finally:
        mx.virtual_gpus(0)
    assert shell.run("%hybrid gpus").out.startswith("no virtual GPUs")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"memory": 0}, "the memory of toy is 0, expected 1 to"),
        ({"memory": -5}, "the memory of toy is -5, expected 1 to"),
        ({"name": 3}, "the name of a DeviceModel is 3, expected a text"),
        ({"memory": 1.5}, "the memory of toy is 1.5, expected 1 to"),
        ({"memory": 10**30}, r"the memory of toy is 10+, expected 1 to 2\^63 - 1 bytes"),
        ({"bandwidth": "fast"}, "the bandwidth of toy is 'fast', expected a number"),
        ({"launch": float("nan")}, "the launch time of toy is nan, expected a number"),
        ({"float32": True}, "the float32 rate of toy is True, expected a number"),
    ],
)
def test_figures_of_a_device_are_checked(change, message):
    with pytest.raises(MXNetError, match=message):
        mx.virtual_gpus(1, like=replace(TOY, **change))
    assert mx.num_gpus() == 0


def test_work_that_a_cell_has_recorded_is_computed_in_the_block():
    with devices(1) as (gpu,):
        a = nd.ones((300, 300), ctx=gpu)
        with mx.symbolic(force=True):
            before = nd.dot(a, a)
            with record() as made:
                b = nd.dot(before, a)
            after = nd.dot(b, a)
        names = [made.names[int(s["name"])] for s in made.of("gpu(0)", "compute")]
        assert names == ["dot"] and after.asnumpy()[0, 0] == 300**3
        shell = Shell()
        shell.run(
            "from jupyter_hybrid.modelled import record, timeline\n"
            "from jupyter_hybrid import nd, gpu\na = nd.ones((300, 300), ctx=gpu(0))\nnd.waitall()"
        )
        told = shell.hybridize("with record() as r:\n    b = nd.dot(a, a)\nprint(r)").out
        assert "gpu(0): computed" in told and "(0 %)" not in told.split(",")[0]


def test_an_error_in_the_block_leaves_what_happened_before():
    with devices(1) as (gpu,):
        a = nd.ones((300, 300), ctx=gpu)
        with pytest.raises(KeyboardInterrupt), record() as made:
            nd.dot(a, a).wait_to_read()
            raise KeyboardInterrupt
        assert len(made.of("gpu(0)", "compute")) == 1 and made.seconds > 0
        assert "gpu(0): computed" in str(made)


def test_shares_of_the_peak_are_of_each_kernels_type():
    with devices(1, like=replace(TOY, launch=0.0), compute=False) as (gpu,):
        for dtype, rate in (("float16", 8e12), ("float64", 5e11), ("float32", 1e12)):
            a = nd.ones((2000, 2000), ctx=gpu, dtype=dtype)
            nd.waitall()
            with record() as made:
                nd.dot(a, a)
            (figures,) = made.figures()
            assert figures.peak_share == pytest.approx(1, rel=1e-6)
            (span,) = made.of("gpu(0)", "compute")
            assert span["peak"] == rate
            assert "100 % of the peak of its type" in made._repr_svg_()


def test_figures_are_of_the_time_whose_spans_are_kept():
    """262,144 are kept: with the host's, half as many kernels."""
    with devices(1, compute=False, dispatch=1e-6, like=replace(TOY, launch=2e-6)) as (gpu,):
        a = nd.ones((2,), ctx=gpu)
        with record() as made:
            for _ in range(150_000):
                a = a + 1
        assert made.lost > 0 and 0 < made.since < made.seconds
        (figures,) = made.figures()
        assert figures.seconds == pytest.approx(made.seconds - made.since)
        assert figures.compute / figures.seconds == pytest.approx(1, rel=1e-3)
        assert made.utilisation() == pytest.approx(1, rel=1e-3)
        assert "no longer kept: these figures are of the last" in str(made)


def test_a_machine_is_described_by_names_and_contexts():
    with devices(2) as gpus:
        links = [Link(mx.cpu(), gpus[0], 1e9), Link("cpu(0)", gpus[1], 1e9)]
        assert [(link.end, link.other) for link in links] == [
            ("cpu(0)", "gpu(0)"), ("cpu(0)", "gpu(1)"),
        ]  # fmt: skip
        made = Machine(["V100", TOY], links)
        mx.virtual_gpus(2, like=made)
        assert str(mx.modelled.declared()) == "1 x V100, 1 x toy, virtual, computed by the CPU"
        assert Machine(("V100",) * 2, None).links == Machine(("V100",) * 2, "pcie").links
        assert replace(made, links="nvlink").gpus == made.gpus


@pytest.mark.parametrize(
    ("described", "error", "message"),
    [
        (lambda: Link(1, "gpu(0)", 1e9), TypeError, r"Link\(1, 'gpu\(0\)'\): expected ends .* int"),
        (lambda: Link("a", "b", 1e9, 0, None), TypeError, r"Link\('a', 'b'\): expected a name"),
        (lambda: Machine("V100", None), TypeError, "gpus: expected a tuple of names"),
        (lambda: Machine(("Z80",), None), MXNetError, "no device 'Z80' is known"),
        (lambda: Machine((3,), None), TypeError, "expected a name or a DeviceModel, got int"),
        (lambda: Machine((TOY,), 3), TypeError, "links: expected 'pcie', .* got int"),
        (lambda: Machine((TOY,), [3]), TypeError, "links: expected Links, got int"),
        (
            lambda: Machine((TOY,), None, dispatch="x"),
            MXNetError,
            "dispatch time of the host is 'x'",
        ),
        (
            lambda: Machine((TOY,), None, host=None),
            MXNetError,
            "processor time of the host is None",
        ),
        (lambda: Machine((TOY,), None, compute="no"), MXNetError, "compute is 'no', expected True"),
    ],
)
def test_a_machine_that_is_badly_described_changes_nothing(described, error, message):
    with devices(2) as _:
        before = mx.modelled.declared()
        with pytest.raises(error, match=message):
            mx.virtual_gpus(1, like=described())
        assert mx.modelled.declared() is before and mx.num_gpus() == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dispatch": "x"}, "the dispatch time of the host is 'x', expected a number"),
        ({"host": "x"}, "the scale of processor time of the host is 'x', expected a number"),
        ({"compute": "no"}, "compute is 'no', expected True or False"),
        ({"compute": None}, "compute is None, expected True or False"),
    ],
)
def test_figures_of_the_host_are_checked(options, message):
    with pytest.raises(MXNetError, match=message):
        mx.virtual_gpus(2, like="V100", **options)
    assert mx.num_gpus() == 0 and mx.modelled.declared() is None


def test_a_machine_brings_its_own_links():
    with devices(2) as _:
        made = mx.modelled.declared()
    for options in ({"links": "dgx1"}, {"dispatch": 1e-6}, {"compute": False}):
        with pytest.raises(MXNetError, match=f"a Machine has its own {next(iter(options))}"):
            mx.virtual_gpus(2, like=made, **options)
    assert mx.num_gpus() == 0


def test_a_picture_is_saved_by_its_ending(tmp_path):
    with devices(1) as (gpu,):
        nd.ones((8, 8), ctx=gpu)
        mx.virtual_gpus(1, like=TOY)  # nothing has changed in its memory since
        with record() as run:
            pass
    run.save(tmp_path / "run.svg")
    root = ElementTree.parse(tmp_path / "run.svg").getroot()
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    with pytest.raises(MXNetError, match=r"saved as .json or .svg"):
        run.save(tmp_path / "run.png")
