"""The worker processes of a DataLoader, as their parent sees them.

One thread gives tasks to workers and takes their answers; nobody else touches a pipe. A worker
has pipes and memory of its own, so one that is killed leaves no lock behind that others wait for.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from .shared_block import SharedBlock, loads
from .worker import ANSWER, serve

__all__ = ["Task", "WorkerPool"]

_AHEAD = 2  # tasks that a worker has at a time: it never waits while its answer is taken
_FORK = multiprocessing.get_context("fork")  # workers know the data set without pickling it
_SIGNALS = {int(known): known.name for known in signal.Signals}
_STOPS_S = 2.0  # how long an idle worker may take to end


class WorkerTraceback(Exception):
    """The cause of an error that a worker raised: its traceback as text."""


class Task:
    """A batch that somebody waits for."""

    def __init__(self, number: int, message: bytes):
        self.number = number
        self.message = message
        self.done = False
        self.ok = False
        self.content: Any = None
        self.failure = ""  # why no worker answered; an error would keep its raiser's frames alive

    def finish(self, ok: bool, content: Any) -> None:
        self.done, self.ok, self.content = True, ok, content

    def fail(self, why: str) -> None:
        self.done, self.failure = True, why

    def result(self) -> Any:
        """The batch; raises the worker's error, with its traceback as the cause."""
        if self.failure:
            raise RuntimeError(self.failure)
        content = loads(*self.content)
        if self.ok:
            return content
        error, text = content
        try:
            raise error from WorkerTraceback("\n" + text)
        finally:  # its traceback has this frame: together they would keep the loader alive
            del error, content


class _Worker:
    def __init__(self, dataset: Any, batchify_fn: Callable[..., Any], siblings: list[_Worker]):
        self.blocks = [SharedBlock() for _ in range(_AHEAD)]
        self.pipe, theirs = _FORK.Pipe()
        self.tasks: deque[Task] = deque()
        self.answers = 0
        # What it would keep open beyond our end: ours of its pipe, and of the pipes of others.
        ours = [self.pipe, *(s.pipe for s in siblings)]
        self.process = _FORK.Process(
            target=_serve_alone, args=(ours, dataset, batchify_fn, theirs, self.blocks, os.getpid())
        )
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()

    def send(self, task: Task) -> None:
        with contextlib.suppress(OSError):  # one that died is noticed by its sentinel
            self.pipe.send_bytes(task.message)

    def take_answer(self) -> tuple[bool, Any]:
        """Whether the oldest task went well, and its content. EOFError, OSError: it is dead."""
        _, ok, end, parts = ANSWER.unpack(self.pipe.recv_bytes())
        content = self.blocks[self.answers % _AHEAD].read(end, parts)
        self.answers += 1
        return ok, content

    def why_dead(self) -> str:
        self.process.join()
        code = self.process.exitcode or 0
        how = f"ended with exit code {code}"
        if code < 0:
            how = f"was killed by signal {_SIGNALS.get(-code, -code)}"
            if -code in (signal.SIGKILL, signal.SIGBUS):
                how += " (memory may not have sufficed)"
        pid = self.process.pid
        return f"DataLoader worker (pid {pid}) {how} while it made a batch"

    def stop(self) -> None:
        if self.tasks:
            self.process.terminate()
        else:
            with contextlib.suppress(OSError):
                self.pipe.send_bytes(b"")
        self.process.join(_STOPS_S)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.close()

    def close(self) -> None:
        self.pipe.close()
        for block in self.blocks:
            block.close()


def _serve_alone(ours: list[Any], *arguments: Any) -> None:
    for pipe in ours:
        pipe.close()
    serve(*arguments)


