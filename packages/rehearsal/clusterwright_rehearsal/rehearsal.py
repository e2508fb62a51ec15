"""One rehearsal from end to end: image, engine, deployment, scenarios, verdict."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import platform
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec import load_spec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import artefact_mirror, cluster_size, custom_scripts, locks, runs
from clusterwright_rehearsal.cdk import Cdk
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.nodes.aws_clients import Account
from clusterwright_rehearsal.platforms.parallelcluster import unsupported_scenarios
from clusterwright_rehearsal.platforms.parallelcluster.context import PclusterStage
from clusterwright_rehearsal.scenario_api.context import Broken, CannotTell, NotForThis, Stage
from clusterwright_rehearsal.scenario_loader import Scenario, scenarios
from clusterwright_rehearsal.verdict import (
    NodeResult,
    NodeStatus,
    Phase,
    Promise,
    Skipped,
    StepResult,
    Verdict,
)
from clusterwright_rehearsal.worker import TIMELINE
from clusterwright_rehearsal.worker_client import EngineHandle

Progress = Callable[[str], None]
DEPLOYMENT = "deployment"
NEEDED_PROGRAMS = ("systemd-nspawn", "ip", "nsenter")
_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}
"""Numbers of include/uapi/linux/capability.h: namespaces, mounts and addresses need them."""
_STATUS = Path("/proc/self/status")
_DEPLOYS = "the real cdk deploys every stack to the local AWS"
_LOG_LINES = 12
NODES = "nodes.ready"
_TAKE_WORK = "every node comes up and takes work"


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    config: str
    cluster: Cluster
    resolved: dict[str, Any]
    state: Path = runs.DEFAULT_STATE
    suite: str = images.DEFAULT_SUITE
    nodes: int | None = None
    chosen: Sequence[str] = ()
    lifecycle: Path | None = None
    keep: bool = False
    world: str = "generous"


@dataclass
class _Findings:
    promises: list[Promise] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def why_not_this_platform(cluster: Cluster) -> str | None:
    """Why nodes of a platform are not emulated, or None where they are."""
    if not cluster.uses_kubernetes:
        return None
    return (
        f"nodes of {cluster.platform} are not emulated: no Kubernetes control plane can "
        "be had here, so only the deployment is rehearsed"
    )


def why_no_nodes() -> str | None:
    """Why this machine cannot have emulated nodes, or None."""
    if platform.system() != "Linux":
        return f"emulated nodes need Linux, and this is {platform.system()}"
    if not runs.is_root():
        return "emulated nodes need root"
    if not _may_administer():
        return "emulated nodes need more rights than root has in this container"
    missing = [name for name in NEEDED_PROGRAMS if shutil.which(name) is None]
    if missing:
        return (
            f"{', '.join(missing)} not installed "
            "(apt-get install systemd-container iproute2 util-linux)"
        )
    return None


def rehearse(request: Request, progress: Progress) -> Verdict:
    """Hold the rehearsal and say what it found.

    Whatever ends it, an interrupt included, nothing that it made is left, unless it is to be kept.

    Raises
    ------
    RehearsalError
        It cannot be held: no such scenario, too few nodes, no image, no checkout.
    """
    plays = scenarios(request.chosen)
    if request.lifecycle is not None and request.cluster.platform != "hyperpod-slurm":
        raise RehearsalError(
            f"--lifecycle is for lifecycle scripts of HyperPod, and this is for"
            f" {request.cluster.platform}",
            "leave it out",
        )
    reason = why_not_this_platform(request.cluster) or why_no_nodes()
    findings = _Findings()
    sized = cluster_size.sized(request.cluster, request.resolved, request.nodes)
    findings.notes += sized.notes
    if request.lifecycle is not None:
        data, notes = custom_scripts.adopt(sized.data, request.lifecycle)
        sized = dataclasses.replace(sized, data=data)
        findings.notes += notes
    with contextlib.ExitStack() as stack:
        run = runs.new_run(request.state)
        stack.callback(_forget, run)
        image = None
        if reason is None:
            with _phase(findings, "node image"):
                image = images.image(request.state / "cache", request.suite, progress)
            stack.enter_context(locks.shared(images.lock_of(image.root)))
        engine = EngineHandle(
            run,
            image.root if image else None,
            world=request.world,
            account=request.cluster.account,
            lifecycle=request.lifecycle,
        )
        stack.callback(_end_engine, engine, request.keep, findings)
        return _held(request, plays, engine, image, sized, findings, reason, progress)


def _held(
    request: Request,
    plays: Sequence[Scenario],
    engine: EngineHandle,
    image: images.Image | None,
    sized: cluster_size.Sized,
    findings: _Findings,
    reason: str | None,
    progress: Progress,
) -> Verdict:
    cluster, run = request.cluster, engine.run
    cdk = Cdk(engine.url, cluster.account, cluster.region, run.folder)
    config = cluster_size.write(sized.data, run.folder / "spec")
    deployed = _deploy(cdk, config, sized.data, findings, progress)
    slurm: str | None = None
    if not deployed:
        _not_played(findings, _for_this(cluster, plays), "the deployment failed")
    elif cluster.uses_kubernetes:
        assert reason is not None
        findings.promises.append(Promise(NODES, "nodes", _TAKE_WORK, "unknown", None, reason))
        findings.skipped += [Skipped(scenario.name, "it is about Slurm") for scenario in plays]
    elif reason is not None:
        mine = _for_this(cluster, plays)
        findings.skipped += [
            Skipped(scenario.name, _why_not_for(mode_of(cluster), scenario))
            for scenario in plays
            if scenario not in mine
        ]
        _not_played(findings, mine, reason)
    else:
        assert image is not None
        stage = _stage_of(cluster)(
            engine=engine,
            image=image.root,
            cluster=load_spec(config).cluster,
            spec=sized.data,
            cdk=cdk,
            work=run.folder,
            ours=request.lifecycle is None,
        )
        for scenario in plays:
            _play(scenario, stage, findings, progress)
        with contextlib.suppress(RehearsalError, Broken):
            slurm = stage.slurm("slurmctld -V").strip()
    if request.keep:
        findings.notes += _how_to_enter(engine)
    return Verdict(
        config=request.config,
        cluster=cluster.environment,
        suite=request.suite,
        slurm=slurm,
        promises=tuple(findings.promises),
        nodes=tuple(_nodes(engine)) if deployed and reason is None else (),
        steps=tuple(_steps(run.folder)),
        skipped=tuple(findings.skipped),
        notes=tuple(findings.notes),
        phases=tuple(findings.phases),
        timeline=tuple(_timeline(run.folder)),
        failure_logs=tuple(_failure_logs(run.folder)),
    )


def _why_not_for(mode: str, scenario: Scenario) -> str:
    if scenario.modes == ("parallelcluster",):
        return "it is about ParallelCluster"
    if mode != "parallelcluster":
        return f"it is not for the {mode} configuration"
    reason = unsupported_scenarios.REASONS.get(scenario.name, "its file does not name it")
    return f"it is not for ParallelCluster: {reason}"


def _deploy(
    cdk: Cdk,
    config: Path,
    spec: Mapping[str, Any],
    findings: _Findings,
    progress: Progress,
) -> bool:
    started = time.monotonic()
    try:
        with _phase(findings, "synthesis and bootstrap"), ThreadPoolExecutor(2) as pool:
            progress("cdk bootstrap and synth")
            bootstrap = pool.submit(cdk.bootstrap)
            assembly = cdk.synthesise(config)
            bootstrap.result()
        with _phase(findings, "deployment"):
            progress("cdk deploy")
            found = artefact_mirror.wanted(assembly)
            if found is not None:
                # As the documentation tells a user to: the bucket, its contents, then the rest.
                cdk.deploy(assembly, f"{spec['environment']}-lifecycle")
                s3 = Account(cdk.url, cdk.account, cdk.region).client("s3")
                outcomes = artefact_mirror.bring(s3, found, artefact_mirror.lock_of(spec))
                findings.notes += artefact_mirror.said(outcomes)
            cdk.deploy(assembly)
    except RehearsalError as error:
        failure: str | None = error.message
    else:
        failure = None
    findings.promises.append(
        Promise(
            f"{DEPLOYMENT}.deploys",
            DEPLOYMENT,
            _DEPLOYS,
            "held" if failure is None else "broken",
            time.monotonic() - started,
            failure,
        )
    )
    return failure is None


def mode_of(cluster: Cluster) -> str:
    """Which scenarios are for a cluster: `managed`, `scripted` or `parallelcluster`."""
    if cluster.platform == "parallelcluster":
        return "parallelcluster"
    return cluster.slurm.configuration


def _for_this(cluster: Cluster, plays: Sequence[Scenario]) -> list[Scenario]:
    """The scenarios that a cluster's platform has nodes for."""
    if not cluster.uses_slurm:
        return []
    return [scenario for scenario in plays if mode_of(cluster) in scenario.modes]


