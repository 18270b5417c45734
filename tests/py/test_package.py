"""The package as MXNet's programs import it, and its generated stubs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import jupyter_hybrid as mx
from jupyter_hybrid import _core, _stubs


def test_the_imports_of_mxnets_programs():
    from jupyter_hybrid import autograd, cpu, gluon, gpu, init, nd, sym
    from jupyter_hybrid.gluon import loss, nn

    assert (mx.nd, mx.sym, mx.gluon, mx.init) == (nd, sym, gluon, init)
    assert (mx.ndarray, mx.symbol) == (nd, sym)
    assert mx.cpu() == cpu() and mx.gpu(1) == gpu(1)
    assert nn.Dense and loss.L2Loss and autograd.record
    assert mx.base.MXNetError is mx.MXNetError
    assert {"gluon", "init", "nd", "report"} <= set(dir(mx))
    assert callable(mx.load_ipython_extension) and callable(mx.report)


def test_what_is_not_asked_for_is_not_imported():
    code = (
        "import sys, jupyter_hybrid;"
        "print([m for m in ('IPython', 'ipywidgets', 'jupyter_hybrid.gluon') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_importing_warns_of_nothing():
    code = (
        "import warnings; warnings.filterwarnings('error', module='jupyter_hybrid');"
        "import jupyter_hybrid.cells.magics, jupyter_hybrid.capture.closed"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_core_takes_no_static_storage_of_threads():
    """A process has some 1,600 bytes for libraries that are loaded later: OpenMP's need them, and
    PyTorch can't be imported where they are gone."""
    run = ["readelf", "-d", _core.__file__]
    shown = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert "libstdc++" in shown and "STATIC_TLS" not in shown


def test_modules_of_the_users_may_be_called_as_pythons_own(tmp_path: Path):
    theirs = [sys.executable, "-c", "import IPython, sys; print(*sys.modules)"]
    loaded = subprocess.run(theirs, capture_output=True, text=True, check=True).stdout.split()
    for name in {"statistics", "fractions"} - {*loaded}:
        (tmp_path / f"{name}.py").write_text("raise ImportError('this is the wrong module')")
    code = (
        "import jupyter_hybrid;"
        "import jupyter_hybrid.compare.compare;"
        "from jupyter_hybrid.compare.measure import Side;"
        "jupyter_hybrid.symbolic();"
        "print(Side('', [2.0, 1.0, 4.0]).median, Side('', [2.0, 1.0, 4.0]).quartiles)"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2.0 (1.5, 3.0)"


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(mx, "no_such_thing")
    assert not hasattr(mx.nd, "no_such_operator")


def test_the_names_that_courses_use_are_there():
    """The core operators of the textbook's programs."""
    names = """
        array zeros dot random concat waitall arange ones relu add_n one_hot sigmoid sum sqrt argmax
        tanh save load pick power stack topk softmax batch_dot flatten Convolution Pooling ones_like
        elemwise_add maximum clip broadcast_axis smooth_l1 split exp log abs mean transpose reshape
        take where FullyConnected Activation Dropout Embedding zeros_like expand_dims norm max min
        log_softmax argsort sort slice_axis tile repeat full eye square broadcast_to swapaxes
    """
    missing = [n for n in names.split() if not hasattr(mx.nd, n)]
    assert missing == []
    methods = (
        "sum mean max argmax reshape dot exp sqrt transpose astype copyto as_in_context T clip"
    )
    assert [n for n in methods.split() if not hasattr(mx.nd.NDArray, n)] == []


def test_a_first_program():
    """Linear regression from scratch, as the first chapters do it."""
    from jupyter_hybrid import autograd, nd

    mx.random.seed(0)
    true_w, true_b = nd.array([[2.0], [-3.4]]), 4.2
    features = nd.random.normal(scale=1, shape=(200, 2))
    labels = nd.dot(features, true_w) + true_b
    labels += nd.random.normal(scale=0.01, shape=labels.shape)
    w, b = nd.random.normal(scale=0.01, shape=(2, 1)), nd.zeros(shape=(1,))
    for param in (w, b):
        param.attach_grad()
    for _ in range(30):
        for i in range(0, 200, 20):
            x, y = features[i : i + 20], labels[i : i + 20]
            with autograd.record():
                loss = (nd.dot(x, w) + b - y.reshape((-1, 1))) ** 2 / 2
            loss.backward()
            for param in (w, b):
                param[:] = param - 0.1 * param.grad / 20
    np.testing.assert_allclose(w.asnumpy(), true_w.asnumpy(), atol=0.02)
    assert abs(b.asscalar() - true_b) < 0.02


def test_the_stubs_are_up_to_date():
    assert _stubs.main(["--check"]) == 0


def test_modules_of_operators_are_made_from_the_table():
    for face in (mx.nd, mx.sym):
        assert {"inverse", "slogdet"} <= set(face.linalg.__all__) <= set(dir(face.linalg))
        assert {"foreach", "cond"} <= set(face.contrib.__all__)
    a = mx.nd.array([[[2.0, 1.0], [1.0, 3.0]]])
    symbol = mx.sym.linalg.inverse(mx.sym.var("a"))
    assert '"_linalg_inverse"' in symbol.tojson()
    for inverse in (mx.nd.linalg.inverse(a), mx.nd.linalg_inverse(a), *symbol.eval(a=a)):
        np.testing.assert_allclose(inverse.asnumpy(), [[[0.6, -0.2], [-0.2, 0.4]]], rtol=1e-6)


def test_operators_of_internal_names_are_made_when_asked_for():
    x = mx.nd.ones((2,))
    assert mx.nd._internal._plus_scalar(x, scalar=2).asnumpy().tolist() == [3, 3]
    symbol = mx.sym._internal._plus_scalar(mx.sym.var("x"), scalar=2)
    assert symbol.eval(x=x)[0].asnumpy().tolist() == [3, 3]
    arrays_alone = {"_sample_unique_zipfian"}  # how often it draws depends on what is drawn
    shared = set(dir(mx.nd._internal)) - arrays_alone
    assert {"_random_gamma", "_copy"} <= shared == set(dir(mx.sym._internal))
    assert not hasattr(mx.nd._internal, "_nope")
