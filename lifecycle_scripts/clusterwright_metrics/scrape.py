"""One scrape of all sources, within a time budget.

Each source runs in a thread. A thread that has not ended within the budget continues: its samples
are missing, a metric reports it, and the source is not started again before the thread ends, so
that a driver that hangs is queried once and not once a minute.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
import time
from dataclasses import dataclass, field
from types import ModuleType
from typing import Callable

from clusterwright_common.probe import Probe, ProbeError

from clusterwright_metrics import sources
from clusterwright_metrics.text import Metrics, exposition

BUDGET_SECONDS = 8.0
"""Prometheus's timeout is 10 s (scrape_timeout), after which it would have no samples."""
_KEPT_SECONDS = 1.0
"""Scrapes within this time get the same answer, to limit the load on the node."""


@dataclass
class _Look:
    """The run of a source. `error` is empty if it succeeded."""

    began: float
    metrics: Metrics = field(default_factory=Metrics)
    error: str = ""
    seconds: float | None = None
    thread: threading.Thread | None = None


class Scraper:
    """Collects from the sources of a role. Thread-safe."""

    def __init__(
        self,
        role: str,
        make_probe: Callable[[], Probe] | None = None,
        budget_seconds: float = BUDGET_SECONDS,
        modules: dict[str, ModuleType] | None = None,
        tell: Callable[[str], None] = print,
    ) -> None:
        self._budget = budget_seconds
        # Commands of a source end before the budget, so that the source can report the timeout.
        self._make_probe = make_probe or (lambda: Probe(deadline_seconds=budget_seconds * 0.9))
        self._modules = load_sources(role) if modules is None else modules
        self._tell = tell
        self._lock = threading.Lock()
        self._left_behind: dict[str, _Look] = {}
        self._said: dict[str, str] = {}
        self._kept: tuple[float, str] | None = None

    def text(self) -> str:
        """The answer to a scrape. Never raises for a source."""
        with self._lock:
            if self._kept is not None and time.monotonic() - self._kept[0] < _KEPT_SECONDS:
                return self._kept[1]
            found = self._collect()
            self._kept = (time.monotonic(), found)
            return found

    def _collect(self) -> str:
        looks = {name: self._start(name) for name in self._modules}
        ends = time.monotonic() + self._budget
        own = Metrics()
        parts = [own]
        for name, look in looks.items():
            if look.thread is not None:
                look.thread.join(max(0.0, ends - time.monotonic()))
                if look.thread.is_alive():
                    self._left_behind[name] = look
            # Read it first: a thread that continues may add samples meanwhile.
            ended = look.seconds is not None
            seconds = look.seconds if ended else time.monotonic() - look.began
            error = look.error if ended else f"still running after {seconds:.0f} s"
            if ended:
                parts.append(look.metrics)
            labels = {"source": name}
            up = float(ended and not error)
            own.add(
                "clusterwright_source_up", "gauge", "Whether the source responded.", up, labels
            )
            own.add(
                "clusterwright_source_seconds",
                "gauge",
                "Duration of the collection.",
                seconds,
                labels,
            )
            self._say(name, error)
        return exposition(parts)

    def _start(self, name: str) -> _Look:
        look = self._left_behind.pop(name, None)
        # Drop samples of a thread that ended late: they are old.
        if look is not None and look.thread is not None and look.thread.is_alive():
            return look
        look = _Look(time.monotonic())
        look.thread = threading.Thread(target=self._run, args=(name, look), daemon=True)
        look.thread.start()
        return look

    def _run(self, name: str, look: _Look) -> None:
        try:
            self._modules[name].collect(self._make_probe(), look.metrics)
        except ProbeError as error:
            look.error = str(error)
        except Exception as error:  # noqa: BLE001  an error of one source must not affect others
            look.error = f"{type(error).__name__}: {error}"
        look.seconds = time.monotonic() - look.began

    def _say(self, name: str, error: str) -> None:
        """Log each new error once, not once a minute."""
        kind = error.split(" for ", maxsplit=1)[0]
        if self._said.get(name, "") != kind:
            self._tell(f"{name}: {error or 'answers again'}")
            self._said[name] = kind


def load_sources(role: str) -> dict[str, ModuleType]:
    """The sources for a role, by their names."""
    found = {}
    for entry in pkgutil.iter_modules(sources.__path__):
        module = importlib.import_module(f"{sources.__name__}.{entry.name}")
        if role in module.ROLES:
            found[entry.name] = module
    return found