def _stage_of(cluster: Cluster) -> type[Stage]:
    return PclusterStage if cluster.platform == "parallelcluster" else Stage


def _play(scenario: Scenario, stage: Stage, findings: _Findings, progress: Progress) -> None:
    mode = mode_of(stage.cluster)
    if mode not in scenario.modes:
        findings.skipped.append(Skipped(scenario.name, _why_not_for(mode, scenario)))
        return
    if not stage.ours and not scenario.any_scripts:
        findings.skipped.append(Skipped(scenario.name, "it looks into our own node program"))
        return
    compute = sum(g.count for g in stage.cluster.compute if g.role == "compute")
    if compute < scenario.needs_compute:
        _not_played(
            findings, [scenario], f"it needs {scenario.needs_compute} compute nodes, not {compute}"
        )
        return
    progress(scenario.title.rstrip("."))
    before = len(stage.results)
    ended: str | None = None
    with _phase(findings, scenario.name):
        stage.begin(scenario.name, scenario.promises)
        try:
            if scenario.order:
                stage.settle()
            scenario.play(stage)
        except NotForThis as why:
            findings.skipped.append(Skipped(scenario.name, str(why)))
            return
        except (Broken, CannotTell, RehearsalError) as error:
            ended = str(error)
        except Exception as error:  # noqa: BLE001  a bug of the scenario is no verdict on nodes
            traceback.print_exc(file=sys.stderr)
            ended = f"the scenario itself failed: {type(error).__name__}: {error}"
    made = stage.results[before:]
    findings.promises += made
    known = {promise.id for promise in made}
    for name, text in scenario.promises.items():
        identity = f"{scenario.name}.{name}"
        if identity not in known:
            reason = f"not reached: {ended}" if ended else "the scenario did not look at it"
            findings.promises.append(
                Promise(identity, scenario.name, text, "unknown", None, reason)
            )


