"""MXNet's ``log``: loggers that write level, time, process and place before a message."""

from __future__ import annotations

import logging
import os
import warnings
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING

__all__ = [
    "CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARNING", "getLogger", "get_logger",
]  # fmt: skip

_RED, _GREEN, _BLUE, _END = "\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[0m"
_PLACE = "%(asctime)s %(process)d %(pathname)s:%(funcName)s:%(lineno)d]"
_made: set[str] = set()


class _Coloured(logging.Formatter):
    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        colour = _RED if record.levelno >= WARNING else _GREEN if record.levelno >= INFO else _BLUE
        known = record.levelno in (CRITICAL, ERROR, WARNING, INFO, DEBUG)
        letter = record.levelname[0] if known else "U"
        record.asctime = self.formatTime(record, self.datefmt)
        return f"{colour}{letter}{_PLACE % record.__dict__}{_END} {record.message}"


def get_logger(
    name: str | None = None,
    filename: str | os.PathLike[str] | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """The logger of a name; the first call for it gives it a handler and its level.

    Args:
        name: None for the root logger, which is left as it is.
        filename: where it writes, without colours; None for the standard error stream.
        filemode: "a" appends, "w" begins anew; None for "a".
        level: what is less is not written.
    """
    logger = logging.getLogger(name)
    if name is None or name in _made:
        return logger
    if filename:
        handler: logging.Handler = logging.FileHandler(filename, filemode or "a")
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(_Coloured())
    _made.add(name)
    logger.addHandler(handler)
    logger.setLevel(level)
    return logger


def getLogger(
    name: str | None = None,
    filename: str | os.PathLike[str] | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """An older name of :func:`get_logger`."""
    warnings.warn("log.getLogger: get_logger is its name now", DeprecationWarning, stacklevel=2)
    return get_logger(name, filename, filemode, level)
