"""MXNet's small modules: classes by name, loggers, callbacks, checkpoints."""

import logging
from collections import namedtuple

import numpy as np
import pytest

from jupyter_hybrid import callback, log, metric, model, nd, registry, sym
from jupyter_hybrid.base import MXNetError

Param = namedtuple("Param", ["epoch", "nbatch", "eval_metric"])


class Shape:
    def __init__(self, size=1):
        self.size = size


def functions():
    class Base(Shape):
        pass

    made = [f(Base, "shape") for f in (registry.get_register_func, registry.get_alias_func)]
    return Base, *made, registry.get_create_func(Base, "shape")


def test_a_class_is_created_by_its_name_or_an_alias():
    base, register, alias, create = functions()

    @register
    @alias("round", "Disc")
    class Circle(base):
        pass

    for name in ("circle", "Circle", "ROUND", "disc"):
        assert type(create(name, 3)) is Circle and create(name, size=4).size == 4
    assert registry.get_registry(base) == dict.fromkeys(("round", "disc", "circle"), Circle)
    registry.get_registry(base).clear()  # a copy
    for text in ('["circle", {"size": 5}]', '{"shape": "circle", "size": 5}'):
        assert create(text).size == 5
    assert create({"shape": "circle", "size": 5}).size == create(shape="circle", size=5).size == 5
    one = Circle()
    assert create(one) is one


def test_what_a_registry_refuses():
    base, register, _, create = functions()

    class Square(base):
        pass

    register(Square)
    with pytest.warns(UserWarning, match="'square' was"):
        register(Square)
    with pytest.raises(AssertionError, match="derived from Base, got Shape"):
        register(Shape)
    with pytest.raises(AssertionError, match="'cube' is not registered; registered are square"):
        create("cube")
    with pytest.raises(AssertionError, match="an instance takes no arguments"):
        create(Square(), 3)
    with pytest.raises(AssertionError, match="expected a str, got 3"):
        create(3)
    with pytest.raises(TypeError, match="expected a shape"):
        create()


def test_a_logger_is_made_once_and_writes_to_its_file(tmp_path):
    path = tmp_path / "out"
    logger = log.get_logger("of_a_file", path, "w", log.INFO)
    assert log.get_logger("of_a_file", level=log.ERROR) is logger and len(logger.handlers) == 1
    logger.debug("less")
    logger.info("more")
    assert path.read_text() == "more\n"
    assert log.get_logger() is logging.getLogger()
    with pytest.warns(DeprecationWarning, match="get_logger"):
        assert log.getLogger("of_a_file") is logger


def test_a_line_begins_with_level_time_process_and_place():
    [handler] = log.get_logger("coloured").handlers
    place = ("coloured", logging.WARNING, "file.py", 7, "text %d", (3,), None)
    text = handler.format(logging.LogRecord(*place, func="work"))
    assert text.startswith("\x1b[31mW") and text.endswith("file.py:work:7]\x1b[0m text 3")


def lines(caplog, call, *params):
    caplog.clear()
    with caplog.at_level(logging.INFO):
        for param in params:
            call(param)
    return [record.getMessage() for record in caplog.records]


def test_callbacks_log_the_metric(caplog):
    accuracy = metric.Accuracy()
    right, wrong = nd.array([1, 0]), nd.array([[0.9, 0.1], [0.9, 0.1]])
    accuracy.update([right], [wrong])
    params = [Param(2, n, accuracy) for n in range(5)]
    assert lines(caplog, callback.log_train_metric(2), *params) == [
        f"Iter[2] Batch[{n}] Train-accuracy=0.500000" for n in (0, 2, 4)
    ]
    assert lines(caplog, callback.LogValidationMetricsCallback(), params[0], Param(2, 0, None)) == [
        "Epoch[2] Validation-accuracy=0.500000"
    ]
    assert lines(caplog, callback.ProgressBar(4, length=8), Param(0, 3, None)) == [
        "[======--] 75%\r"
    ]
    slow = lines(caplog, callback.Speedometer(8, 2, auto_reset=False), *params)
    assert [t.split("\t")[0] for t in slow] == ["Epoch[2] Batch [0-2]", "Epoch[2] Batch [0-4]"]
    assert all(t.endswith("samples/sec\taccuracy=0.500000") for t in slow)
    reset = lines(caplog, callback.Speedometer(8, 2), *params)
    assert reset[0].endswith("accuracy=0.500000") and reset[1].endswith("accuracy=nan")
    assert reset[1].startswith("Epoch[2] Batch [2-4]")
    assert len(lines(caplog, callback.Speedometer(8, 2), *params, *params)) == 4  # two epochs
    without = lines(caplog, callback.Speedometer(8, 2), *(Param(0, n, None) for n in range(3)))
    assert without[0].startswith("Iter[0] Batch [2]\tSpeed: ")


def test_a_checkpoint_is_read_as_it_was_written(tmp_path, caplog):
    prefix = str(tmp_path / "net")
    data = sym.Variable("data")
    out = sym.BatchNorm(sym.FullyConnected(data, num_hidden=2, name="fc"), name="bn")
    arg = {"fc_weight": nd.array([[1, 2, 3], [4, 5, 6]]), "fc_bias": nd.zeros(2)}
    aux = {"bn_moving_mean": nd.array([0.5, 1.5])}
    save = callback.do_checkpoint(prefix, 2)
    for epoch in range(2):
        save(epoch, out, arg, aux)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0002.params", "net-symbol.json"]
    symbol, args, states = model.load_checkpoint(prefix, 2)
    assert symbol.list_arguments() == out.list_arguments()
    assert args.keys() == arg.keys() and states.keys() == aux.keys()
    np.testing.assert_array_equal(args["fc_weight"].asnumpy(), arg["fc_weight"].asnumpy())
    np.testing.assert_array_equal(states["bn_moving_mean"].asnumpy(), [0.5, 1.5])
    model.save_checkpoint(prefix, 3, None, {}, {})
    assert model.load_params(prefix, 3) == ({}, {}) and "no parameters" in caplog.text
    nd.save(prefix + "-0004.params", [nd.zeros(2)])
    with pytest.raises(MXNetError, match="without"):
        model.load_params(prefix, 4)


def test_module_checkpoint_asks_the_module():
    class Module:
        saved: list = []

        def save_checkpoint(self, *given):
            self.saved.append(given)

    every = callback.module_checkpoint(Module(), "p", 3, True)
    for epoch in range(7):
        every(epoch)
    assert Module.saved == [("p", 3, True), ("p", 6, True)]
