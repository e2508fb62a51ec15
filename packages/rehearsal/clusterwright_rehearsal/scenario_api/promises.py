"""Recording of promises: which held, which broke, how long each took."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

from clusterwright_rehearsal.scenario_api.outcomes import (
    Broken,
    ControllerBusy,
    NotApplicable,
    Undetermined,
)
from clusterwright_rehearsal.verdict import Promise, Status

_POLL_S = 0.25
# The limits of scenarios are set for a machine that has a processor free. On a busy one, time
# counts by the share of a processor that a runnable process receives, at least a third.
_LEAST_SHARE = 1 / 3


class PromiseRecorder:
    """The promises of the scenario that is running, and their results."""

    def __init__(self) -> None:
        self._scenario = ""
        self._promises: dict[str, str] = {}
        self._notes: list[str] = []
        self.results: list[Promise] = []

    def begin(self, scenario: str, promises: Mapping[str, str]) -> None:
        """Record the following promises for this scenario. Called by the rehearsal."""
        self._scenario, self._promises = scenario, dict(promises)

    @contextlib.contextmanager
    def promise(self, name: str) -> Iterator[None]:
        """Check one promise of the scenario in the `with` block; it holds unless the block raises.

        Raises
        ------
        Broken
            The promise does not hold.
        Undetermined
            The promise cannot be checked.
        """
        text = self._promises[name]
        started = time.monotonic()
        note = len(self._notes)
        try:
            yield
        except Broken as error:
            self._record(name, text, "broken", started, str(error))
            raise
        except Undetermined as error:
            self._record(name, text, "unknown", started, str(error))
            raise
        self._record(name, text, "held", started, "; ".join(self._notes[note:]) or None)

    def note(self, text: str) -> None:
        """Show a measurement or a fact beside the current promise in the verdict."""
        self._notes.append(text)

    def expect(self, condition: object, message: str) -> None:
        """Raise `Broken` with `message` unless `condition` is true."""
        if not condition:
            raise Broken(message)

    def cannot_determine(self, reason: str) -> NoReturn:
        """End the scenario; the current promise and the remaining ones are unknown."""
        raise Undetermined(reason)

    def skip(self, reason: str) -> NoReturn:
        """Skip the scenario, before its first promise, as not applicable to this cluster."""
        raise NotApplicable(reason)

    def wait_for(self, probe: Callable[[], str | None], *, within_s: float) -> float:
        """Call `probe` until it returns None; until then it returns what is still missing.

        Returns the seconds that this took. Raises `Broken` with the last text of the probe after
        `within_s` seconds, and later on a busy machine (`processor_share`). A probe that
        slurmctld did not answer is called again.
        """
        started = last = time.monotonic()
        counted_s = 0.0
        while True:
            try:
                missing = probe()
            except ControllerBusy as error:
                missing = str(error)
            now = time.monotonic()
            if missing is None:
                return now - started
            counted_s, last = counted_s + (now - last) * processor_share(), now
            if counted_s >= within_s:
                raise Broken(f"after {now - started:.0f} s: {missing}")
            time.sleep(_POLL_S)

    # Former names, for scenario files that use them.
    cannot = cannot_determine
    not_for_this = skip

    def _record(
        self, name: str, text: str, status: Status, started: float, reason: str | None
    ) -> None:
        seconds = time.monotonic() - started
        self.results.append(
            Promise(f"{self._scenario}.{name}", self._scenario, text, status, seconds, reason)
        )


def processor_share() -> float:
    """The share of a processor that a runnable process of this machine receives: 1/3 to 1.

    It is the number of processors divided by the load average of the last minute, which counts
    runnable processes and those in uninterruptible waits.
    """
    load = os.getloadavg()[0]
    processors = os.cpu_count() or 1
    return min(1.0, max(_LEAST_SHARE, processors / load)) if load else 1.0
