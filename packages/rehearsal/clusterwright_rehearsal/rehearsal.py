"""One rehearsal from start to end: image, worker, deployment, scenarios, verdict."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec import load_spec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import (
    cluster_size,
    custom_scripts,
    deployment,
    host_limits,
    locks,
    prerequisites,
    run_records,
    runs,
)
from clusterwright_rehearsal.cdk import Cdk
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.platforms.modes import MODES
from clusterwright_rehearsal.progress import Progress, duration
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_loader import Scenario, scenarios
from clusterwright_rehearsal.scenario_runner import (
    ScenarioSeries,
    add_unknown,
    applicable,
    mode_of,
    skip_reason,
)
from clusterwright_rehearsal.verdict import Promise, Skipped, Verdict
from clusterwright_rehearsal.worker_client import WorkerClient

_DEPLOYMENT_S = 60
"""Typical duration of synthesis, deployment and boot."""
_NODES, _NODES_READY = "nodes", "every node starts and runs jobs"


@dataclass(frozen=True)
class Request:
    """The options of a rehearsal."""

    config: str
    cluster: Cluster
    resolved: dict[str, Any]
    state: Path = runs.DEFAULT_STATE
    suite: str = images.DEFAULT_SUITE
    nodes: int | None = None
    chosen: Sequence[str] = ()
    everything: bool = False
    """Without `chosen`: run every scenario, not only the default ones."""
    lifecycle: Path | None = None
    keep: bool = False
    world: str = "generous"


def rehearse(request: Request, progress: Progress) -> Verdict:
    """Run the rehearsal and return its verdict.

    At the end, also after an interrupt, everything that the run has created is removed unless the
    run is to be kept.

    Raises
    ------
    RehearsalError
        The rehearsal cannot run: unknown scenario, too few nodes, no image, no checkout.
    """
    findings = Findings()
    chosen = _chosen(request, findings)
    mine = applicable(request.cluster, chosen)
    expected_s = _DEPLOYMENT_S + sum(scenario.seconds for scenario in mine)
    number = f"{len(mine)} scenario{'s' if len(mine) != 1 else ''}"
    progress(f"deployment and {number}: about {duration(expected_s)}")
    spec = _rehearsed_spec(request, findings)
    reason = prerequisites.unsupported_platform(request.cluster)
    reason = reason or prerequisites.nodes_unavailable()
    with contextlib.ExitStack() as stack:
        run = runs.new_run(request.state)
        stack.callback(_remove_unless_kept, run)
        image, newer = None, dict[str, Path]()
        if reason is None:
            with findings.phase("node image"):
                more = sorted({package for scenario in mine for package in scenario.packages})
                image = images.image(request.state / "cache", request.suite, progress, more).root
                if any(scenario.newer_slurm for scenario in mine):
                    newer, chosen = _newer(request, chosen, findings, progress)
            for root in (image, *newer.values()):
                stack.enter_context(locks.shared(images.lock_of(root)))
        worker = WorkerClient(
            run,
            image,
            world=request.world,
            account=request.cluster.account,
            lifecycle=request.lifecycle,
            newer=newer,
        )
        stack.callback(_end_worker, worker, request.keep, findings)
        rehearsal = _Rehearsal(request, worker, image, spec, reason, findings, progress)
        return rehearsal.run(chosen)


def _chosen(request: Request, findings: Findings) -> list[Scenario]:
    """The scenarios of the request; a note states how many others `--all` runs."""
    every = scenarios(request.chosen)
    if request.chosen or not request.cluster.uses_slurm:
        return every
    larger = [scenario for scenario in applicable(request.cluster, every) if scenario.packages]
    every = [scenario for scenario in every if scenario not in larger]
    if request.everything:
        findings.skipped += [
            Skipped(
                scenario.name, f"it needs {', '.join(scenario.packages)}: `--scenario` runs it"
            )
            for scenario in larger
        ]
        return every
    chosen = [scenario for scenario in every if scenario.default]
    others = applicable(request.cluster, [s for s in every if not s.default])
    findings.notes.append(
        f"only the default scenarios were chosen; --all adds {len(others)}, about"
        f" {duration(sum(scenario.seconds for scenario in others))}"
    )
    return chosen


def _newer(
    request: Request, chosen: list[Scenario], findings: Findings, progress: Progress
) -> tuple[dict[str, Path], list[Scenario]]:
    """The images with a newer Slurm, and the scenarios that can run with them."""
    try:
        newer = images.with_newer_slurm(request.state / "cache", request.suite, progress)
    except RehearsalError as error:
        without = [scenario for scenario in chosen if scenario.newer_slurm]
        reason = f"there is no image with a newer Slurm: {error.message}"
        findings.skipped += [Skipped(scenario.name, reason) for scenario in without]
        return {}, [scenario for scenario in chosen if scenario not in without]
    return newer, chosen


def _rehearsed_spec(request: Request, findings: Findings) -> dict[str, Any]:
    """The resolved spec, reduced to the size of this machine and adapted to custom scripts."""
    if request.lifecycle is not None and not request.cluster.traits.custom_lifecycle_scripts:
        raise RehearsalError(
            "--lifecycle is for lifecycle scripts of HyperPod, and this spec has platform"
            f" {request.cluster.platform}",
            "omit it",
        )
    reduced = cluster_size.reduced(request.cluster, request.resolved, request.nodes)
    data, notes = host_limits.waived(reduced.data)
    findings.notes += [*reduced.notes, *notes]
    if request.lifecycle is None:
        return data
    data, notes = custom_scripts.adapt_spec(data, request.lifecycle)
    findings.notes += notes
    return data


@dataclass
class _Rehearsal:
    """A rehearsal whose worker is running. `unavailable` is the reason for having no nodes."""

    request: Request
    worker: WorkerClient
    image: Path | None
    spec: dict[str, Any]
    unavailable: str | None
    findings: Findings
    progress: Progress

    def run(self, chosen: Sequence[Scenario]) -> Verdict:
        cluster, folder = self.request.cluster, self.worker.run.folder
        cdk = Cdk(self.worker.url, cluster.account, cluster.region, folder)
        config = cluster_size.write(self.spec, folder / "spec")
        deployed = deployment.deploy(cdk, config, self.spec, self.findings, self.progress)
        slurm: str | None = None
        if not deployed:
            add_unknown(self.findings, applicable(cluster, chosen), "the deployment failed")
        elif self.unavailable is not None:
            self._without_nodes(chosen, self.unavailable)
        else:
            slurm = self._scenarios(chosen, cdk, config)
        if self.request.keep:
            self.findings.notes += _access_notes(self.worker)
        return self._verdict(slurm, with_nodes=deployed and self.unavailable is None)

    def _without_nodes(self, chosen: Sequence[Scenario], reason: str) -> None:
        cluster, findings = self.request.cluster, self.findings
        if cluster.uses_kubernetes:
            findings.promises.append(
                Promise(f"{_NODES}.ready", _NODES, _NODES_READY, "unknown", None, reason)
            )
            findings.skipped += [
                Skipped(scenario.name, "it applies to Slurm only") for scenario in chosen
            ]
            return
        mine = applicable(cluster, chosen)
        findings.skipped += [
            Skipped(scenario.name, skip_reason(mode_of(cluster), scenario))
            for scenario in chosen
            if scenario not in mine
        ]
        add_unknown(findings, mine, reason)

    def _scenarios(self, chosen: Sequence[Scenario], cdk: Cdk, config: Path) -> str | None:
        """Run the scenarios; return the version of Slurm."""
        assert self.image is not None
        mode = MODES.get(mode_of(self.request.cluster))
        kind = ScenarioContext if mode is None else mode.context
        context = kind(
            worker=self.worker,
            image=self.image,
            cluster=load_spec(config).cluster,
            spec=self.spec,
            cdk=cdk,
            work=self.worker.run.folder,
            default_scripts=self.request.lifecycle is None,
        )
        # Before the scenarios, because one updates it.
        slurm = images.slurm_of(self.image)
        ScenarioSeries(context, self.findings, self.progress).run(chosen)
        return slurm

    def _verdict(self, slurm: str | None, *, with_nodes: bool) -> Verdict:
        run, findings = self.worker.run, self.findings
        return Verdict(
            config=self.request.config,
            cluster=self.request.cluster.environment,
            suite=self.request.suite,
            slurm=slurm,
            promises=tuple(findings.promises),
            nodes=tuple(run_records.node_results(self.worker)) if with_nodes else (),
            steps=tuple(run_records.step_results(run)),
            skipped=tuple(findings.skipped),
            notes=tuple(findings.notes),
            phases=tuple(findings.phases),
            timeline=tuple(run_records.timeline(run)),
            failure_logs=tuple(run_records.failure_logs(run)),
        )


def _end_worker(worker: WorkerClient, keep: bool, findings: Findings) -> None:
    if keep and sys.exc_info()[0] is None:
        worker.keep()
        return
    findings.notes += [f"could not be removed: {resource}" for resource in worker.close()]


def _remove_unless_kept(run: runs.Run) -> None:
    if not run.keep_mark.exists():
        runs.remove_run(run)


def _access_notes(worker: WorkerClient) -> list[str]:
    notes = [f"kept as run {worker.run.id}; `clusterwright rehearse --clean` removes it"]
    notes.append(f"the local AWS: AWS_ENDPOINT_URL={worker.url}")
    for facts in worker.ask("nodes"):
        if facts["leader"]:
            notes.append(
                f"shell on {facts['name']}: nsenter --target {facts['leader']} --all bash -l"
            )
    return notes
