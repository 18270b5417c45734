"""Tests that need a physical GPU: skipped, with the reason, where there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

import jupyter_hybrid as mx


def _why_not() -> str:
    try:
        mx.nd.zeros(1, ctx=mx.gpu()).wait_to_read()
    except mx.MXNetError as error:
        return str(error)
    return "gpu(0) is a virtual one" if mx.gpu().virtual else ""


WHY_NOT = _why_not()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if WHY_NOT:
        for item in items:
            if "gpu" in item.path.parent.name:
                item.add_marker(pytest.mark.skip(reason=WHY_NOT))


@pytest.fixture(autouse=True)
def settled() -> Iterator[None]:
    """Every test starts with one seed and ends with nothing recorded and nothing pending."""
    mx.random.seed(7)
    before = mx.engine.settings()
    yield
    mx.autograd.set_recording(False)
    mx.autograd.set_training(False)
    if mx.engine.settings() != before:
        mx.engine.configure(**before)
    with contextlib.suppress(mx.MXNetError):
        mx.nd.waitall()
