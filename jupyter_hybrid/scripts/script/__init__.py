"""script(): Python with control flow on array values, compiled whole; nothing of it runs again."""

from __future__ import annotations

from .errors import ScriptError
from .saved import load
from .scripted import Scripted, script

__all__ = ["ScriptError", "Scripted", "load", "script"]
