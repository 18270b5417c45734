"""What a worker process of a DataLoader does: batches, until it is told to stop."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import signal
import struct
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ... import _core, autograd
from .shared_block import SharedBlock

__all__ = ["ANSWER", "serve"]

#: What a worker sends for a task: its number, whether it was done, where the answer lies.
ANSWER = struct.Struct("<q?qq")
_LOOKS_FOR_PARENT_S = 1.0


def serve(
    dataset: Any,
    batchify_fn: Callable[[list[Any]], Any],
    tasks: Connection,
    blocks: list[SharedBlock],
    parent: int,
) -> None:
    """Does one task after the other; answers lie in the blocks in turn.

    Ends when told to, and when the process ``parent`` is gone, of which nothing tells where
    another process holds our pipe.
    """
    _own_signals()
    served = 0
    with autograd.pause():
        while True:
            while not tasks.poll(_LOOKS_FOR_PARENT_S):
                if os.getppid() != parent:
                    return
            try:
                message = tasks.recv_bytes()
                if not message:
                    return
                block = blocks[served % len(blocks)]
                tasks.send_bytes(_answer(message, dataset, batchify_fn, block))
            except (EOFError, BrokenPipeError, ConnectionResetError):
                return  # the parent is gone
            served += 1


def _own_signals() -> None:
    # An interrupt is the parent's; it ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _answer(
    message: bytes, dataset: Any, batchify_fn: Callable[[list[Any]], Any], block: SharedBlock
) -> bytes:
    number, seed, samples = pickle.loads(message)
    try:
        _seed(seed)
        batch = batchify_fn([dataset[i] for i in samples])
        return ANSWER.pack(number, True, *block.write(batch))
    except BaseException as error:
        # SystemExit and KeyboardInterrupt of the user's code, too: the parent tells of them.
        return ANSWER.pack(number, False, *block.write(_described(error)))


def _seed(seed: int) -> None:
    """A batch draws the same numbers whichever worker makes it, and no other batch's."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    _core.seed(seed)


def _described(error: BaseException) -> tuple[BaseException, str]:
    """The error as it can be sent, and its text with the lines of the user's code."""
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename == __file__:
        place = place.tb_next
    text = "".join(traceback.format_exception(type(error), error, place))
    with contextlib.suppress(Exception):  # whatever the pickling of a user's class raises
        sent = pickle.loads(pickle.dumps(error))
        if type(sent) is type(error) and isinstance(error, Exception):
            return error.with_traceback(None), text
    described = f"{type(error).__name__}: {error}"
    return RuntimeError(f"a DataLoader worker raised {described}"), text
