"""Runs scenarios on the deployed cluster and records their promises."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.platforms.parallelcluster import unsupported_scenarios
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable, Undetermined
from clusterwright_rehearsal.scenario_loader import Scenario
from clusterwright_rehearsal.verdict import Promise, Skipped

Progress = Callable[[str], None]


def mode_of(cluster: Cluster) -> str:
    """The mode of a cluster in `MODES` of scenarios: `managed`, `scripted`, `parallelcluster`."""
    return cluster.traits.node_setup or cluster.slurm.configuration


def applicable(cluster: Cluster, chosen: Sequence[Scenario]) -> list[Scenario]:
    """The chosen scenarios that apply to the cluster's mode."""
    if not cluster.uses_slurm:
        return []
    return [scenario for scenario in chosen if mode_of(cluster) in scenario.modes]


def skip_reason(mode: str, scenario: Scenario) -> str:
    """The reason why a scenario does not apply to a mode."""
    if scenario.modes == ("parallelcluster",):
        return "it applies to ParallelCluster only"
    if mode != "parallelcluster":
        return f"it does not apply to the {mode} configuration"
    reason = unsupported_scenarios.REASONS.get(scenario.name, "its MODES do not include it")
    return f"it does not apply to ParallelCluster: {reason}"


def run_scenario(
    scenario: Scenario, context: ScenarioContext, findings: Findings, progress: Progress
) -> None:
    """Run one scenario if it applies, and record every promise of it."""
    mode = mode_of(context.cluster)
    if mode not in scenario.modes:
        findings.skipped.append(Skipped(scenario.name, skip_reason(mode, scenario)))
        return
    if not context.default_scripts and not scenario.any_scripts:
        reason = "it requires Clusterwright's own node program"
        findings.skipped.append(Skipped(scenario.name, reason))
        return
    compute = sum(g.count for g in context.cluster.compute if g.role == "compute")
    if compute < scenario.needs_compute:
        reason = f"it needs {scenario.needs_compute} compute nodes, but there are {compute}"
        add_unknown(findings, [scenario], reason)
        return
    progress(scenario.title.rstrip("."))
    before = len(context.results)
    try:
        failure = _run(scenario, context, findings)
    except NotApplicable as error:
        findings.skipped.append(Skipped(scenario.name, str(error)))
        return
    recorded = context.results[before:]
    findings.promises += recorded
    known = {promise.id for promise in recorded}
    reason = f"not reached: {failure}" if failure else "the scenario did not check it"
    for name, text in scenario.promises.items():
        identity = f"{scenario.name}.{name}"
        if identity not in known:
            findings.promises.append(
                Promise(identity, scenario.name, text, "unknown", None, reason)
            )


def add_unknown(findings: Findings, chosen: Sequence[Scenario], reason: str) -> None:
    """Record every promise of scenarios that do not run as unknown."""
    for scenario in chosen:
        for name, text in scenario.promises.items():
            findings.promises.append(
                Promise(f"{scenario.name}.{name}", scenario.name, text, "unknown", None, reason)
            )


def _run(scenario: Scenario, context: ScenarioContext, findings: Findings) -> str | None:
    """Run a scenario; return why it ended early, or None."""
    with findings.phase(scenario.name):
        context.begin(scenario.name, scenario.promises)
        try:
            if scenario.order:
                context.wait_idle()
            scenario.run(context)
        except NotApplicable:
            raise
        except (Broken, Undetermined, RehearsalError) as error:
            return str(error)
        except Exception as error:  # noqa: BLE001  an error in the scenario is no result
            traceback.print_exc(file=sys.stderr)
            return f"the scenario itself failed: {type(error).__name__}: {error}"
    return None
