"""Effects of a change to the ParallelCluster configuration, and changes that it refuses.

The update policies are in `platforms/parallelcluster/update_policies`. Where both versions have
templates, their configurations are compared, scripts included; else those rendered from the specs.
The compute fleet counts as running, as on a cluster that trains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.queues import takes_placement_group
from clusterwright.platforms.parallelcluster.supplied import placeholders
from clusterwright.platforms.parallelcluster.update_policies import KeyChange, effects
from clusterwright.review.expressions import Expression, shown
from clusterwright.review.node_changes import nodes_text
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.results import DeploymentBlocker, NodesChange, ResourceChange

PCLUSTER: Final = "Custom::PclusterCluster"

_QUEUE: Final = re.compile(r"SlurmQueues\[([^\]]+)\]")
_RESOURCE: Final = re.compile(r"ComputeResources\[([^\]]+)\]")
_STOPPED: Final = ("fleet-stopped", "fleet-and-login-nodes-stopped")
_LOGIN: Final = ("login-nodes-stopped", "fleet-and-login-nodes-stopped")


@dataclass(frozen=True)
class Update:
    """A change of a cluster's configuration.

    Attributes
    ----------
    where:
        The resource, or the platform where there are no templates.
    versions:
        Releases of ParallelCluster before and after; None where they are the same or not known.
    """

    where: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    changes: Sequence[KeyChange]
    versions: tuple[str, str] | None = None


def update_of(
    base: Cluster | None, change: Cluster | None, analysis: ChangeAnalysis | None
) -> Update | None:
    """The update of a cluster that both versions have; None where there is none."""
    versions = None
    if base is not None and change is not None:
        if not _same_cluster(base, change):
            return None
        old, new = base.parallelcluster.version, change.parallelcluster.version
        versions = (old, new) if old != new else None
    for pair in analysis.pairs.values() if analysis is not None else ():
        before, after = pair.before, pair.after
        if before is None or after is None or after.type != PCLUSTER or before.type != PCLUSTER:
            continue
        configurations = [
            _plain(side.properties.get("ClusterConfiguration")) for side in (before, after)
        ]
        if all(isinstance(side, Mapping) for side in configurations):
            return _update("/".join(pair.key), configurations[0], configurations[1], versions)
    if base is None or change is None:
        return None
    return _update("parallelcluster", _rendered(base), _rendered(change), versions)


def deployment_blockers(update: Update) -> Iterator[DeploymentBlocker]:
    """Changes that no update supports, or only after another step."""
    if update.versions is not None:
        old, new = update.versions
        yield DeploymentBlocker(
            kind="cannot-change",
            where=update.where,
            message=f"ParallelCluster {new} cannot update a cluster of {old}",
            hint="create a cluster under another `environment`, or keep the release",
        )
    for change in update.changes:
        if change.needs == "unsupported":
            yield DeploymentBlocker(
                kind="cannot-change",
                where=update.where,
                message=f"{_described(change)}: ParallelCluster cannot update it",
                hint="create a cluster under another `environment`, or keep the value",
            )
        elif change.needs == "terminate-strategy":
            yield DeploymentBlocker(
                kind="cannot-shrink",
                where=update.where,
                message=f"{_described(change)}: ParallelCluster removes nodes only with the fleet "
                "stopped, or with the strategy TERMINATE, which ends the jobs on them",
                hint="`parallelcluster: {queue_update_strategy: terminate}` in the same change",
            )
        elif change.needs in _LOGIN:
            yield DeploymentBlocker(
                kind="cannot-change",
                where=update.where,
                message=f"{_described(change)}: the login nodes must be removed first",
                hint=f"{change.action}; then this change",
            )


def nodes_changes(
    update: Update, before: Mapping[str, int], after: Mapping[str, int]
) -> list[NodesChange]:
    """Changes to the compute nodes of each group, with the counts of the specs."""
    return [
        found
        for name in [*before, *(other for other in after if other not in before)]
        if (found := _group(update, name, before.get(name), after.get(name))) is not None
    ]


def with_reasons(
    resources: Sequence[ResourceChange], update: Update
) -> tuple[ResourceChange, ...]:
    """The resources, where the cluster is updated in place and lists the keys that change."""
    reasons = tuple(f"{_described(change)}: {change.action}" for change in update.changes)
    return tuple(
        replace(
            change, effect="update", action="update", holds=None, outcome=None, reasons=reasons
        )
        if change.type == PCLUSTER and change.action in ("update", "replace") and reasons
        else change
        for change in resources
    )


def _same_cluster(base: Cluster, change: Cluster) -> bool:
    has_section = all("parallelcluster" in c.traits.sections for c in (base, change))
    return has_section and base.environment == change.environment


def _update(
    where: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    versions: tuple[str, str] | None,
) -> Update:
    return Update(where, before, after, effects(before, after), versions)


def _rendered(cluster: Cluster) -> dict[str, Any]:
    catalog = load_catalog()
    supplied = placeholders(cluster)
    # The stacks create the placement groups; the configuration has their names.
    names = {
        group.name: f"{cluster.environment}-{group.name}"
        for group in cluster.compute
        if takes_placement_group(group, catalog)
    }
    return render(cluster, catalog, replace(supplied, placement_group_names=names))


def _plain(value: Expression) -> Any:
    """The value with functions as text, so that equal functions are equal."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return shown(value) if isinstance(value, tuple) else value


