"""A picture with another one beside it, to be compared: two reports, two nets, a cell before and
after it was edited."""

from __future__ import annotations

from typing import Any

from .pictures import spec_of
from .schema import Spec


def with_beside(spec: Spec, other: Any) -> Spec:
    """The picture ``spec`` with that of ``other`` beside it.

    Args:
        other: anything that can be drawn.

    Raises:
        TypeError: ``other`` can't be drawn.
        ValueError: one of the two has no graph.
    """
    there = spec_of(other, "beside")
    for argument, picture in (("thing", spec), ("beside", there)):
        if not picture["stages"]:
            raise ValueError(f"{argument}: it has no graph to compare, nothing was computed in it")
    return {
        **spec,
        "beside": {
            "title": there["title"],
            "cell": there["cell"],
            "places": there["places"],
            "stages": there["stages"],
            "groups": there["groups"],
            "ends": there["ends"],
            "initial": there["initial"],
        },
    }
