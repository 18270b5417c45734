"""What an output takes in a notebook's file: compressed, then with less, and it says so."""

from __future__ import annotations

import json
from base64 import b64decode
from gzip import decompress

import pytest
from cells import Shell

from jupyter_hybrid.views import linked, saved, spec_of
from jupyter_hybrid.views.packed import packed
from jupyter_hybrid.views.saved import forms
from jupyter_hybrid.views.schema import MIME


@pytest.fixture(scope="module")
def spec():
    shell = Shell()
    lines = "\n".join(f"x = np.tanh(x @ w + {i}) * 1" for i in range(150))
    shell.hybridize(f"import numpy as np\nx = np.ones((4, 4))\nw = np.ones((4, 4))\n{lines}\n")
    return spec_of(shell.report)


@pytest.fixture
def output(spec, monkeypatch):
    """(bundle, the spec in it or None) under a limit in bytes."""

    def making(limit):
        monkeypatch.setattr(saved.limit, "bytes", limit)
        bundle = forms(spec, packed(spec), "<svg></svg>", "words")
        data = bundle.get(MIME)
        if data and "gzip" in data:
            assert set(data) == {"version", "id", "title", "gzip"}
            data = json.loads(decompress(b64decode(data["gzip"])))
        return bundle, data

    return making


def size(bundle):
    return sum(len(form if isinstance(form, str) else json.dumps(form)) for form in bundle.values())


def test_a_large_spec_is_saved_compressed_and_whole(spec, output):
    bundle, data = output(2 << 20)
    assert data == json.loads(json.dumps(packed(spec)))
    assert len(bundle[MIME]["gzip"]) < len(json.dumps(data)) / 3
    assert "<script>" in bundle["text/html"]


def test_stages_go_then_texts_then_the_spec_and_the_picture_says_so(spec, output, monkeypatch):
    whole, _ = output(2 << 20)
    told = []
    monkeypatch.setattr(linked, "is_drawn", lambda: True)
    monkeypatch.setattr(linked, "_send", told.append)
    spec_bytes = len(whole[MIME]["gzip"])
    seen = []
    for share in (1.2, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.02):
        limit = int(share * spec_bytes) + 1000
        bundle, data = output(limit)
        if data is None:
            assert set(bundle) == {"text/html", "text/plain"}
            assert "shows a still picture alone" in bundle["text/plain"]
            seen.append((0, False))
            continue
        assert size(bundle) <= limit and "text/html" not in bundle
        stages = [stage["name"] for stage in data["stages"]]
        note = data["notes"][-1] if data["notes"] else ""
        assert (f"holds {len(stages)} of {len(spec['stages'])} stages" in note) == (
            len(stages) < len(spec["stages"])
        )
        assert stages[0] == "written" and stages[-1] == "plan"
        assert ("without program" in note) == (data["stages"][0]["program"] == "")
        seen.append((len(stages), data["stages"][0]["program"] != ""))
    assert seen[0] == (len(spec["stages"]), True)
    assert seen == sorted(seen, reverse=True) and (2, True) in seen and seen[-1] == (0, False)
    # A page that is open gets all of it, with the note.
    assert told and all(len(message["spec"]["stages"]) == len(spec["stages"]) for message in told)
    assert "as saved" in told[0]["spec"]["notes"][-1]


def test_changes_of_stages_that_go_are_told_by_the_next(spec):
    last = len(spec["stages"]) - 1
    made = saved._of_stages(spec, [0, last])
    changes = made["stages"][1]["changes"]
    assert len(changes) == sum(len(stage["changes"]) for stage in spec["stages"][1:])
    here = {node["id"] for node in made["stages"][1]["graph"]["nodes"]}
    fused = [change for change in changes if change["action"] == "fused"]
    assert fused and all(change["into"] in here for change in fused)


def test_the_limit_is_set_by_a_magic(monkeypatch):
    monkeypatch.setattr(saved.limit, "bytes", 2 << 20)
    shell = Shell()
    shell.run("%hybrid output 0.5")
    assert saved.limit.bytes == 1 << 19
    assert "0.5 MB" in shell.run("%hybrid output").out
    with pytest.raises(Exception, match="megabytes from"):
        shell.run("%hybrid output much")
