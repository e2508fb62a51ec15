"""Checkpoints have a copy outside the file system."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.checkpoints import is_exported, lustre_of

LONG_HOURS = 72
"""Runs of this length are worth a second copy: three days of every node."""


class SoleCopy(Rule[str]):
    id = "CW-S037"
    severity = "warning"
    prevents = (
        "a run of days that is lost with its file system: a deletion, a full disk that is "
        "emptied by hand, or the loss of the zone"
    )
    source = (
        "FSx for Lustre user guide, deployment options: persistent file systems replicate data "
        "within one Availability Zone; using data repositories"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        run, path = context.cluster.run, context.cluster.storage.checkpoint_path
        if run is not None and run.hours >= LONG_HOURS and path is not None:
            yield ("storage", "checkpoint_path"), path

    def check(self, checkpoint_path: str, context: Context) -> Results:
        cluster = context.cluster
        found = lustre_of(checkpoint_path, cluster.storage.lustre)
        if found is None or found[1].existing is not None:
            return  # CW-S013 reports local drives, CW-S033 existing file systems
        fs = found[1]
        if not fs.deployment_type.startswith("PERSISTENT"):
            return  # CW-S013 reports it
        if is_exported(checkpoint_path, fs) or fs.backup_retention_days:
            return
        deleted = cluster.protection == "destroy"
        gone = ", and protection: destroy deletes it with the stacks" if deleted else ""
        run = cluster.run
        assert run is not None
        yield Fail(
            message=f"`{fs.name}` has the only copy of the checkpoints of {run.hours:,g} hours: "
            f"no repository exports {checkpoint_path}, and there are no backups{gone}",
            severity=None if deleted else "info",
            hint="add a repository with export: [NEW, CHANGED], or backup_retention_days",
        )
