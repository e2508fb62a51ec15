"""What ParallelCluster does with a change of its configuration, and what it refuses.

Its update policies are `platforms/parallelcluster/update_policies`. Where both versions have
templates, their configurations are compared, scripts included; else those that the specs render.
The compute fleet counts as running: on a cluster that trains it does.
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
from clusterwright.review.resource_changes import Judgement
from clusterwright.review.expressions import Expression, shown
from clusterwright.review.results import NodesChange, Obstacle, ResourceChange

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
    base: Cluster | None, change: Cluster | None, judged: Judgement | None
) -> Update | None:
    """The update of a cluster that both versions have; None where there is none."""
    versions = None
    if base is not None and change is not None:
        if not _same_cluster(base, change):
            return None
        old, new = base.parallelcluster.version, change.parallelcluster.version
        versions = (old, new) if old != new else None
    for pair in judged.pairs.values() if judged is not None else ():
        before, after = pair.before, pair.after
        if before is None or after is None or after.type != PCLUSTER or before.type != PCLUSTER:
            continue
        sides = [_plain(side.properties.get("ClusterConfiguration")) for side in (before, after)]
        if all(isinstance(side, Mapping) for side in sides):
            return _update("/".join(pair.key), sides[0], sides[1], versions)
    if base is None or change is None:
        return None
    return _update("parallelcluster", _rendered(base), _rendered(change), versions)


def obstacles(update: Update) -> Iterator[Obstacle]:
    """Changes that no update takes, or only after another step."""
    if update.versions is not None:
        old, new = update.versions
        yield Obstacle(
            kind="cannot-change",
            where=update.where,
            message=f"ParallelCluster {new} updates no cluster of {old}",
            hint="a new cluster under another `environment`, or the release as it was",
        )
    for change in update.changes:
        if change.needs == "unsupported":
            yield Obstacle(
                kind="cannot-change",
                where=update.where,
                message=f"{_said(change)}: ParallelCluster updates no cluster in which it changes",
                hint="a new cluster under another `environment`, or the value as it was",
            )
        elif change.needs == "terminate-strategy":
            yield Obstacle(
                kind="cannot-shrink",
                where=update.where,
                message=f"{_said(change)}: ParallelCluster takes nodes away with the fleet "
                "stopped, or by the strategy TERMINATE, which ends the jobs on them",
                hint="`parallelcluster: {queue_update_strategy: terminate}` in the same change",
            )
        elif change.needs in _LOGIN:
            yield Obstacle(
                kind="cannot-change",
                where=update.where,
                message=f"{_said(change)}: login nodes must be gone first",
                hint=f"{change.action}; then this change",
            )


def nodes_changes(
    update: Update, before: Mapping[str, int], after: Mapping[str, int]
) -> list[NodesChange]:
    """What becomes of the compute nodes of each group; counts are the spec's, by group."""
    return [
        found
        for name in [*before, *(each for each in after if each not in before)]
        if (found := _group(update, name, before.get(name), after.get(name))) is not None
    ]


def with_reasons(
    resources: Sequence[ResourceChange], update: Update
) -> tuple[ResourceChange, ...]:
    """The cluster's own entry: it is updated in place, and which of its keys change."""
    said = tuple(f"{_said(change)}: {change.action}" for change in update.changes)
    return tuple(
        replace(one, effect="update", action="update", holds=None, outcome=None, reasons=said)
        if one.type == PCLUSTER and one.action in ("update", "replace") and said
        else one
        for one in resources
    )


def _same_cluster(base: Cluster, change: Cluster) -> bool:
    return (base.platform, change.platform) == ("parallelcluster",) * 2 and (
        base.environment == change.environment
    )


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
    # The stacks make those groups: ParallelCluster is told their names.
    names = {
        group.name: f"{cluster.environment}-{group.name}"
        for group in cluster.compute
        if takes_placement_group(group, catalog)
    }
    return render(cluster, catalog, replace(supplied, placement_group_names=names))


def _plain(value: Expression) -> Any:
    """The value with functions as text: equal where they are equal."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return shown(value) if isinstance(value, tuple) else value


def _group(update: Update, name: str, before: int | None, after: int | None) -> NodesChange | None:
    strategy = _strategy(update)
    if before is None:
        assert after is not None
        text = f"{_nodes(after)} are added"
        return NodesChange(
            group=name, change="added", before=0, after=after, jobs="none", message=text
        )
    if after is None:
        text = f"the group is removed: its {_nodes(before)} go, with the jobs on them"
        return NodesChange(
            group=name,
            change="removed",
            before=before,
            after=0,
            jobs="die" if before else "none",
            message=text,
            whole_group=bool(before),
        )
    touching = [one for one in update.changes if _touches(update, one, name)]
    stopped = [one for one in touching if one.needs in _STOPPED]
    replaced = [one for one in touching if one.replaces_nodes]
    if stopped and before:
        text = (
            f"{', '.join(_said(one) for one in stopped)}: the compute fleet must be stopped first "
            "(`pcluster update-compute-fleet --status STOP_REQUESTED`), which ends every job"
        )
        return _all_go(name, before, after, text)
    if replaced and before:
        paths = ", ".join(dict.fromkeys(_said(one) for one in replaced))
        if strategy == "TERMINATE":
            return _all_go(name, before, after, f"{paths}: nodes are ended at once (TERMINATE)")
        return NodesChange(
            group=name,
            change="updated",
            before=before,
            after=after,
            jobs="wait",
            message=f"{paths}: each node is replaced when its jobs have ended (DRAIN)",
        )
    if after > before:
        text = f"{_nodes(after - before)} more; the {before} there go on"
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
            message=f"{_nodes(before - after)} of {before} go, with the jobs on them",
            whole_group=after == 0,
        )
    return None


def _touches(update: Update, change: KeyChange, group: str) -> bool:
    """Whether a key is of the group's compute resource, of its queue, or of the whole cluster."""
    resource = _RESOURCE.search(change.path)
    if resource is not None:
        return resource[1] == group
    queue = _QUEUE.search(change.path)
    if queue is not None:
        return any(
            one["Name"] == queue[1] and group in {each["Name"] for each in one["ComputeResources"]}
            for one in update.before["Scheduling"]["SlurmQueues"]
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


def _said(change: KeyChange) -> str:
    if isinstance(change.before, (Mapping, list)) or isinstance(change.after, (Mapping, list)):
        return change.path
    if ".CustomActions." in change.path:
        return change.path  # the values are digests
    return f"{change.path} ({_text(change.before)} → {_text(change.after)})"


def _text(value: Any) -> str:
    return "none" if value is None else str(value)


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"
