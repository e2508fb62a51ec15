"""The cluster at its maximum: every group at its `max_count`."""

from __future__ import annotations

import dataclasses

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context


def grows(context: Context) -> bool:
    """Whether any group may grow."""
    return any((group.max_count or 0) > group.count for group in context.cluster.compute)


def grown(context: Context) -> Context:
    """The same context with every group at its `max_count`, if set.

    Findings about it are at the path of the growth: see `at_growth`.
    """
    cluster = context.cluster
    groups = [
        group.model_copy(update={"count": max(group.count, group.max_count or 0)})
        for group in cluster.compute
    ]
    spec = dataclasses.replace(
        context.spec, cluster=cluster.model_copy(update={"compute": groups})
    )
    return dataclasses.replace(context, spec=spec)


def at_growth(context: Context, path: Path) -> Path:
    """The path of the growth behind a finding at `path`.

    The group's own `max_count` if the finding is about the count of a group that may grow, else
    that of the group that grows most.
    """
    growing = {
        index: (group.max_count or 0) - group.count
        for index, group in enumerate(context.cluster.compute)
        if (group.max_count or 0) > group.count
    }
    if len(path) >= 2 and path[0] == "compute" and path[1] in growing:
        return ("compute", path[1], "max_count")
    index = max(growing, key=lambda i: growing[i])
    return ("compute", index, "max_count")
