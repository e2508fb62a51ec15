"""Lustre capacity is valid."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule, listed


class LustreCapacity(LustreRule):
    id = "CW-S001"
    prevents = "CreateFileSystem fails with BadRequest: the storage capacity is not valid"
    source = "FSx CreateFileSystem, StorageCapacity; aws/aws-parallelcluster, FsxStorageCapacity"

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        if fs.storage_type == "INTELLIGENT_TIERING" or fs.capacity_gib is None:
            return
        tier = context.catalog.lustre.tier(
            fs.deployment_type, fs.storage_type, fs.throughput_mbps_per_tib
        )
        if tier is None:
            return  # CW-S002 reports it
        if fs.efa and tier.efa_step_gib is not None:
            return  # CW-S004 checks the step of EFA
        if tier.is_valid_capacity(fs.capacity_gib):
            return
        below, above = tier.nearest_capacities(fs.capacity_gib)
        near = " or ".join(f"{c:,}" for c in (below, above) if c is not None)
        first = f"{listed(tier.initial_gib)}, then " if tier.initial_gib else ""
        yield Fail(
            message=f"{fs.deployment_type} {fs.storage_type} must be {first}a multiple of "
            f"{tier.step_gib:,} GiB, not {fs.capacity_gib:,}",
            path=(*path, "capacity_gib"),
            requested=fs.capacity_gib,
            hint=f"capacity_gib: {near}",
        )
