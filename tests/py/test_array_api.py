"""The array API standard's functions on a cell's arrays answer as array-api-strict does."""

from __future__ import annotations

import pytest

from tests.array_api.cases import ALL, functions_asked, functions_of_the_standard
from tests.array_api.trial import run, summary

# Asked for by hand elsewhere, or not about arrays.
_ELSEWHERE = {"from_dlpack"}


@pytest.fixture(scope="module")
def verdicts():
    found = run()
    print(summary(found))
    return found


def test_every_function_is_asked():
    assert functions_of_the_standard() - functions_asked() - _ELSEWHERE <= {*ALL}


@pytest.mark.takes("every function of the standard in cells")
def test_answers(verdicts):
    right = sum(not v.wrong for v in verdicts)
    assert len(verdicts) > 5000
    assert right >= 0.95 * len(verdicts), summary(verdicts)
    ours = [v for v in verdicts if v.wrong and not v.numpys]
    assert not ours, summary(ours)


def test_share_in_the_graph(verdicts):
    captured = sum(not v.wrong and not v.broke for v in verdicts)
    assert captured >= 0.25 * len(verdicts), summary(verdicts)
