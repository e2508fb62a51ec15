"""Base classes of rules about each compute group and each new Lustre file system."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Rule, Subjects
from clusterwright.preflight.rules.compute_groups import can_have_nodes


class GroupRule(Rule[ComputeGroup]):
    """A rule about each group that has nodes, or gets nodes when pods are pending."""

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        return [
            (path, group) for path, group in context.groups() if can_have_nodes(context, group)
        ]


class LustreRule(Rule[Lustre]):
    """A rule about each new Lustre file system."""

    def subjects(self, context: Context) -> Subjects[Lustre]:
        for index, file_system in enumerate(context.cluster.storage.lustre):
            if file_system.existing is None:
                yield ("storage", "lustre", index), file_system


def listed(values: Iterable[object]) -> str:
    """Join values for a sentence: `1, 2 and 3`."""
    texts = [f"{value:,}" if isinstance(value, int) else str(value) for value in values]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
