"""Intelligent-Tiering throughput and read cache are valid."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule


class TieringSteps(LustreRule):
    id = "CW-S008"
    prevents = "CreateFileSystem fails with BadRequest: the throughput or the cache is not valid"
    source = "AWS documentation, FSx for Lustre Intelligent-Tiering"

    def check(self, fs: Lustre, path: Path, context: Context) -> Results:
        if fs.storage_type != "INTELLIGENT_TIERING" or fs.throughput_mbps is None:
            return
        lustre = context.catalog.lustre
        step, most = lustre.tiering_throughput_step_mbps, lustre.tiering_throughput_max_mbps
        if fs.throughput_mbps % step or fs.throughput_mbps > most:
            near = min(max(step, round(fs.throughput_mbps / step) * step), most)
            yield Fail(
                message=f"Intelligent-Tiering throughput must be a multiple of {step:,} MB/s up "
                "to "
                f"{most:,}, not {fs.throughput_mbps:,}",
                path=(*path, "throughput_mbps"),
                requested=fs.throughput_mbps,
                limit=most,
                hint=f"throughput_mbps: {near}",
            )
            return
        cache_gib = fs.read_cache.capacity_gib if fs.read_cache else None
        least, largest = (
            bound * fs.throughput_mbps // step for bound in lustre.tiering_cache_gib_per_step
        )
        if cache_gib is not None and not least <= cache_gib <= largest:
            yield Fail(
                message=f"with {fs.throughput_mbps:,} MB/s the read cache must have {least:,} to "
                f"{largest:,} GiB, not {cache_gib:,}",
                path=(*path, "read_cache", "capacity_gib"),
                requested=cache_gib,
                limit=largest,
            )
