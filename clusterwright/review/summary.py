"""The five sentences of a review: what happens, what is lost, what survives, cost, alternative."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright.cost.headline import change_sentence
from clusterwright.platforms.stack_names import part_of
from clusterwright.review import resource_types
from clusterwright.review.alternatives import alternatives
from clusterwright.review.node_changes import NodeGroup, nodes_text, runs_jobs
from clusterwright.review.parallelcluster import PCLUSTER
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.results import (
    Cause,
    NodesChange,
    ResourceChange,
    Review,
    SpecChange,
    Summary,
)

_SHOWN: Final = 3

NOUNS: Final[dict[str, str]] = {
    "AWS::EC2::SecurityGroup": "the security group",
    "AWS::EC2::Subnet": "the subnet",
    "AWS::EC2::VPC": "the VPC",
    "AWS::ECR::Repository": "the image repository",
    "AWS::EKS::Cluster": "the control plane",
    "AWS::EKS::Nodegroup": "the node group",
    "AWS::FSx::FileSystem": "the file system",
    "AWS::KMS::Key": "the key",
    "AWS::Logs::LogGroup": "the log group",
    "AWS::RDS::DBInstance": "the database",
    "AWS::S3::Bucket": "the bucket",
    PCLUSTER: "the cluster",
    resource_types.PCS_CLUSTER: "the cluster",
    resource_types.PCS_GROUP: "the compute node group",
    resource_types.CLUSTER: "the cluster",
}
_REFUSED: Final[dict[str, str]] = {
    "export-in-use": "it changes exports that other stacks use",
    "name-taken": "a name is taken",
    "type-changed": "a resource changes its type",
    "cannot-shrink": "a resource cannot shrink",
    "cannot-change": "a setting cannot be changed",
    "refused": "CloudFormation refuses the change set",
}
_MOUNTED: Final = ("AWS::FSx::FileSystem",)
_AT_BOOT: Final = ("hyperpod-slurm",)
"""Platforms whose nodes read what they mount only when they are created (SageMaker API reference,
ClusterLifeCycleConfig, OnCreate)."""

_KEPT_TYPES: Final = ("AWS::FSx::FileSystem", "AWS::RDS::DBInstance", "AWS::S3::Bucket")
_KEPT_FOR_DAYS: Final = {
    "backup_retention_days": "automatic backups",
    "flow_log_retention_days": "flow logs",
    "log_retention_days": "logs",
}
"""Keys of the spec: for that many days a service keeps data (CloudWatch Logs, PutRetentionPolicy;
RDS, ModifyDBInstance; FSx, UpdateFileSystem). No source says if FSx deletes backups at 0."""

_DONE: Final = {"replace": "replaced", "delete": "deleted", "restart": "restarted"}


def summary_of(
    review: Review,
    before: Mapping[str, NodeGroup],
    analysis: ChangeAnalysis | None,
    *,
    platform: str,
    shared_homes: bool,
) -> Summary:
    """The summary of a review.

    `before` are the groups of nodes before the change; `shared_homes` is False where home
    directories are on the nodes' own disks.
    """
    found = review.causes
    return Summary(
        happens="; ".join(_happens(review, found)),
        lost="; ".join(_lost(review, before, shared_homes=shared_homes)),
        survives="; ".join(_survives(review, before, analysis, platform)),
        costs="; ".join(_costs(review)),
        instead=alternatives(review, found, platform, before),
    )


def named(change: ResourceChange) -> str:
    """A resource with its noun and its name."""
    noun = NOUNS.get(change.type) or change.type.rpartition("::")[2]
    return f"{noun} {change.name}"


def _happens(review: Review, found: Sequence[Cause]) -> Iterator[str]:
    if review.drift:
        count = len(review.drift)
        what = "1 property differs" if count == 1 else f"{count} properties differ"
        yield f"drift: {what} from what was deployed"
    if review.changes_nothing:
        yield "nothing changes"
        return
    if review.deployment_blockers:
        kinds = [
            _REFUSED.get(blocker.kind, blocker.kind) for blocker in review.deployment_blockers
        ]
        yield f"the deployment would be refused: {_and([*dict.fromkeys(kinds)])}"
    changes = [_described(change) for change in review.changes]
    if changes:
        yield _list(changes)
    if not review.resources_known:
        yield "the effect on each resource is unknown"
    severe = [cause for cause in found if any(map(_severe, cause.resources))]
    for cause in severe[:_SHOWN]:
        yield _effect(cause)
    rest = [c for cause in found if cause not in severe[:_SHOWN] for c in cause.resources]
    counts = _counts(rest)
    if counts:
        yield f"{'other ' if severe else ''}resources: {counts}"
    nodes = [f"{n.group} {n.before} -> {n.after}" for n in review.nodes if n.before != n.after]
    if nodes:
        yield f"nodes: {_list(nodes)}"
    wider = len(review.access) + len(review.wider_network)
    if wider:
        yield f"access becomes wider in {wider} {'place' if wider == 1 else 'places'}"


def _severe(change: ResourceChange) -> bool:
    return (change.ends and change.holds is not None) or change.job_loss or change.protection_loss


def _effect(cause: Cause) -> str:
    first = cause.own[0]
    text = f"{named(first)} {_verb(first)}"
    important = [change for change in cause.consequences if _severe(change)]
    others = len(cause.resources) - 1 - len(important[:_SHOWN])
    parts = [f"{named(change)} ({_verb(change)[3:]})" for change in important[:_SHOWN]]
    if others:
        parts.append("1 other resource" if others == 1 else f"{others} other resources")
    return f"{text}, and with it {_and(parts)}" if parts else text


def _verb(change: ResourceChange) -> str:
    if change.action == "leave":
        return "is left by the app"
    if change.protection_loss:
        return "is no longer protected"
    done = _DONE.get(change.effect, "updated")
    return f"may be {done}" if change.certainty == "possible" and change.ends else f"is {done}"


def _counts(resources: Iterable[ResourceChange]) -> str:
    found: dict[str, int] = {}
    for change in resources:
        word = "created" if change.action == "create" else _DONE.get(change.effect, "updated")
        word = "left" if change.action == "leave" else word
        found[word] = found.get(word, 0) + 1
    order = ("deleted", "left", "replaced", "restarted", "updated", "created")
    return ", ".join(f"{found[word]} {word}" for word in order if word in found)


def _lost(review: Review, before: Mapping[str, NodeGroup], *, shared_homes: bool) -> Iterator[str]:
    ending = [change for change in review.nodes if change.jobs == "die"]
    if ending:
        yield from _lost_with_nodes(ending, before, shared_homes=shared_homes)
    for change in review.resources:
        if change.data_loss and change.action != "leave":
            if change.type not in resource_types.RUNS_JOBS:
                may = "possibly " if change.certainty == "possible" else ""
                yield f"{may}{change.holds} of {named(change)}"
        elif change.job_loss and not ending and change.action != "leave":
            yield f"running jobs on {named(change)}"
    expiring = list(_expiring(review.changes))
    yield from expiring
    later = [named(change) for change in review.resources if change.protection_loss]
    if later:
        yield f"{'' if ending else 'nothing yet; '}deleting a stack will delete {_and(later)}"
    waiting = [change.group for change in review.nodes if change.jobs == "wait"]
    if waiting:
        yield f"no running job of {_and(waiting)}: each node is replaced when its jobs have ended"
    if not review.resources_known:
        yield "what is lost with resources is unknown"
    elif not (ending or waiting or later or expiring or any(map(_loses, review.resources))):
        yield "nothing: no job ends and no data is deleted"


def _lost_with_nodes(
    ending: Sequence[NodesChange], before: Mapping[str, NodeGroup], *, shared_homes: bool
) -> Iterator[str]:
    jobs = [_ending_nodes(change) for change in ending if runs_jobs(change.group, before)]
    others = [_ending_nodes(change) for change in ending if not runs_jobs(change.group, before)]
    if jobs:
        yield f"running jobs on {_and(jobs)}"
    if others:
        yield f"what runs on {_and(others)}"
    local = "the nodes' local disks"
    yield local if shared_homes else f"{local}, with the home directories on them"


def _expiring(changes: Iterable[SpecChange]) -> Iterator[str]:
    """Data that a service deletes because it is kept for fewer days."""
    for change in changes:
        owner, _, key = change.path.rpartition(".")
        if key not in _KEPT_FOR_DAYS or not isinstance(change.before, int):
            continue
        if isinstance(change.after, int) and change.after < change.before:
            what = f"{_KEPT_FOR_DAYS[key]} of `{owner}`"
            days = change.after
            yield f"{what} older than {days} days" if days else f"possibly the {what}"


def _loses(change: ResourceChange) -> bool:
    return (change.data_loss or change.job_loss) and change.action != "leave"


def _ending_nodes(change: NodesChange) -> str:
    gone = change.before if change.whole_group else change.before - change.after
    if gone == change.before:
        return f"all {nodes_text(gone)} of {change.group}" if gone > 1 else f"{change.group}"
    return f"{gone} of the {nodes_text(change.before)} of {change.group}"


def _survives(
    review: Review,
    before: Mapping[str, NodeGroup],
    analysis: ChangeAnalysis | None,
    platform: str,
) -> Iterator[str]:
    ending = {change.group for change in review.nodes if change.jobs == "die"}
    mounted = platform in _AT_BOOT and not set(before) <= ending
    for change in review.resources:
        if change.action == "leave":
            continue
        if change.ends and change.holds is not None and not change.data_loss:
            yield f"{named(change)}: {change.outcome}"
            if change.type in _MOUNTED and change.action == "replace" and mounted:
                yield "running nodes still mount it, nodes that start later mount the new one"
    leaving = sorted({c.stack for c in review.resources if c.action == "leave"})
    if leaving:
        yield f"stacks that leave the app keep running, at their cost: {_list(leaving)}"
    partly = {c.group: c.after for c in review.nodes if c.jobs == "die" and not c.whole_group}
    kept = {
        name: f"{nodes_text(partly.get(name, group.count))} of {name}"
        for name, group in before.items()
        if group.count and (name not in ending or partly.get(name))
    }
    jobs = [text for name, text in kept.items() if runs_jobs(name, before)]
    others = [text for name, text in kept.items() if not runs_jobs(name, before)]
    if jobs:
        yield f"jobs on {_and(jobs)}"
    if others:
        yield _and(others)
    unchanged = list(_unchanged(review, analysis))
    if unchanged:
        yield f"data of {_list(unchanged)}"
    elif not kept and not leaving and not any(c.ends and c.holds for c in review.resources):
        yield "nothing existed before" if not before else "all data"


def _unchanged(review: Review, analysis: ChangeAnalysis | None) -> Iterator[str]:
    """Resources with data that neither end nor lose data."""
    ending = {change.name for change in review.resources if change.ends}
    for pair in analysis.pairs.values() if analysis is not None else ():
        name = "/".join(pair.key)
        if pair.before is None or pair.before.type not in _KEPT_TYPES or name in ending:
            continue
        if part_of(review.environment, pair.key[0]) == "lifecycle":
            continue  # its scripts are copied again from the checkout
        if pair.after is not None:
            yield f"{NOUNS[pair.before.type]} {name}"


def _costs(review: Review) -> Iterator[str]:
    yield (
        change_sentence(review.cost)
        if review.cost is not None
        else ("unknown: the spec before the change is unknown")
    )
    kept = [
        change
        for change in review.resources
        if change.ends and change.holds is not None and not change.data_loss
    ]
    if kept:
        what = "1 resource" if len(kept) == 1 else f"{len(kept)} resources"
        yield f"{what} retained outside the stacks cost more until they are deleted"
    if any(change.jobs == "die" and change.change == "replaced" for change in review.nodes):
        yield "the nodes are away until new ones have started, for a time that is not known"


def _list(items: Sequence[str]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def _and(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _described(change: SpecChange) -> str:
    """A change of the spec; of lists only what is added and removed."""
    before, after = change.before, change.after
    if isinstance(before, list) and isinstance(after, list):
        added = [f"+{_short(item)}" for item in after if item not in before]
        removed = [f"-{_short(item)}" for item in before if item not in after]
        if added or removed:
            return f"{change.path}: {_list([*added, *removed])}"
    if isinstance(after, Mapping) and before is None:
        return f"{change.path} is added"
    if isinstance(before, Mapping) and after is None:
        return f"{change.path} is removed"
    return f"{change.path}: {_short(before)} -> {_short(after)}"


def _short(value: Any, length: int = 48) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= length else f"{text[: length - 1]}…"
