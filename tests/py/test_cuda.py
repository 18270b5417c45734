"""Physical GPUs where there are none: what is said, and that nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, nd


def test_why_there_is_no_gpu():
    with pytest.raises(MXNetError, match="HYBRID_CUDA=0 hides it"):
        nd.zeros(1, ctx=mx.gpu())
    with pytest.raises(MXNetError, match=r"gpu\(0\)"):
        mx.gpu().name


def test_virtual_gpus_say_what_they_are():
    mx.virtual_gpus(1)
    try:
        assert mx.gpu().virtual and mx.gpu().name == "gpu(0), virtual"
        with pytest.raises(MXNetError, match=r"cpu\(0\) is no virtual GPU"):
            mx.cpu().limit_memory(1000)
    finally:
        mx.virtual_gpus(0)
    assert mx.cpu().name == "cpu(0)"


def test_a_driver_that_is_no_driver(root):
    code = "import jupyter_hybrid as mx; print(mx.num_gpus()); mx.nd.zeros(1, ctx=mx.gpu())"
    library = sys.modules["jupyter_hybrid._core"].__file__
    env = {**os.environ, "HYBRID_CUDA": "1", "HYBRID_CUDA_DRIVER": library}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout == "0\n"
    assert "has no cu" in done.stderr and "MXNetError" in done.stderr
