"""Existing file systems are fast enough for checkpoints."""

from __future__ import annotations

from clusterwright.aws.fsx import FileSystem
from clusterwright.catalog import Known
from clusterwright.preflight.facts.files import FreeCapacity
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.storage.checkpoints import (
    GIB_PER_TIB,
    clients_mbps,
    limit_of,
    lustre_of,
    seconds_for,
    throughput_for,
    writers,
)
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFileSystem,
    existing_file_systems,
    find_file_system,
)

AT_ONCE = 2
"""The last complete checkpoint is kept until the next one is complete."""


class ExistingCheckpointTime(Rule[ExistingFileSystem]):
    id = "CW-S034"
    prevents = "accelerators that wait for storage at every checkpoint, or a full file system"
    source = "FSx DescribeFileSystems; AWS documentation, FSx for Lustre performance"

    def subjects(self, context: Context) -> Subjects[ExistingFileSystem]:
        run, path = context.cluster.run, context.cluster.storage.checkpoint_path
        if run is None or run.checkpoint_gib is None or path is None or not writers(context):
            return
        found = lustre_of(path, context.cluster.storage.lustre)
        for at, existing in existing_file_systems(context):
            if found is not None and at == ("storage", "lustre", found[0], "existing"):
                yield ("run", "checkpoint_gib"), existing

    def needs(self, files: ExistingFileSystem) -> Facts:
        return (FileSystems(), FreeCapacity(files.id))

    def check(self, files: ExistingFileSystem, context: Context, facts: FactValues) -> Results:
        found = find_file_system(facts[FileSystems()], files)
        run = context.cluster.run
        assert run is not None
        size_gib = run.checkpoint_gib
        assert size_gib is not None
        if found is None:
            return  # CW-S014 reports it
        if found.capacity_gib and found.capacity_gib < AT_ONCE * size_gib:
            yield Fail(
                message=f"two checkpoints of {size_gib:,.10g} GiB do not fit on {found.id} of "
                f"{found.capacity_gib:,} GiB",
                requested=round(AT_ONCE * size_gib),
                limit=found.capacity_gib,
                where=found.id,
            )
        elif files.kind == "LUSTRE":
            yield from _free(found, size_gib, facts[FreeCapacity(files.id)])
        limit = limit_of(context)
        if limit is None:
            return
        has = _throughput_mbps(found, context)
        if has is None:
            yield Unknown(
                message=f"the throughput of {found.id} ({found.deployment_type}) is unknown"
            )
            return
        has = min(has, clients_mbps(context, efa=files.efa))
        wanted = throughput_for(size_gib, limit.seconds)
        if has < wanted:
            yield Fail(
                message=f"a checkpoint of {size_gib:,.10g} GiB takes "
                f"{seconds_for(size_gib, has):,.0f} s on {found.id}; {limit.words}",
                path=limit.path,
                requested=round(wanted),
                limit=round(has),
                where=found.id,
            )


def _free(found: FileSystem, size_gib: float, free_gib: float | None) -> Results:
    """What others use already: the capacity is not that of an empty file system."""
    if free_gib is None:
        yield Unknown(
            message=f"CloudWatch has no FreeDataStorageCapacity of {found.id}: it is not known "
            "whether checkpoints fit beside its data"
        )
        return
    wanted = AT_ONCE * size_gib
    if free_gib < wanted:
        none = free_gib < size_gib
        yield Fail(
            message=f"{found.id} has {free_gib:,.0f} of {found.capacity_gib:,} GiB free, and two "
            f"checkpoints of {size_gib:,.10g} GiB need {wanted:,.0f}",
            severity=None if none else "warning",
            requested=round(wanted),
            used=round(found.capacity_gib - free_gib),
            limit=found.capacity_gib,
            where=found.id,
            hint="delete data, release files that are exported, or add capacity",
        )


def _throughput_mbps(found: FileSystem, context: Context) -> float | None:
    if found.throughput_mbps:
        return found.throughput_mbps
    per_tib: int | None = found.throughput_mbps_per_tib or None
    if per_tib is None:
        tier = context.catalog.lustre.tier(found.deployment_type, found.storage_type)
        baseline = tier.network_baseline_mbps_per_tib if tier is not None else None
        per_tib = baseline.value if isinstance(baseline, Known) else None
    if per_tib is None or not found.capacity_gib:
        return None
    return per_tib * found.capacity_gib / GIB_PER_TIB
