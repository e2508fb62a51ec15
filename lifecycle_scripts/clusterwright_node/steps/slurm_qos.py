"""Keep the spec's QOS in the accounting database, and those that keep spare nodes free.

Before slurmctld starts: a partition whose QOS does not exist has no limit. Other QOS are not
changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright_node import sacct, slurm_generate, slurm_later
from clusterwright_node.errors import CommandError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps import slurm_files

AFTER = ("slurm_files",)
DEADLINE_SECONDS = 600
RETRIES = 5

_HINT = "see `systemctl status slurmdbd` and the reachability of the accounting database"
_FIELDS = "name,priority,preempt,gracetime,grptres,maxtrespu,maxwall,flags"


@dataclass(frozen=True)
class _Wanted:
    name: str
    priority: int = 0
    preempts: frozenset[str] = frozenset()
    grace_seconds: int = 0
    group_nodes: int = sacct.NO_LIMIT
    user_nodes: int = sacct.NO_LIMIT
    wall_seconds: int = sacct.NO_LIMIT
    denies: bool = False


def applies(node: Node) -> Verdict:
    if not node.administers:
        return skip(f"{node.administrator} does it")
    if node.inputs.cluster.slurm.accounting == "none":
        return skip("the spec has no accounting")
    if not _wanted(node):
        return skip("the spec has no QOS")
    waits = slurm_later.reason_to_wait(node)
    return APPLIES if waits is None else skip(waits)


def check(node: Node) -> Verdict:
    plan = _plan(node)
    if plan is None:
        return missing("the accounting database does not respond")
    return missing("; ".join(" ".join(argv) for argv in plan)) if plan else SATISFIED


def apply(node: Node) -> None:
    def not_answering() -> str | None:
        return "the accounting database does not respond" if _plan(node) is None else None

    node.wait_until(not_answering, _HINT, every_seconds=5.0)
    plan = _plan(node)
    if plan is None:
        raise CommandError("the accounting database stopped responding", _HINT)
    for argv in plan:
        node.machine.change(*argv)


def _wanted(node: Node) -> list[_Wanted]:
    slurm = node.inputs.cluster.slurm
    wanted = [
        _Wanted(
            qos.name,
            qos.priority,
            frozenset(qos.preempts),
            qos.grace_seconds,
            user_nodes=qos.max_nodes_per_user or sacct.NO_LIMIT,
            wall_seconds=60 * qos.max_time_minutes if qos.max_time_minutes else sacct.NO_LIMIT,
        )
        for qos in slurm.qos
    ]
    if not node.is_managed:
        limits = slurm_generate.working_nodes(node.inputs.cluster, slurm_files.slurm_nodes(node))
        wanted += [
            # Refuse a job that requests more than the limit: it would never start.
            _Wanted(slurm_generate.partition_qos(name), group_nodes=limit, denies=True)
            for name, limit in sorted(limits.items())
        ]
    return wanted


def _plan(node: Node) -> list[tuple[str, ...]] | None:
    """The required commands; None if the database does not answer."""
    rows = sacct.rows(node, "qos", "format=" + _FIELDS)
    if rows is None:
        return None
    have = {row[0]: _found(row) for row in rows}
    wanted = _wanted(node)
    # All names first: a QOS may preempt another that comes after it.
    plan = [sacct.add("qos", qos.name) for qos in wanted if qos.name not in have]
    for qos in wanted:
        changes = _changes(have.get(qos.name, _Wanted(qos.name)), qos)
        if changes:
            plan.append(sacct.modify("qos", ["name=" + qos.name], changes))
    return plan


def _found(row: list[str]) -> _Wanted:
    name, priority, preempts, grace, group, user, wall, flags = row[:8]
    return _Wanted(
        name,
        int(priority or 0),
        frozenset(sacct.names(preempts)),
        max(sacct.seconds(grace), 0),
        sacct.node_limit(group),
        sacct.node_limit(user),
        sacct.seconds(wall),
        "denyonlimit" in flags.lower(),
    )


def _changes(have: _Wanted, want: _Wanted) -> list[str]:
    pairs = (
        (have.priority, want.priority, f"Priority={want.priority}"),
        (have.preempts, want.preempts, "Preempt=" + ",".join(sorted(want.preempts))),
        (have.grace_seconds, want.grace_seconds, f"GraceTime={want.grace_seconds}"),
        (have.group_nodes, want.group_nodes, f"GrpTRES=node={want.group_nodes}"),
        (have.user_nodes, want.user_nodes, f"MaxTRESPerUser=node={want.user_nodes}"),
        (have.wall_seconds, want.wall_seconds, "MaxWall=" + _minutes(want.wall_seconds)),
        (have.denies, want.denies, "Flags" + ("+=" if want.denies else "-=") + "DenyOnLimit"),
    )
    return [change for old, new, change in pairs if old != new]


def _minutes(wall_seconds: int) -> str:
    return "-1" if wall_seconds == sacct.NO_LIMIT else str(wall_seconds // 60)
