"""Lustre throughput is valid."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule, listed


class LustreThroughput(LustreRule):
    id = "CW-S002"
    prevents = "CreateFileSystem fails with BadRequest: the per-unit throughput is not valid"
    source = "FSx CreateFileSystem, PerUnitStorageThroughput"

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        if fs.throughput_mbps_per_tib is None:
            return
        values = context.catalog.lustre.throughput_values(fs.deployment_type, fs.storage_type)
        if fs.throughput_mbps_per_tib not in values:
            yield Fail(
                message=f"{fs.deployment_type} {fs.storage_type} supports {listed(values)} MB/s "
                f"per TiB, not {fs.throughput_mbps_per_tib:,}",
                path=(*path, "throughput_mbps_per_tib"),
                requested=fs.throughput_mbps_per_tib,
                hint=f"throughput_mbps_per_tib: {_nearest(fs.throughput_mbps_per_tib, values)}"
                if values
                else None,
            )


def _nearest(value: int, values: tuple[int, ...]) -> int:
    return min(values, key=lambda candidate: (abs(candidate - value), candidate))
