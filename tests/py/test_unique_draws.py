"""Different classes from the log-uniform distribution."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, nd, random

draw = nd._internal._sample_unique_zipfian


def test_rows_have_different_classes_small_ones_first():
    random.seed(3)
    classes, trials = draw(10000, shape=(50, 40))
    rows = classes.asnumpy()
    assert classes.dtype == trials.dtype == np.int64 and trials.shape == (50,)
    assert all(len(set(row)) == 40 for row in rows.tolist())
    assert rows.min() >= 0 and rows.max() < 10000
    assert (trials.asnumpy() >= 40).all()
    # Class 0 has the probability log 2 / log 10001 a draw.
    first = rows[:, 0]
    assert 0 < (first == 0).mean() < 0.3
    assert np.median(rows) < 500
    random.seed(3)
    again, _ = draw(10000, shape=(50, 40))
    np.testing.assert_array_equal(again.asnumpy(), rows)


def test_all_classes_and_bad_shapes():
    classes, _ = draw(5, shape=(2, 5))
    assert [sorted(row) for row in classes.asnumpy().tolist()] == [[0, 1, 2, 3, 4]] * 2
    out = [nd.zeros((1, 2), dtype="int64"), nd.zeros(1, dtype="int64")]
    assert draw(9, shape=(1, 2), out=out)[0] is out[0] and out[1].asscalar() >= 2
    with pytest.raises(MXNetError, match="given 4 different classes of 3"):
        draw(3, shape=(1, 4))
    with pytest.raises(MXNetError, match=r"expected \(rows, count\)"):
        draw(3, shape=(3,))
