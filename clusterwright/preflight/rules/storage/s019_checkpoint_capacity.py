"""The file system has enough capacity for two checkpoints."""

from __future__ import annotations

import math

from clusterwright.platforms.free_space import FREE_PERCENT, usable_gib
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.checkpoints import lustre_of, within

AT_ONCE = 2
"""The last complete checkpoint is kept until the next one is complete."""


class CheckpointCapacity(Rule[str]):
    id = "CW-S019"
    prevents = "a file system that fills up while a checkpoint is written, without a complete one"
    source = (
        "the spec's run; clusterwright_checkpoints keeps one complete checkpoint while it writes"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        run, path = context.cluster.run, context.cluster.storage.checkpoint_path
        if run is not None and run.checkpoint_gib is not None and path is not None:
            yield ("run", "checkpoint_gib"), path

    def check(self, checkpoint_path: str, context: Context) -> Results:
        storage, run = context.cluster.storage, context.cluster.run
        assert run is not None
        assert run.checkpoint_gib is not None
        found = lustre_of(checkpoint_path, storage.lustre)
        capacity, name = None, "home"
        if found is not None:
            capacity, name = found[1].capacity_gib, str(found[1].name)
        elif storage.home is not None and within(checkpoint_path, storage.home.mount_path):
            capacity = storage.home.capacity_gib
        wanted = AT_ONCE * run.checkpoint_gib
        if capacity is None:
            return
        if capacity < wanted:
            yield Fail(
                message=f"two checkpoints of {run.checkpoint_gib:,.10g} GiB do not fit on "
                f"`{name}` of {capacity:,} GiB",
                requested=round(wanted),
                limit=capacity,
            )
        elif usable_gib(capacity) < wanted:
            yield Fail(
                message=f"two checkpoints of {run.checkpoint_gib:,.10g} GiB leave "
                f"{capacity - wanted:,.0f} of {capacity:,} GiB on `{name}` for all other data: "
                f"less than the {FREE_PERCENT} % of free space below which the alarm fires",
                severity="warning",
                requested=round(wanted),
                limit=round(usable_gib(capacity)),
                hint=f"capacity_gib: at least {math.ceil(wanted * 100 / (100 - FREE_PERCENT)):,}, "
                "and the data set besides",
            )
