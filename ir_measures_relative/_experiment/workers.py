"""Tasks, done one after the other or by several workers of joblib, with a progress bar where somebody sees it."""

import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ir_measures_relative._checks import WrongKind, condensed, flag, heard_warnings, is_whole, shown, tracked, warn

_MOST_JOBS = 10_000  # more workers than any machine starts; joblib takes minutes to find out
_LOOK_EVERY = 1.0  # seconds between two looks of a worker at its parent

Task = Callable[[Any, Any], Any]  # of an object that all tasks share, and an item
Heard = tuple[list[Any], list[str]]  # results and warnings


class WorkerDied(RuntimeError):
    """A worker process ended before its work was done."""


class _Sent:
    """An object that is part of many tasks: pickled once, and read once by a worker."""

    def __init__(self, value: Any):
        self.value = value

    @cached_property
    def _pickled(self) -> bytes:
        try:  # as joblib sends tasks: works for objects defined in a function or in __main__
            import cloudpickle
        except ImportError:  # older joblibs have it inside
            from joblib.externals import cloudpickle
        return bytes(cloudpickle.dumps(self.value))

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self._pickled,)


@lru_cache(maxsize=2)
def _received(pickled: bytes) -> _Sent:
    return _Sent(pickle.loads(pickled))


@dataclass(frozen=True)
class Workers:
    """Number of workers, of the kind that ``joblib.parallel_config`` chooses, and whether they show a progress bar."""

    n_jobs: int | None = 1
    progress: bool | None = None

    @classmethod
    def of(cls, n_jobs: Any = 1, progress: Any = None) -> Self:
        is_number = is_whole(n_jobs, -_MOST_JOBS, _MOST_JOBS) and n_jobs != 0
        if n_jobs is not None and not is_number:
            kind = ValueError if is_whole(n_jobs) else WrongKind
            raise kind(f"n_jobs must be a number of workers, or -1 for one per core, got {shown(n_jobs, 60)}")
        return cls(None if n_jobs is None else int(n_jobs), None if progress is None else flag(progress, "progress"))

    @property
    def count(self) -> int:
        if self.n_jobs == 1:
            return 1
        from joblib import effective_n_jobs  # late: one worker does not require it

        return int(effective_n_jobs(self.n_jobs))

    def map(self, function: Task, shared: Any, items: Iterable[Any], what: str, per_worker: int = 4) -> list[Any]:
        """Return ``function(shared, item)`` of every item, in their order; repeat the warnings of all, condensed.

        ``per_worker`` : number of tasks; several, so that no worker waits long for the slowest.
        """
        items, n_workers = list(items), self.count
        n_parts = len(items) if n_workers == 1 else min(len(items), per_worker * n_workers)
        edges = np.linspace(0, len(items), n_parts + 1).astype(int)
        parts = [items[start:end] for start, end in pairwise(edges)]
        serial = (_heard(function, shared, part) for part in parts)
        done = serial if n_workers == 1 else self._in_parallel(function, _Sent(shared), parts)
        results, sentences = [], []
        for part, warned in tracked(done, len(parts), what, self.progress):
            results += part
            sentences += warned
        for sentence in condensed(sentences):
            warn(sentence)
        return results

    def _in_parallel(self, function: Task, sent: _Sent, parts: Sequence[Any]) -> Iterator[Heard]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

        calls = (delayed(_heard)(function, sent, part, os.getpid()) for part in parts)
        try:
            yield from Parallel(n_jobs=self.n_jobs, return_as="generator")(calls)
        except TerminatedWorkerError:
            raise WorkerDied(
                "a worker process was killed, perhaps because memory ran out; use fewer workers (n_jobs, --jobs)"
            ) from None
        except BrokenProcessPool as error:
            raise WorkerDied(
                "a worker process cannot load a task: a measure of your own must be in a module that it can import; "
                "otherwise use one worker"
            ) from error


def _heard(function: Task, shared: Any, part: Sequence[Any], parent: int | None = None) -> Heard:
    """Return the results of a part and its warnings, which nobody would see in a worker process."""
    if parent is not None:
        _end_with(parent)
        shared = shared.value
    with heard_warnings() as sentences:
        results = [function(shared, item) for item in part]
    return results, sentences


@cache
def _end_with(parent: int) -> None:
    """Make a worker process end when ``parent`` has ended: nobody would fetch its results."""
    from multiprocessing import current_process  # late: nothing else needs it

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    is_worker = os.getpid() != parent and current_process().name.startswith("LokyProcess")
    if os.name == "posix" and is_worker:
        threading.Thread(target=watch, daemon=True).start()
