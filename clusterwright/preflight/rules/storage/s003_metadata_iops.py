"""Lustre metadata IOPS are valid."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule, listed


class MetadataIops(LustreRule):
    id = "CW-S003"
    prevents = "CreateFileSystem fails with BadRequest: the metadata IOPS are not valid"
    source = "FSx CreateFileSystem, MetadataConfiguration"

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        iops = fs.metadata.iops if fs.metadata else None
        if iops is None:
            return
        facts_of = context.catalog.lustre
        tiering = fs.storage_type == "INTELLIGENT_TIERING"
        values = (
            facts_of.tiering_metadata_iops_values if tiering else facts_of.metadata_iops_values
        )
        if iops in values:
            return
        near = min(values, key=lambda value: abs(value - iops))
        shown = listed(values) if tiering else "1,500, 3,000, 6,000 and multiples of 12,000 up to "
        shown += "" if tiering else f"{values[-1]:,}"
        yield Fail(
            message=f"metadata IOPS must be {shown}, not {iops:,}",
            path=(*path, "metadata", "iops"),
            requested=iops,
            limit=values[-1],
            hint=f"iops: {near}",
        )