class WorkerPool:
    """Workers for one data set. The process that made it uses it, no child of it."""

    def __init__(self, dataset: Any, batchify_fn: Callable[..., Any], count: int):
        self.pid = os.getpid()
        self._dataset = dataset
        self._batchify_fn = batchify_fn
        self._count = count
        self._workers: list[_Worker] = []
        self._queue: deque[Task] = deque()
        self._changed = threading.Condition()
        self._numbers = 0
        self._stopping = False
        self._last_death = ""
        self._wake_read, self._wake_write = os.pipe()
        self.revive()
        self._thread = threading.Thread(
            target=self._serve, name="jupyter_hybrid DataLoader", daemon=True
        )
        self._thread.start()

    def revive(self) -> None:
        """Starts the workers that are missing: at first all, later those that died."""
        with self._changed:
            while len(self._workers) < self._count:
                self._workers.append(_Worker(self._dataset, self._batchify_fn, self._workers))
        self._wake()

    def submit(self, seed: int, samples: Any) -> Task:
        """Has a batch made of samples of these indices."""
        with self._changed:
            self._numbers += 1
            message = bytes(ForkingPickler.dumps((self._numbers, seed, samples)))
            task = Task(self._numbers, message)
            self._queue.append(task)
        self._wake()
        return task

    def wait(self, task: Task, timeout: float) -> bool:
        """Until the task is done; False where ``timeout`` seconds have passed before."""
        with self._changed:
            return self._changed.wait_for(lambda: task.done, timeout)

    def give_up(self, tasks: list[Task], kill: bool = False) -> None:
        """Nobody wants these any more. With ``kill`` workers that have begun one are killed."""
        unwanted = set(map(id, tasks))
        with self._changed:
            self._queue = deque(t for t in self._queue if id(t) not in unwanted)
            if kill:
                for worker in self._workers:
                    if any(id(t) in unwanted for t in worker.tasks):
                        worker.process.kill()

    def terminate(self) -> None:
        """Ends every worker: idle ones are told to, others are ended where they are."""
        if os.getpid() != self.pid:
            return
        self._stopping = True
        self._wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(_STOPS_S)
        for worker in self._workers:
            worker.stop()
        self._workers.clear()
        for end in (self._wake_read, self._wake_write):
            os.close(end)

    def _wake(self) -> None:
        os.write(self._wake_write, b".")

    def _serve(self) -> None:
        """The thread: waits for answers, deaths and new tasks.

        While it waits it holds no task: one that failed may be all that keeps a loader alive.
        """
        while not self._stopping:
            self._send_tasks()
            self._take_answers(connection.wait(self._waits()))

    def _send_tasks(self) -> None:
        with self._changed:
            given = self._hand_out()
        for worker, task in given:
            worker.send(task)  # may wait for the worker, so without the lock

    def _waits(self) -> list[Any]:
        with self._changed:
            ends = [(worker.pipe, worker.process.sentinel) for worker in self._workers]
        return [self._wake_read, *(end for pair in ends for end in pair)]

    def _take_answers(self, ready: list[Any]) -> None:
        if self._wake_read in ready:
            os.read(self._wake_read, 1 << 16)
        for worker in list(self._workers):
            if worker.pipe in ready:
                self._take(worker)
            elif worker.process.sentinel in ready:
                self._bury(worker)

    def _hand_out(self) -> list[tuple[_Worker, Task]]:
        given = []
        while self._queue and self._workers:
            worker = min(self._workers, key=lambda w: len(w.tasks))
            if len(worker.tasks) == _AHEAD:
                break
            task = self._queue.popleft()
            worker.tasks.append(task)
            given.append((worker, task))
        if not self._workers:
            self._fail(self._queue, f"DataLoader: every worker has died; {self._last_death}")
        return given

    def _take(self, worker: _Worker) -> None:
        try:
            ok, content = worker.take_answer()
        except (EOFError, OSError):
            self._bury(worker)
            return
        with self._changed:
            worker.tasks.popleft().finish(ok, content)
            self._changed.notify_all()

    def _bury(self, worker: _Worker) -> None:
        if self._stopping:
            return
        why = self._last_death = worker.why_dead()
        with self._changed:
            self._workers.remove(worker)
            worker.close()
            self._fail(worker.tasks, why)

    def _fail(self, tasks: deque[Task], why: str) -> None:
        while tasks:
            tasks.popleft().fail(why)
        self._changed.notify_all()
