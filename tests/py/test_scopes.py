"""What holds for a region of code or a thread: names, attributes, devices, bulks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_hybrid import attribute, context, cpu, engine, name, nd, sym
from jupyter_hybrid.gluon import nn


def elsewhere(function: Callable[[], Any]) -> Any:
    """What a function gives on a thread of its own."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_the_current_attributes_are_the_threads_own() -> None:
    attribute.AttrScope.current = attribute.AttrScope(a="1")
    try:
        assert sym.var("x").attr("a") == "1" and attribute.AttrScope.current._attr == {"a": "1"}
        assert elsewhere(lambda: attribute.AttrScope.current._attr) == {}
        with attribute.AttrScope(b="2"):
            assert attribute.AttrScope.current.get(None) == {"a": "1", "b": "2"}
    finally:
        attribute.AttrScope.current = attribute.AttrScope()
    assert sym.var("x").attr("a") is None


def test_the_current_names_are_the_threads_own() -> None:
    def names() -> list[str | None]:
        name.NameManager.current = name.Prefix("own_")
        made = [sym.exp(sym.var("x")).name]
        with name.NameManager() as inner:
            assert name.NameManager.current is inner
            made.append(sym.exp(sym.var("x")).name)
        return made

    assert elsewhere(names) == ["own_exp0", "exp0"]
    assert elsewhere(lambda: type(name.NameManager.current)) is name.NameManager


def test_symbols_made_in_a_blocks_scope_have_its_prefix() -> None:
    block = nn.HybridSequential(prefix="net_")
    with block.name_scope():
        block.add(nn.Dense(2))
        assert sym.exp(sym.var("x")).name == "net_exp0"
        with nn.HybridSequential(prefix="in_").name_scope():
            assert sym.exp(sym.var("x"), name="e").name == "net_in_e"
    assert block[0].prefix == "net_dense0_"


def test_the_default_device_is_the_threads_own() -> None:
    def devices() -> list[str]:
        context.Context.default_ctx = cpu(3)
        made = [str(nd.ones(1).context)]
        with cpu(5):
            made.append(str(context.Context.default_ctx))
        return [*made, str(context.current_context())]

    assert elsewhere(devices) == ["cpu(3)", "cpu(5)", "cpu(3)"]
    assert context.Context.default_ctx == cpu(0)
    kind = context.Context.devtype2str[cpu(0).device_typeid]
    assert kind == "cpu" and context.Context.devstr2type["gpu"] == 2


def test_bulks_are_counted_and_change_nothing() -> None:
    before = engine.set_bulk_size(3)
    with pytest.raises(KeyError), engine.bulk(10):
        assert engine.set_bulk_size(10) == 10
        x = nd.ones(3) + 1
        raise KeyError
    assert engine.set_bulk_size(before) == 3 and (x.asnumpy() == 2).all()
