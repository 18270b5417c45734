"""The model zoo's parameters have genuine MXNet's names, so that its files load."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest
from gluon_zoo_names import FILE, NETS, described

import jupyter_hybrid as mx
from jupyter_hybrid import nd
from jupyter_hybrid.gluon.model_zoo import model_store, vision

WANTED = json.loads(lzma.decompress(FILE.read_bytes()))


@pytest.mark.parametrize("name", NETS)
def test_parameters_are_named_as_genuine_ones(name):
    assert described(mx, name) == WANTED[name]


def test_pretrained_parameters_are_read_from_files(tmp_path, monkeypatch):
    net = vision.mobilenet0_25(classes=5)
    net.initialize()
    x = nd.array(np.random.default_rng(0).normal(size=(1, 3, 32, 32)))
    wanted = net(x).asnumpy()
    with pytest.raises(FileNotFoundError, match=r"put the .* at .*mobilenet0\.25-9f83e440\.params"):
        vision.mobilenet0_25(pretrained=True, root=str(tmp_path), classes=5)
    file = tmp_path / "mobilenet0.25-9f83e440.params"
    for save in (net.save_parameters, lambda f: net.collect_params().save(f, net.prefix)):
        save(str(file))
        with pytest.raises(ValueError, match="has another SHA-1 hash"):
            vision.get_model("MobileNet0.25", pretrained=True, root=str(tmp_path), classes=5)
        with monkeypatch.context() as patch:
            patch.setattr(model_store.utils, "check_sha1", lambda name, _: name == str(file))
            again = vision.get_model(
                "mobilenet0.25", pretrained=True, root=str(tmp_path), classes=5
            )
        np.testing.assert_array_equal(again(x).asnumpy(), wanted)
    model_store.purge(str(tmp_path))
    assert not file.exists()


def test_unknown_nets_are_named():
    with pytest.raises(ValueError, match=r"no net 'resnet19_v1'; there are alexnet, .*vgg19_bn"):
        vision.get_model("resnet19_v1")
    with pytest.raises(AssertionError, match=r"expected one of \[18, 34, 50, 101, 152\] layers"):
        vision.get_resnet(1, 19)
    with pytest.raises(AssertionError, match="version: expected 1 or 2, got 3"):
        vision.get_resnet(3, 18)
    with pytest.raises(ValueError, match="no pretrained model 'lenet'"):
        model_store.get_model_file("lenet")
