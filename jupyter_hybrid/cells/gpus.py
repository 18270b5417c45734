"""``%hybrid gpus``: virtual GPUs, modelled by a data sheet."""

from __future__ import annotations

from contextlib import suppress

from IPython.core.error import UsageError as MagicUsageError

from .. import _core
from ..base import MXNetError
from ..capture.durations import seconds
from ..capture.sizes import byte_size
from ..context import virtual_gpus
from ..modelled import declared

USAGE = (
    "%hybrid gpus [N [like DEVICE] [links pcie|nvlink|dgx1] [dispatch MICROSECONDS] "
    "[modelled-only]], or %hybrid gpus N unmodelled"
)
LINKS = ("pcie", "nvlink", "dgx1")
WORDS = ("like", "links", "dispatch", "modelled-only", "unmodelled")


def gpus(words: list[str]) -> None:
    """Does what the words after ``%hybrid gpus`` say, and prints what is declared then.

    Raises:
        UsageError: other words, or a machine that can't be.
    """
    if words:
        count, options = _read(words)
        try:
            virtual_gpus(count, **options)
        except MXNetError as error:
            raise MagicUsageError(str(error)) from None
    print(described())


def described() -> str:
    """The virtual GPUs in words."""
    of = declared()
    count = _core.num_virtual_gpus()
    if of is None:
        if not count:
            return "no virtual GPUs; %hybrid gpus 4 declares four"
        return f"{count} virtual GPUs, computed by the CPU, without modelled times"
    rows = [str(of)]
    for model in dict.fromkeys(of.gpus):
        rows.append(
            f"  {model.name}: {model.float32 / 1e12:g} TFLOP/s in float32, "
            f"{model.bandwidth / 1e9:,.0f} GB/s, {byte_size(model.memory)}, "
            f"{seconds(model.launch)} between kernels ({model.source or 'described here'})"
        )
    links = dict.fromkeys(link.name or "links" for link in of.links)
    rows.append(
        f"  {', '.join(links) or 'no links'}; every push to a GPU takes the host "
        f"{seconds(of.dispatch)} beside its own time"
    )
    rows.append("  times are modelled: nothing is measured on such a machine")
    return "\n".join(rows)


def _read(words: list[str]) -> tuple[int, dict]:
    rest = list(words)
    options: dict = {}
    try:
        count = _count(rest.pop(0))
        while rest:
            word = rest.pop(0)
            if word in ("like", "links", "dispatch") and not rest:
                raise ValueError(f"nothing follows {word}")
            if word == "like":
                options["like"] = _device(rest)
            elif word == "links":
                options["links"] = rest.pop(0)
                if options["links"] not in LINKS:
                    raise ValueError(f"no topology {options['links']!r} is known")
            elif word == "dispatch":
                options["dispatch"] = _microseconds(rest.pop(0)) * 1e-6
            elif word == "modelled-only":
                options["compute"] = False
            elif word == "unmodelled":
                options["like"] = None
            else:
                raise ValueError(f"{word!r} is no option")
    except ValueError as why:
        raise MagicUsageError(f"%hybrid gpus {' '.join(words)}: {why}; expected {USAGE}") from None
    if count and "like" not in options:
        options["like"] = "V100"
    return count, options


def _count(word: str) -> int:
    with suppress(ValueError):
        if 0 <= int(word) <= 64:
            return int(word)
    raise ValueError(f"N is 0 to 64, a whole number, not {word!r}")


def _microseconds(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"dispatch is {word!r}, expected a number of microseconds") from None


def _device(rest: list[str]) -> str:
    """Takes the words of a name such as RTX 3090."""
    name = [rest.pop(0)]
    while rest and rest[0] not in WORDS:
        name.append(rest.pop(0))
    return " ".join(name)
