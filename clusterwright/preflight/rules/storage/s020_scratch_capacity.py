"""The local drives have enough capacity for their part of two checkpoints."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rules.storage.checkpoints import lustre_of, writers

GB_PER_GIB = 1024**3 / 10**9
AT_ONCE = 2
"""A node keeps the newest part until the next one is on shared storage (keep_local: 1)."""


class ScratchCapacity(Rule[ComputeGroup]):
    id = "CW-S020"
    prevents = "drives that fill up while the previous checkpoint is still being copied"
    source = "EC2 DescribeInstanceTypes, InstanceStorageInfo; docs/how-to/keep-checkpoints.md"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        run, path = context.cluster.run, context.cluster.storage.checkpoint_path
        if run is None or run.checkpoint_gib is None or path is None:
            return
        if lustre_of(path, context.cluster.storage.lustre) is None:
            return  # only checkpoints on Lustre are copied from local drives
        for place, group, _ in writers(context):
            if group.scratch is not None:
                yield (*place, "scratch"), group

    def check(self, group: ComputeGroup, context: Context) -> Results:
        run = context.cluster.run
        assert run is not None
        assert run.checkpoint_gib is not None
        # The parts are largest if the run uses this group only.
        nodes = group.count - group.spare_count
        part_gb = run.checkpoint_gib * GB_PER_GIB / nodes
        instance = context.catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.local_nvme, Known):
            yield Unknown(message=f"no source states the local drives of {group.instance_type}")
            return
        has_gb = instance.local_nvme.value.total_gb
        if AT_ONCE * part_gb > has_gb:
            yield Fail(
                message=f"two parts of {part_gb:,.0f} GB ({run.checkpoint_gib:,.10g} GiB over "
                f"{nodes:,} nodes) do not fit on the {has_gb:,} GB of {group.instance_type}",
                requested=round(AT_ONCE * part_gb),
                limit=has_gb,
                hint="write checkpoints directly to shared storage, or use more nodes",
            )
