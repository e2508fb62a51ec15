"""On the controller: run a level on nodes, as jobs of Slurm, and write the report of the run.

Everything is kept below `/var/lib/clusterwright/acceptance`: `runs/RUN.json` is the report,
`runs/RUN/NODE.json` the result of a node, `nodes/NODE.json` what is known of a node, with its
history, `baselines.json` the cluster's own figures, `accepted.json` the bandwidths that the
exporter of the metrics passes on. A run that was killed goes on when it is
started again with the same name: nodes that have a result are not tested again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import lemon, node_records, records
from clusterwright_common import waivers as kept_waivers

from clusterwright_acceptance import (
    accepted,
    baseline,
    cluster_run,
    expected,
    lustre,
    nccl_output,
    node_run,
    registry,
    running,
    settle,
)
from clusterwright_acceptance.accepted import Accepted
from clusterwright_acceptance.baseline import Baseline
from clusterwright_acceptance.cluster_run import LARGEST_JOBS_AT_ONCE
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.launcher import LIBRARY, Launcher
from clusterwright_acceptance.outcome import UNKNOWN, Outcome, unknown
from clusterwright_acceptance.slurm_nodes import SlurmNode
from clusterwright_acceptance.verdicts import (
    KEEPS,
    REJECTED,
    to_record,
    waived,
    waivers_of,
)

SCHEMA_VERSION = 1
ENDED = "ended"
"""The file in the folder of a run that says that its report is complete."""
WAIT_SECONDS = 300.0
"""Added to the limit of a level: the wait for the node, and the start of the job."""
MOST_ASKED = 8
"""Nodes that are asked in turn what their type is; one that is busy takes a minute."""
PAIRS = "pairs"
_PYTHON = "/usr/bin/python3"
_KINDS = {"lost": "node", "unexplained": "path"}


@dataclass(frozen=True)
class Wanted:
    """What a run tests. `lustre` is capacity in GiB and tier in MB/s per TiB, by mount path;
    `waivers` are those that the controller keeps, in addition to each node's own.
    """

    run: str
    level: str
    lustre: Mapping[str, tuple[int, int]]
    waivers: Sequence[dict[str, Any]] = ()

    def waivers_of(self, group: str) -> list[dict[str, Any]]:
        """The kept waivers for nodes of a group."""
        return kept_waivers.of_group(list(self.waivers), group)


def run_cluster(
    wanted: Wanted,
    nodes: Sequence[SlurmNode],
    launcher_of: Callable[[str], Launcher],
    folder: Path,
    *,
    clock: Callable[[], float] = time.time,
    say: Callable[[str], None] = print,
    stopped: Callable[[], Optional[str]] = lambda: None,
) -> dict[str, Any]:
    """Test the nodes; return the report, which is written at the start and at the end.

    `launcher_of` gives the launcher of a partition. `stopped` says why the run has to stop: then
    nothing is concluded about any node, and nothing is kept.

    Raises
    ------
    OSError
        A result cannot be written.
    """
    path = folder / "runs" / f"{wanted.run}.json"
    began = records.read(path).get("started_at") or _stamp(clock())
    report = _begun(wanted, nodes, began)
    records.write(path, report)
    began_now = _stamp(clock())
    wanted = replace(wanted, waivers=kept_waivers.load(folder, say))
    results = _test_nodes(wanted, nodes, launcher_of, folder, say)
    results = [
        settle.with_waivers(one, wanted.waivers_of(str(one["group"])), _stamp(clock())[:10])
        for one in results
    ]
    places = {node.name: (node.partition, node.reservation) for node in nodes}
    kept, today = read_baselines(folder), _stamp(clock())[:10]
    bandwidths: list[Accepted] = []
    not_started: set[str] = set()
    settled: list[dict[str, Any]] = [one for one in results if not one["checks"]]
    tested = [one for one in results if one["checks"]]
    for (partition, _), members in _groups(tested, places).items():
        # One job cannot have nodes of several reservations, but such nodes are compared.
        by_node: dict[str, dict[str, Outcome]] = {}
        for reservation, together in _by_reservation(members, places).items():
            launcher = launcher_of(partition)
            words = [partition, reservation, str(members[0]["instance_type"])]
            pairs = path.with_suffix("") / f"pairs-{'-'.join(filter(None, words))}.json"
            several = _test_together(wanted, together, launcher, pairs, kept, today, say)
            for check, outcomes in several.by_node.items():
                by_node.setdefault(check, {}).update(outcomes)
            not_started.update(several.not_started)
            kept = _with_fresh(kept, several.fresh, today)
            bandwidths += several.bandwidths
            report["cluster_checks"] += several.rows
            report["suspects"] += several.suspects
        found, fresh = settle.settle(members, today, kept=kept, more=by_node)
        settled += found
        kept = _with_fresh(kept, fresh, today)
    reason = stopped()
    if reason is not None:
        rows = [_not_tested(node.name, "", reason) for node in nodes]
        empty = {"nodes": rows, "cluster_checks": [], "suspects": []}
        return _ended(path, {**report, **empty, "reason": reason}, clock)
    records.write(
        folder / "baselines.json",
        {"schema_version": SCHEMA_VERSION, "baselines": [one.to_json() for one in kept]},
    )
    keep_accepted(folder, bandwidths)
    order = {node.name: index for index, node in enumerate(nodes)}
    settled.sort(key=lambda one: order[str(one["name"])])
    settled = [_advised(folder, one, clock()) for one in settled]
    settled = [{**one, KEEPS: _is_only_open(one, not_started)} for one in settled]
    for one in settled:
        # The time of the node's own checks: it may have booted since, also while it was tested.
        keep_node(folder, one, wanted, str(one.get("ended_at") or began_now))
    types = {str(one["instance_type"]) for one in settled}
    report["nodes"] = [_without_facts(one) for one in settled]
    report["baseline"] = [one.to_json() for one in kept if one.instance_type in types]
    return _ended(path, report, clock)


def _begun(wanted: Wanted, nodes: Sequence[SlurmNode], began: str) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "run": wanted.run,
        "level": wanted.level,
        "status": "running",
        "reason": "",
        "started_at": began,
        "ended_at": None,
        "nodes": [_not_tested(node.name, "", "is being tested") for node in nodes],
        "cluster_checks": [],
        "suspects": [],
        "baseline": [],
    }


def _ended(path: Path, report: dict[str, Any], clock: Callable[[], float]) -> dict[str, Any]:
    report["status"], report["ended_at"] = "ended", _stamp(clock())
    records.write(path, report)
    records.write(path.with_suffix("") / ENDED, {"at": report["ended_at"]})
    return report


def read_baselines(folder: Path) -> list[Baseline]:
    """The cluster's own figures; those that are not valid are left out."""
    found = []
    for row in records.read(folder / "baselines.json").get("baselines", ()):
        try:
            found.append(baseline.from_json(row))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def keep_accepted(folder: Path, fresh: Sequence[Accepted]) -> None:
    """Add the bandwidths of a run to those of the cluster. Raises OSError."""
    path = folder / "accepted.json"
    rows = accepted.merged(records.read(path).get("accepted"), fresh)
    records.write(path, {"schema_version": SCHEMA_VERSION, "accepted": rows})


