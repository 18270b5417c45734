"""What recorded code raises when it can't be recorded."""

from __future__ import annotations


class NotConvertible(BaseException):
    """This code can't be a node of the graph; the message says why. Python runs it then.

    Args:
        where: (file, line) when it is known and the traceback ends elsewhere.
    """

    def __init__(self, reason: str = "", where: tuple[str, int] | None = None):
        super().__init__(reason)
        self.where = where
