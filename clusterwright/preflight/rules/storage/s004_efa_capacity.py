"""Capacity of EFA-enabled Lustre file systems is valid."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule


class EfaCapacity(LustreRule):
    id = "CW-S004"
    prevents = (
        "CreateFileSystem fails with BadRequest: an EFA-enabled file system consists of whole "
        "servers"
    )
    source = (
        "AWS documentation, EFA-enabled FSx for Lustre file systems; awslabs/awsome-distributed-ai"
    )

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        if not fs.efa or fs.capacity_gib is None:
            return
        tier = context.catalog.lustre.tier(
            fs.deployment_type, fs.storage_type, fs.throughput_mbps_per_tib
        )
        if tier is None or tier.efa_step_gib is None:
            return  # CW-S002 reports it
        if tier.is_valid_capacity(fs.capacity_gib, efa=True):
            return
        step = tier.efa_step_gib
        below, above = tier.nearest_capacities(fs.capacity_gib, efa=True)
        near = " or ".join(f"{c:,}" for c in (below, above) if c)
        yield Fail(
            message=f"with EFA, {fs.throughput_mbps_per_tib} MB/s per TiB requires a multiple of "
            f"{step:,} GiB, not {fs.capacity_gib:,}",
            path=(*path, "capacity_gib"),
            requested=fs.capacity_gib,
            limit=step,
            hint=f"capacity_gib: {near or f'{step:,}'}",
        )
