"""What the NumPy face asks of whoever records: the recorder itself stands in a room above."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..reasons import Reason


class Recorder(Protocol):
    """Records what is done with arrays; computes when somebody needs a value.

    Attributes:
        active: calls are recorded; else they go on in real NumPy.
        script: it records a scripted function, of which nothing is computed. It has ``element``
            (``array[key]`` where the key may hold numbers of a traced loop; None when it does not)
            and ``scalar_with_ndarray`` (an operator on a NumPy scalar's node and an NDArray).
        checks: operators recorded that may refuse their input when they run.
        settled: the cell has ended and every value of it is computed.
        namespace: the names of the code that is recorded.
        filename: of that code.
        proxies: weak references to every traced array.
        arrays: how many of them there have been, NumPy's scalars aside.
        promises: ndarrays that were given away and wait for their contents.
        epoch: grows when others may have written any existing array.
        looked: how often somebody may have looked at what an existing array holds.
        stores: how often an existing array got its new contents.
        tick: how often something was computed.
        warned: NumPy itself has, in a call that it ran.
    """

    active: bool
    script: bool
    checks: int
    settled: bool
    namespace: dict[str, Any]
    filename: str
    proxies: list[Any]
    arrays: int
    promises: Any
    epoch: int
    looked: int
    stores: int
    tick: int
    warned: bool

    # Arrays --------------------------------------------------------------------------------------
    @property
    def wrappers(self) -> dict[int, Any]:
        """The traced arrays of existing ndarrays, by their ``id``."""

    def wrap(self, value: Any) -> Any:
        """The traced array of an ndarray; anything else unchanged."""

    def adopt(self, array: Any) -> None:
        """``array`` was computed and its ndarray handed out: both are one from here on."""

    def keep(self, array: Any) -> None:
        """``array`` stands for its ndarray to the end."""

    def forget(self, value: np.ndarray) -> None:
        """Nothing stands for this ndarray any more."""

    # Computing -----------------------------------------------------------------------------------
    def leave_graph(self, reason: Reason) -> None:
        """Notes that the current line goes on in real NumPy."""

    def read(self, array: Any, reason: Reason) -> None:
        """Somebody needs the elements of a traced array now."""

    def sync(self, arrays: list[Any], reason: Reason) -> None:
        """Computes ``arrays`` now, and with them what lives on the way to them."""

    def flush(self, reason: Reason) -> None:
        """Computes every live traced array, and writes changed inputs back."""

    def flush_if_active(self, reason: Reason) -> None:
        """:meth:`flush` while code is recorded; nothing is pending afterwards."""

    def raise_here(self, made: list[Any], reason: Reason) -> None:
        """Computes the results of an operator whose error NumPy raises at once."""

    def look(self, array: Any, reason: Reason) -> None:
        """Computes an array whose elements say whether NumPy raises at once."""

    # Writing -------------------------------------------------------------------------------------
    def before_write(self, wrapper: Any) -> bool:
        """Before an existing ndarray is written; True when other inputs overlap it."""

    def write_back(self, failed: bool = False) -> None:
        """Copies what was written into existing ndarrays to where they live."""

    def touch_others(self, written: Any) -> None:
        """After a write that reached memory: arrays that overlap it are read again."""
