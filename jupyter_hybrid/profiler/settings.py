"""What ``profiler.set_config`` takes."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

from .._core import MXNetError

_TRUE, _FALSE = ("1", "true", "True"), ("0", "false", "False")


@dataclass
class Settings:
    """MXNet's settings with its defaults."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = True
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: str = "worker"


def read(given: dict[str, Any]) -> Settings:
    """The settings; what isn't given has its default, whatever it was before.

    Raises:
        MXNetError: an unknown setting, or a value of another kind.
    """
    known = {field.name: field.default for field in fields(Settings)}
    settings = Settings()
    for name, value in given.items():
        if name not in known:
            raise MXNetError(
                f"profiler.set_config: given {name!r}, expected one of {', '.join(known)}"
            )
        setattr(settings, name, _value(name, value, known[name]))
    if settings.profile_process not in ("worker", "server"):
        raise MXNetError(
            f"profiler.set_config: given profile_process {settings.profile_process!r}, "
            "expected 'worker' or 'server'"
        )
    return settings


def _value(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, str):
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if isinstance(default, bool):
        if str(value) in _TRUE + _FALSE:
            return str(value) in _TRUE
        kind = "a boolean"
    else:
        try:
            return float(value)
        except (TypeError, ValueError):
            kind = "a number"
    raise MXNetError(f"profiler.set_config: given {name}={value!r}, expected {kind}")
