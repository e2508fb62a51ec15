"""Lustre in a Local Zone is supported there."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule, listed


class LustreInLocalZone(LustreRule):
    id = "CW-S007"
    prevents = "CreateFileSystem fails: Local Zones support PERSISTENT_2 without EFA only"
    source = "AWS documentation, FSx for Lustre availability by region"

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        zone = context.cluster.network.availability_zone_id
        local = context.catalog.local_zone(zone)
        if local is None:
            return
        rule = context.catalog.lustre.local_zone_rule
        if local not in rule.zones:
            yield Fail(
                message=f"no source lists FSx for Lustre in {local}",
                severity="warning",
                where=local,
            )
            return
        if fs.efa and not rule.efa:
            yield Fail(
                message=f"{local} does not support EFA for Lustre",
                path=(*path, "efa"),
                where=local,
                hint="efa: false",
            )
        if fs.deployment_type != rule.deployment_type or fs.storage_type != "SSD":
            yield Fail(
                message=f"{local} supports {rule.deployment_type} SSD only, not "
                f"{fs.deployment_type} {fs.storage_type}",
                path=(*path, "deployment_type"),
                requested=f"{fs.deployment_type} {fs.storage_type}",
                where=local,
            )
        elif fs.throughput_mbps_per_tib not in rule.throughput_mbps_per_tib:
            yield Fail(
                message=f"{local} supports {listed(rule.throughput_mbps_per_tib)} MB/s per TiB, "
                f"not {fs.throughput_mbps_per_tib}",
                path=(*path, "throughput_mbps_per_tib"),
                requested=fs.throughput_mbps_per_tib,
                where=local,
            )