def _not_played(findings: _Findings, plays: Sequence[Scenario], reason: str) -> None:
    for scenario in plays:
        for name, text in scenario.promises.items():
            findings.promises.append(
                Promise(f"{scenario.name}.{name}", scenario.name, text, "unknown", None, reason)
            )


@contextlib.contextmanager
def _phase(findings: _Findings, name: str) -> Iterator[None]:
    began, started = time.time(), time.monotonic()
    try:
        yield
    finally:
        findings.phases.append(Phase(name, time.monotonic() - started, began))


def _end_engine(engine: EngineHandle, keep: bool, findings: _Findings) -> None:
    if keep and sys.exc_info()[0] is None:
        engine.keep()
        return
    left = engine.close()
    findings.notes += [f"could not be removed: {thing}" for thing in left]


def _forget(run: runs.Run) -> None:
    if not run.keep_mark.exists():
        runs.take_away(run)


def _how_to_enter(engine: EngineHandle) -> list[str]:
    notes = [f"kept as run {engine.run.id}; `clusterwright rehearse --clean` removes it"]
    notes.append(f"the local AWS: AWS_ENDPOINT_URL={engine.url}")
    for facts in engine.ask("nodes"):
        if facts["leader"]:
            notes.append(
                f"enter {facts['name']}: nsenter --target {facts['leader']} --all bash -l"
            )
    return notes


def _nodes(engine: EngineHandle) -> Iterator[NodeResult]:
    statuses: dict[str, NodeStatus] = {}
    seconds: dict[str, float] = {}
    for line in _timeline(engine.run.folder):
        if line["event"] in ("running", "failed", "lost"):
            statuses[line["node"]] = line["event"]
        if line["event"] in ("running", "failed"):
            seconds.setdefault(line["node"], line.get("seconds", 0.0))
    for facts in engine.ask("nodes"):
        log = engine.run.folder / "logs" / facts["name"] / f"{facts['instance_id']}.log"
        yield NodeResult(
            name=facts["name"],
            host=facts["host"],
            group=facts["group"],
            role=facts["role"],
            instance_type=facts["instance_type"],
            instance_id=facts["instance_id"],
            address=facts["address"],
            status=statuses.get(facts["name"], "pending"),
            seconds=seconds.get(facts["name"]),
            log=str(log) if log.exists() else None,
        )


def _timeline(folder: Path) -> list[dict[str, Any]]:
    try:
        lines = (folder / TIMELINE).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


def _steps(folder: Path) -> Iterator[StepResult]:
    """The steps of each node's first run."""
    for directory in sorted((folder / "logs").glob("*")):
        files = sorted(directory.glob("*.log"), key=lambda path: path.stat().st_mtime)
        for line in files[0].read_text().splitlines() if files else ():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                event = json.loads(line)
                if event["event"] == "end":
                    yield StepResult(
                        directory.name,
                        event["step"],
                        event["status"],
                        float(event["seconds"]),
                        event.get("error"),
                        _epoch(event.get("time")),
                    )


def _may_administer() -> bool:
    """Whether this process has the rights of root on its machine; an unprivileged container's
    root has not.
    """
    for line in _STATUS.read_text().splitlines():
        if line.startswith("CapEff:"):
            held = int(line.split()[1], 16)
            return all(held >> number & 1 for number in _CAPABILITIES.values())
    return True


def _epoch(stamp: object) -> float | None:
    """Seconds since the epoch of a line's time, in whatever form a script of others wrote it."""
    try:
        return datetime.fromisoformat(str(stamp)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _failure_logs(folder: Path) -> Iterator[tuple[str, str]]:
    failed = {line["instance_id"] for line in _timeline(folder) if line["event"] == "failed"}
    for path in sorted((folder / "logs").glob("*/*.log")):
        if path.stem in failed:
            lines = [_readable(line) for line in path.read_text().splitlines()]
            told = [line for line in lines if line]
            yield path.parent.name, "\n".join(told[-_LOG_LINES:])


def _readable(line: str) -> str | None:
    """A line of a log for people: of the node program's JSON, what went wrong or was remarked."""
    try:
        event = json.loads(line)
        kind = event["event"]
    except (ValueError, KeyError, TypeError):
        return line
    if kind == "end" and event.get("status") != "failed":
        return f"{event['step']}: {event['status']}" if event["status"] == "applied" else None
    text = event.get("error") or event.get("text") or event.get("trace")
    return f"{event.get('step')}: {event.get('status') or kind}: {text}" if text else None
