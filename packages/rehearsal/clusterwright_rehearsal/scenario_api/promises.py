"""Recording of promises: which held, which broke, how long each took."""

from __future__ import annotations

import contextlib
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
        `within_s` seconds. A probe that slurmctld did not answer is called again.
        """
        started = time.monotonic()
        while True:
            try:
                missing = probe()
            except ControllerBusy as error:
                missing = str(error)
            if missing is None:
                return time.monotonic() - started
            if time.monotonic() - started > within_s:
                raise Broken(f"after {within_s:.0f} s: {missing}")
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
