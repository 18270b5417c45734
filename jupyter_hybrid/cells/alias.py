"""``%hybrid alias mxnet``: cells import ``mxnet`` and get what is here."""

from __future__ import annotations

from IPython.core.error import UsageError as MagicUsageError

from ..base import MXNetError
from ..compat import mxnet


def alias(words: list[str]) -> None:
    """Does what the words after ``%hybrid alias`` say, and prints what is true then.

    Raises:
        UsageError: other words, or genuine MXNet is installed and nobody said ``--replace``.
    """
    if words == ["off"]:
        mxnet.uninstall()
    elif words in (["mxnet"], ["mxnet", "--replace"]):
        try:
            mxnet.install(replace=len(words) == 2)
        except MXNetError as error:
            raise MagicUsageError(f"{error}; here: %hybrid alias mxnet --replace") from None
    elif words:
        raise MagicUsageError(
            "expected %hybrid alias mxnet [--replace] or %hybrid alias off, "
            f"got %hybrid alias {' '.join(words)}"
        )
    means = "jupyter_hybrid" if mxnet.installed() else "MXNet itself, where it is installed"
    print(f"import mxnet: {means}")