def _group(update: Update, name: str, before: int | None, after: int | None) -> NodesChange | None:
    strategy = _strategy(update)
    if before is None:
        assert after is not None
        text = f"{nodes_text(after)} are added"
        return NodesChange(
            group=name, change="added", before=0, after=after, jobs="none", message=text
        )
    if after is None:
        text = f"the group is removed with its {nodes_text(before)} and the jobs on them"
        return NodesChange(
            group=name,
            change="removed",
            before=before,
            after=0,
            jobs="die" if before else "none",
            message=text,
            whole_group=bool(before),
        )
    touching = [change for change in update.changes if _touches(update, change, name)]
    stopped = [change for change in touching if change.needs in _STOPPED]
    replaced = [change for change in touching if change.replaces_nodes]
    if stopped and before:
        text = (
            f"{', '.join(_described(change) for change in stopped)}: the compute fleet must be "
            "stopped first "
            "(`pcluster update-compute-fleet --status STOP_REQUESTED`), which ends every job"
        )
        return _all_go(name, before, after, text)
    if replaced and before:
        paths = ", ".join(dict.fromkeys(_described(change) for change in replaced))
        if strategy == "TERMINATE":
            return _all_go(
                name, before, after, f"{paths}: nodes are terminated at once (TERMINATE)"
            )
        return NodesChange(
            group=name,
            change="updated",
            before=before,
            after=after,
            jobs="wait",
            message=f"{paths}: each node is replaced when its jobs have ended (DRAIN)",
        )
    if after > before:
        text = f"{nodes_text(after - before)} more; the existing {before} keep running"
        return NodesChange(
            group=name, change="grown", before=before, after=after, jobs="none", message=text
        )
    if after < before:
        return NodesChange(
            group=name,
            change="shrunk",
            before=before,
            after=after,
            jobs="die",
            message=f"{nodes_text(before - after)} of {before} removed, with the jobs on them",
            whole_group=after == 0,
        )
    return None


def _touches(update: Update, change: KeyChange, group: str) -> bool:
    """Whether a key belongs to the group's compute resource, its queue, or the whole cluster."""
    resource = _RESOURCE.search(change.path)
    if resource is not None:
        return resource[1] == group
    queue = _QUEUE.search(change.path)
    if queue is not None:
        return any(
            item["Name"] == queue[1] and group in {r["Name"] for r in item["ComputeResources"]}
            for item in update.before["Scheduling"]["SlurmQueues"]
        )
    return True


def _strategy(update: Update) -> str:
    settings = update.after.get("Scheduling", {}).get("SlurmSettings") or {}
    return str(settings.get("QueueUpdateStrategy", "COMPUTE_FLEET_STOP"))


def _all_go(name: str, before: int, after: int, message: str) -> NodesChange:
    return NodesChange(
        group=name,
        change="replaced",
        before=before,
        after=after,
        jobs="die",
        message=message,
        whole_group=True,
    )


def _described(change: KeyChange) -> str:
    if isinstance(change.before, (Mapping, list)) or isinstance(change.after, (Mapping, list)):
        return change.path
    if ".CustomActions." in change.path:
        return change.path  # the values are digests
    return f"{change.path} ({_text(change.before)} → {_text(change.after)})"


def _text(value: Any) -> str:
    return "none" if value is None else str(value)
