"""Groups of UltraServer instances are whole UltraServers."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.compute_groups import ultraserver_sizes
from clusterwright.preflight.rules.group_rule import GroupRule


class WholeUltraServers(GroupRule):
    id = "CW-C021"
    severity = "warning"
    prevents = "nodes that are sold and connected only as part of an UltraServer"
    source = "AWS documentation, Capacity Blocks for ML"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        sizes = ultraserver_sizes(context, group.instance_type)
        if not sizes or any(group.count % size == 0 for size in sizes):
            return
        size = sizes[-1]
        whole = -(-group.count // size) * size
        yield Fail(
            message=f"{group.count} × {group.instance_type}: an UltraServer has "
            f"{' or '.join(map(str, sizes))} of them",
            path=(*path, "count"),
            requested=group.count,
            hint=f"count: {whole}, of which spare_count: 1 keeps a job within one NVLink domain",
        )
