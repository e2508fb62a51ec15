"""Runs scenarios on the deployed cluster and records their promises."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import recovery
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.platforms.modes import MODES
from clusterwright_rehearsal.progress import Progress
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable, Undetermined
from clusterwright_rehearsal.scenario_loader import Scenario
from clusterwright_rehearsal.verdict import STATUS_WORDS, Promise, Skipped

_UNCHECKED = "the scenario did not check it"


def mode_of(cluster: Cluster) -> str:
    """The mode of a cluster, one of `MODES`: `managed`, `scripted`, or a platform's."""
    return cluster.traits.node_setup or cluster.slurm.configuration


def applicable(cluster: Cluster, chosen: Sequence[Scenario]) -> list[Scenario]:
    """The chosen scenarios that apply to the cluster's mode."""
    if not cluster.uses_slurm:
        return []
    return [scenario for scenario in chosen if mode_of(cluster) in scenario.modes]


def skip_reason(mode: str, scenario: Scenario) -> str:
    """The reason why a scenario does not apply to a mode."""
    only = MODES.get(scenario.modes[0]) if len(scenario.modes) == 1 else None
    if only is not None:
        return f"it applies to {only.title} only"
    here = MODES.get(mode)
    if here is None:
        return f"it does not apply to the {mode} configuration"
    reason = here.unsupported.get(scenario.name, "its MODES do not include it")
    return f"it does not apply to {here.title}: {reason}"


@dataclass
class ScenarioSeries:
    """The scenarios of a rehearsal, one after another on one cluster.

    A scenario that ends early may leave nodes failed, lost or drained. The cluster is then
    returned to service before the next one; if that fails, no further scenario runs, and their
    promises are unknown.
    """

    context: ScenarioContext
    findings: Findings
    progress: Progress
    _ended_early: str | None = None
    """The last scenario, if it did not reach its end."""
    _out_of_service: str | None = None
    """Why no further scenario can run."""

    def run(self, chosen: Sequence[Scenario]) -> None:
        """Run each scenario that applies, and record every promise."""
        mine = []
        for scenario in chosen:
            reason = self._skipped(scenario)
            if reason is None:
                mine.append(scenario)
            else:
                self.findings.skipped.append(Skipped(scenario.name, reason))
        for number, scenario in enumerate(mine, 1):
            self._run(scenario, f"[{number}/{len(mine)}] {scenario.name}")

    def _skipped(self, scenario: Scenario) -> str | None:
        mode = mode_of(self.context.cluster)
        if mode not in scenario.modes:
            return skip_reason(mode, scenario)
        if not self.context.default_scripts and not scenario.any_scripts:
            return "it requires Clusterwright's own node program"
        return None

    def _run(self, scenario: Scenario, place: str) -> None:
        before, started = len(self.findings.promises), time.monotonic()
        compute = sum(g.count for g in self.context.cluster.compute if g.role == "compute")
        if compute < scenario.needs_compute:
            reason = f"it needs {scenario.needs_compute} compute nodes, but there are {compute}"
            add_unknown(self.findings, [scenario], reason)
        elif self._out_of_service is not None:
            add_unknown(self.findings, [scenario], self._out_of_service)
        else:
            self.progress(f"{place}: {scenario.title.rstrip('.')}")
            try:
                self._record(scenario)
            except NotApplicable as error:
                self.findings.skipped.append(Skipped(scenario.name, str(error)))
                self.progress(f"{place}: skipped: {error}")
                return
        self._report(place, self.findings.promises[before:], time.monotonic() - started)

    def _record(self, scenario: Scenario) -> None:
        before = len(self.context.results)
        with self.findings.phase(scenario.name):
            self._ensure_in_service(scenario)
            if self._out_of_service is not None:
                add_unknown(self.findings, [scenario], self._out_of_service)
                return
            failure = _run(scenario, self.context)
        self._ended_early = scenario.name if failure else None
        recorded = self.context.results[before:]
        self.findings.promises += recorded
        known = {promise.id for promise in recorded}
        ended = next((p.id for p in recorded if p.status != "held" and failure == p.reason), None)
        # The text of a failure is that of its promise; the others refer to it.
        reason = f"not reached: {f'see {ended}' if ended else failure}" if failure else _UNCHECKED
        for name, text in scenario.promises.items():
            identity = f"{scenario.name}.{name}"
            if identity not in known:
                self.findings.promises.append(
                    Promise(identity, scenario.name, text, "unknown", None, reason)
                )

    def _ensure_in_service(self, scenario: Scenario) -> None:
        """Wait until the cluster is idle; return it to service if something keeps it from that."""
        trouble = f"the scenario {self._ended_early} ended early" if self._ended_early else None
        if trouble is None and scenario.order:
            try:
                self.context.wait_idle()
            except (Broken, RehearsalError) as error:
                trouble = str(error)
        if trouble is None:
            return
        self.progress(f"returning the cluster to service: {trouble}")
        done, failure = recovery.recover(self.context)
        self._ended_early = None
        if done:
            self.findings.notes.append(f"before {scenario.name}: {'; '.join(done)} ({trouble})")
        if failure is not None:
            self._out_of_service = (
                f"not run: the cluster could not be returned to service before {scenario.name}:"
                f" {failure}"
            )

    def _report(self, place: str, promises: Sequence[Promise], seconds: float) -> None:
        counts = [
            f"{count} {word}"
            for status, word in STATUS_WORDS.items()
            if (count := sum(promise.status == status for promise in promises))
        ]
        self.progress(f"{place}: {', '.join(counts)} ({seconds:.0f} s)")
        for promise in promises:
            if promise.status == "broken":
                self.progress(f"{place}: failed: {promise.text}: {promise.reason}")


def add_unknown(findings: Findings, chosen: Sequence[Scenario], reason: str) -> None:
    """Record every promise of scenarios that do not run as unknown."""
    for scenario in chosen:
        for name, text in scenario.promises.items():
            findings.promises.append(
                Promise(f"{scenario.name}.{name}", scenario.name, text, "unknown", None, reason)
            )


def _run(scenario: Scenario, context: ScenarioContext) -> str | None:
    """Run a scenario; return why it ended early, or None."""
    context.begin(scenario.name, scenario.promises)
    try:
        scenario.run(context)
    except NotApplicable:
        raise
    except (Broken, Undetermined, RehearsalError) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  an error in the scenario is no result
        traceback.print_exc(file=sys.stderr)
        return f"the scenario itself failed: {type(error).__name__}: {error}"
    return None
