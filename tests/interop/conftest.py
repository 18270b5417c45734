"""The interpreter that has genuine MXNet; see ``environment.py``."""

from __future__ import annotations

import pytest
from environment import Missing, mxnet_python


@pytest.fixture(scope="session", name="mxnet_python")
def found_python() -> str:
    try:
        return mxnet_python()
    except ValueError as error:
        pytest.fail(str(error))
    except Missing as error:
        pytest.skip(str(error))
