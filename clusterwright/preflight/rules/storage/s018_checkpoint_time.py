"""Shared storage is fast enough for checkpoints."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rules.storage.checkpoints import (
    GIB_PER_TIB,
    clients_mbps,
    limit_of,
    lustre_of,
    seconds_for,
    throughput_for,
    throughput_mbps,
    within,
    writers,
)


class CheckpointTime(Rule[str]):
    id = "CW-S018"
    prevents = (
        "accelerators that wait for storage at every checkpoint, or lose more work than planned"
    )
    source = "AWS documentation, FSx for Lustre performance; the spec's run"

    def subjects(self, context: Context) -> Subjects[str]:
        limit = limit_of(context)
        path = context.cluster.storage.checkpoint_path
        if limit is not None and path is not None and writers(context):
            yield limit.path, path

    def check(self, mount: str, context: Context) -> Results:
        run, limit = context.cluster.run, limit_of(context)
        assert run is not None
        assert run.checkpoint_gib is not None
        assert limit is not None
        wanted = throughput_for(run.checkpoint_gib, limit.seconds)
        found = lustre_of(mount, context.cluster.storage.lustre)
        if found is None:
            yield from self._home(mount, context, wanted)
            return
        index, fs = found
        if fs.existing is not None:
            return  # CW-S034 asks FSx for its throughput
        sold = context.catalog.lustre.throughput_values(fs.deployment_type, fs.storage_type)
        if fs.throughput_mbps_per_tib is not None and fs.throughput_mbps_per_tib not in sold:
            return  # CW-S002 reports it
        has = throughput_mbps(fs, context)
        if has is None:
            yield Unknown(message=f"no source states the throughput of {fs.deployment_type}")
            return
        reach = clients_mbps(context, efa=fs.efa)
        if min(has, reach) >= wanted:
            return
        seconds = seconds_for(run.checkpoint_gib, min(has, reach))
        slow = (
            f"`{fs.name}` writes {has:,.0f} MB/s"
            if has <= reach
            else (f"its clients write {reach:,.0f} MB/s together")
        )
        yield Fail(
            message=f"a checkpoint of {run.checkpoint_gib:,.10g} GiB takes {seconds:,.0f} s: "
            f"{slow}; {limit.words}",
            requested=round(wanted),
            limit=round(min(has, reach)),
            where=f"storage.lustre[{index}]",
            hint=_hint(wanted, fs.throughput_mbps_per_tib) if has <= reach else None,
        )

    def _home(self, mount: str, context: Context, wanted: float) -> Results:
        home = context.cluster.storage.home
        if home is None or not within(mount, home.mount_path):
            return  # CW-S013 reports local drives
        if home.existing is not None:
            yield Unknown(message="the throughput of existing home directories is not read")
        elif home.throughput_mbps < wanted:
            yield Fail(
                message=f"{mount} is on home directories of {home.throughput_mbps:,} "
                f"MB/s; {wanted:,.0f} MB/s are required",
                requested=round(wanted),
                limit=home.throughput_mbps,
                where="storage.home",
                hint="put checkpoints on Lustre",
            )


def _hint(wanted: float, per_tib: int | None) -> str:
    if per_tib is None:
        return f"{wanted:,.0f} MB/s are required"
    capacity = wanted / per_tib * GIB_PER_TIB
    return f"{wanted:,.0f} MB/s are required: {capacity:,.0f} GiB at {per_tib:,} MB/s per TiB"
