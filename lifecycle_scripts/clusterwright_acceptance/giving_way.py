"""A launcher that stops its jobs when a job of a user waits for nodes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Optional

from clusterwright_acceptance.launcher import Launched, Launcher

LOOK_SECONDS = 2.0
LOWEST = "--nice=2147483645"
"""The largest adjustment that sbatch(1) allows: the lowest priority."""


class GivingWay:
    """Watch for waiting jobs, and stop everything at the first.

    Parameters
    ----------
    waits:
        The id of a job that waits; None without one.
    cancel:
        Cancels the jobs of this run.
    """

    def __init__(
        self,
        waits: Callable[[], Optional[str]],
        cancel: Callable[[], None],
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._waits = waits
        self._cancel = cancel
        self._look_seconds = look_seconds
        self._over = threading.Event()
        self._job: Optional[str] = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> GivingWay:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=30.0)

    def stopped(self) -> Optional[str]:
        """Why the run stopped; None while nothing waits."""
        return None if self._job is None else f"stopped: job {self._job} waits for nodes"

    def launcher(self, inner: Launcher) -> Launcher:
        return _Launcher(self, inner)

    def _watch(self) -> None:
        while not self._over.wait(self._look_seconds):
            self._look()
            if self._job is not None:
                # A job that was submitted just before is cancelled by the next look.
                self._cancel()

    def _look(self) -> None:
        if self._job is None:
            self._job = self._waits()


class _Launcher:
    """`inner` until the run stops; what was cancelled says nothing about its nodes."""

    def __init__(self, way: GivingWay, inner: Launcher) -> None:
        self._way = way
        self._inner = inner

    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        reason = self._way.stopped()
        if reason is None:
            done = self._inner.run(
                nodes,
                argv,
                tasks_per_node=tasks_per_node,
                timeout_seconds=timeout_seconds,
                env=env,
            )
            reason = self._way.stopped()
            if reason is None:
                return done
        return Launched(1, "", reason)
