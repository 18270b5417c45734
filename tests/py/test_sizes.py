"""Sizes are told in the units and digits of the viewer."""

from __future__ import annotations

import pytest

from jupyter_hybrid.capture.sizes import byte_size


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "-"), (0, "0 B"), (320, "320 B"), (1023, "1023 B"), (4096, "4 KB"), (33_000, "32.2 KB"),
     (150_000, "146 KB"), (1_536_000, "1.46 MB"), (1.5 * 2**20, "1.5 MB"), (2**30, "1 GB"),
     (2**50, "1024 TB"), (-2048, "−2 KB")],
)  # fmt: skip
def test_a_size_is_told_as_the_viewer_tells_it(count, text):
    assert byte_size(count) == text