def keep_node(folder: Path, result: Mapping[str, Any], wanted: Wanted, now: str) -> None:
    """Add a result to what is known of a node; a node that was not tested keeps what it has."""
    found = to_record(result, node_records.of_boot(folder, result))
    if found is not None:
        node_records.keep(folder, found, wanted.run, wanted.level, now)


def _is_only_open(one: Mapping[str, Any], not_started: AbstractSet[str]) -> bool:
    """Whether a test of several nodes that did not start is all that a node lacks."""
    lacks = [row["id"] for row in one["checks"] if row["verdict"] == UNKNOWN]
    return one["name"] in not_started and one["verdict"] == UNKNOWN and lacks == [PAIRS]


def _advised(folder: Path, one: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The result with replace instead of reboot, if the instance's history says so."""
    if one["action"] != "reboot" or not one.get("instance_id"):
        return dict(one)
    name, instance = str(one["name"]), str(one["instance_id"])
    fault = lemon.Happening(now, "rejected", str(one["reason"]))
    book = lemon.add(lemon.load(folder / lemon.FILE), name, instance, fault)
    advice = lemon.advise(book, name, instance, now)
    if advice.action != "replace":
        return dict(one)
    return {**one, "action": "replace", "reason": f"{one['reason']}; replace: {advice.reason}"}


def _test_nodes(
    wanted: Wanted,
    nodes: Sequence[SlurmNode],
    launcher_of: Callable[[str], Launcher],
    folder: Path,
    say: Callable[[str], None],
) -> list[dict[str, Any]]:
    results = {
        node.name: _not_tested(node.name, "", reason)
        for node in nodes
        for reason in [node.why_not]
        if reason is not None
    }
    with ThreadPoolExecutor(max_workers=LARGEST_JOBS_AT_ONCE) as pool:
        jobs = {
            pool.submit(_test_node, node.name, wanted, launcher_of(node.partition), folder): node
            for node in nodes
            if node.name not in results
        }
        for job in as_completed(jobs):
            one = job.result()
            results[jobs[job].name] = one
            say(f"{one['name']}: {one['verdict']}")
    return [results[node.name] for node in nodes]


def _test_node(name: str, wanted: Wanted, launcher: Launcher, folder: Path) -> dict[str, Any]:
    path = folder / "runs" / wanted.run / f"{name}.json"
    before = records.read(path)
    if before:
        return before
    limit = registry.limit_seconds(wanted.level) + WAIT_SECONDS
    argv = [_PYTHON, "-B", "-m", "clusterwright_acceptance", "node"]
    argv += ["--level", wanted.level, "--run", wanted.run]
    done = launcher.run(
        [name], argv, tasks_per_node=1, timeout_seconds=limit, env={"PYTHONPATH": LIBRARY}
    )
    found = None if done.exit_code is None else _result_in(done.stdout)
    if found is None:
        if done.lost:
            return _not_tested(name, REJECTED, "the node stopped during the checks", "reboot")
        if done.exit_code is None:
            reason = f"the checks did not end within {limit:.0f} s"
            return _not_tested(name, REJECTED, reason, "reboot")
        lines = nccl_output.stripped(done.stderr.strip() or done.stdout.strip())
        return _not_tested(name, "", lines[-1][:200] if lines else "srun printed nothing")
    if found["name"] != name:
        return _not_tested(name, "", f"the node's file says that it is {found['name']}")
    records.write(path, found)
    return found


def _without_facts(result: Mapping[str, Any]) -> dict[str, Any]:
    """For the report: the facts are compared already, and a third of its size."""
    checks = [
        {key: value for key, value in row.items() if key != "facts"} for row in result["checks"]
    ]
    return {**{key: value for key, value in result.items() if key != "waivers"}, "checks": checks}


def _result_in(text: str) -> Optional[dict[str, Any]]:
    """The result that `node` printed."""
    try:
        found = json.loads("\n".join(nccl_output.stripped(text)))
    except ValueError:
        return None
    return found if isinstance(found, dict) and {"name", "checks"} <= set(found) else None


def _not_tested(name: str, verdict: str, reason: str, action: str = "none") -> dict[str, Any]:
    return {
        "name": name,
        "group": "",
        "instance_id": None,
        "instance_type": None,
        "boot_id": None,
        "verdict": verdict or UNKNOWN,
        "reason": reason,
        "action": action,
        "checks": [],
    }


def _groups(
    results: Sequence[dict[str, Any]], places: Mapping[str, tuple[str, Optional[str]]]
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Results by partition and type: such nodes are compared, whatever reservations they have.

    A node that was rejected before is in the reservation of the hold, and the nodes with which it
    has to agree are not.
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in results:
        key = (places[str(one["name"])][0], str(one["instance_type"]))
        found.setdefault(key, []).append(one)
    return found


def _by_reservation(
    members: Sequence[dict[str, Any]], places: Mapping[str, tuple[str, Optional[str]]]
) -> dict[Optional[str], list[dict[str, Any]]]:
    """Results by the reservation of their nodes: such nodes can be in one job."""
    found: dict[Optional[str], list[dict[str, Any]]] = {}
    for one in members:
        found.setdefault(places[str(one["name"])][1], []).append(one)
    return found


@dataclass(frozen=True)
class _Several:
    """What the tests of several nodes found: by check and node, of the cluster, suspects.

    On the nodes of `not_started` no test of several nodes started.
    """

    by_node: Mapping[str, Mapping[str, Outcome]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    suspects: list[dict[str, Any]] = field(default_factory=list)
    fresh: list[Baseline] = field(default_factory=list)
    bandwidths: list[Accepted] = field(default_factory=list)
    not_started: Sequence[str] = ()


def _test_together(
    wanted: Wanted,
    members: Sequence[Mapping[str, Any]],
    launcher: Launcher,
    journal: Path,
    kept: Sequence[Baseline],
    today: str,
    say: Callable[[str], None],
) -> _Several:
    """The level's tests of several nodes, over the nodes that no check rejected.

    `journal` is the file of their pairs.
    """
    checks = {check.id for check in registry.checks(wanted.level, registry.NODES)}
    names = [str(one["name"]) for one in members if one["verdict"] != REJECTED]
    if not checks or len(names) < 2:
        return _Several()
    asked = names[:MOST_ASKED]
    answers = (_expected_of(name, launcher, wanted) for name in asked)
    own = next((one for one in answers if one is not None), None)
    if own is None:
        outcome = unknown(f"{expected.FILE} of {', '.join(asked)} cannot be read")
        return _Several({PAIRS: dict.fromkeys(names, outcome)}, not_started=names)
    found = _Several()
    gone: set[str] = set()
    if cluster_run.program(own, launcher) is not None:
        found, gone = _allreduces(wanted, names, members, own, launcher, journal, kept, today, say)
    there = [name for name in names if name not in gone]
    free = [name for name in there if name not in found.not_started] or there
    writes = lustre.write(free, own, launcher) if free else {}
    bad: dict[str, Outcome] = {}
    for mount, one in writes.items():
        bad = {**one.bad, **bad}
        row = _row("lustre-write", one.outcome, own, free, today, mount_path=mount)
        found.rows.append(row)
    return _with_bad(found, "lustre-write", bad)


def _allreduces(
    wanted: Wanted,
    names: Sequence[str],
    members: Sequence[Mapping[str, Any]],
    own: Expected,
    launcher: Launcher,
    journal: Path,
    kept: Sequence[Baseline],
    today: str,
    say: Callable[[str], None],
) -> tuple[_Several, set[str]]:
    """What pairs, and the good nodes together, show; and the nodes that stopped meanwhile."""
    try:
        conclusion, tests = cluster_run.run_pairs(
            names, own, launcher, journal, wanted.run, say=say
        )
    except running.Missing as error:
        outcome = unknown(str(error))
        return _Several({PAIRS: dict.fromkeys(names, outcome)}, not_started=names), set()
    gone = {name for one in conclusion.suspects if one.kind == "lost" for name in one.names}
    suspects = [
        {**one, "kind": _KINDS.get(one["kind"], one["kind"])}
        for one in cluster_run.pair_suspects(conclusion)
    ]
    by_node = {PAIRS: cluster_run.pair_outcomes(names, conclusion, tests)}
    found = _Several(by_node, suspects=suspects, not_started=conclusion.not_started)
    good = [name for name in names if name in conclusion.cleared]
    if len(good) < 2:
        return found, gone
    versions = _common_versions([one for one in members if str(one["name"]) in good])
    ranks = len(good) * cluster_run.PROGRAMS[own.kind].ranks(own)
    bad: dict[str, Outcome] = {}
    for mib, one in cluster_run.cluster_allreduce(good, own, launcher).items():
        bad.update(one.bad)
        decided, new = _against_kept(
            one.outcome, own.instance_type, mib, len(good), versions, kept
        )
        found.fresh.extend([] if new is None else [new])
        figure = accepted.of(decided, wanted.run, own.instance_type, len(good), ranks, mib)
        found.bandwidths.extend([] if figure is None else [figure])
        found.rows.append(_row("cluster-allreduce", decided, own, good, today, size_mib=mib))
    return _with_bad(found, "cluster-allreduce", bad), gone | set(bad)


def _with_bad(found: _Several, check: str, bad: Mapping[str, Outcome]) -> _Several:
    """With the nodes that a test of many showed to be bad, which are suspects."""
    suspects = [
        {"kind": "node", "names": [name], "evidence": f"{check}: {one.reason}"}
        for name, one in bad.items()
    ]
    by_node = {**found.by_node, check: bad} if bad else found.by_node
    return replace(found, by_node=by_node, suspects=[*found.suspects, *suspects])


def _expected_of(name: str, launcher: Launcher, wanted: Wanted) -> Optional[Expected]:
    """What a node should be, with what only the request says of its file systems."""
    done = launcher.run(
        [name], ["cat", expected.FILE], tasks_per_node=1, timeout_seconds=60.0, env={}
    )
    try:
        found = expected.from_json(json.loads("\n".join(nccl_output.stripped(done.stdout))))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    lustre = []
    for one in found.lustre:
        capacity, tier = wanted.lustre.get(one.mount_path, (None, None))
        lustre.append(replace(one, capacity_gib=capacity, throughput_mbps_per_tib=tier))
    waivers = (*found.waivers, *wanted.waivers_of(found.group))
    return replace(found, lustre=tuple(lustre), waivers=waivers)


def _common_versions(results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The versions that are the same on every node; `equal-versions` judges the others."""
    first, *others = (settle.versions_of(node_run.facts_of(one)) for one in results)
    return {
        name: version
        for name, version in first.items()
        if all(other.get(name) == version for other in others)
    }


def _against_kept(
    one: Outcome,
    instance_type: str,
    mib: float,
    count: int,
    versions: Mapping[str, str],
    kept: Sequence[Baseline],
) -> tuple[Outcome, Optional[Baseline]]:
    """A figure without a floor against the cluster's baseline, or the baseline that it becomes."""
    if one.verdict != UNKNOWN or one.value is None or one.unit is None:
        return one, None
    new = Baseline(
        check="cluster-allreduce",
        instance_type=instance_type,
        median=one.value,
        deviation=0.0,
        unit=one.unit,
        nodes=count,
        versions=versions,
        date="",
        size_mib=mib,
        node_count=count,
    )
    old = next((each for each in kept if baseline.is_same_subject(each, new)), None)
    if old is not None:
        return baseline.with_kept(one.value, old, versions), None
    return one, new


def _with_fresh(kept: Sequence[Baseline], fresh: Sequence[Baseline], today: str) -> list[Baseline]:
    dated = [one if one.date else replace(one, date=today) for one in fresh]
    others = [one for one in kept if not any(baseline.is_same_subject(one, new) for new in dated)]
    return [*others, *dated]


def _row(
    check: str, one: Outcome, own: Expected, nodes: Sequence[str], today: str, **more: Any
) -> dict[str, Any]:
    after = waived(check, one, "", today, waivers_of(own.waivers))
    return {**after.to_json(check), "group": own.group, "nodes": len(nodes), **more}


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
