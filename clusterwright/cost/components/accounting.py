"""The accounting database on RDS and the secrets that Slurm needs."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.derived_names import accounting_user_secret

ENGINE = "MariaDB"
"""The engine of the stacks; other engines have other prices."""

STORAGE = Item("rds", f"{ENGINE} gp3 storage single-AZ", "GB-month")
STORAGE_MULTI_AZ = Item("rds", f"{ENGINE} gp3 storage multi-AZ", "GB-month")
BACKUPS = Item("rds", "backup storage beyond the database's size", "GB-month")
SECRET = Item("secretsmanager", "secret", "secret-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """The munge key of scripted mode, and the database unless it is existing or local."""
    if builder.cluster.slurm.configuration == "scripted":
        yield builder.line(
            "accounting",
            "munge key in Secrets Manager",
            1,
            SECRET,
            path=("slurm", "configuration"),
        )
    accounting = builder.cluster.slurm.accounting
    if accounting.kind != "rds" or accounting.existing is not None:
        return
    here: Path = ("slurm", "accounting")
    zones = "multi-AZ" if accounting.multi_az else "single-AZ"
    instance = Item("rds", f"{accounting.instance_class} {ENGINE} {zones}", "hour")
    yield builder.line(
        "accounting",
        f"RDS {ENGINE} {accounting.instance_class}, {zones}",
        1,
        instance,
        path=(*here, "instance_class"),
        per="hour",
    )
    yield builder.line(
        "accounting",
        f"RDS storage, {zones}",
        accounting.capacity_gib,
        STORAGE_MULTI_AZ if accounting.multi_az else STORAGE,
        path=(*here, "capacity_gib"),
    )
    yield builder.used("accounting", "RDS backups", BACKUPS, path=(*here, "backup_retention_days"))
    user = accounting_user_secret(builder.cluster)
    item, count = (
        ("database password in Secrets Manager", 1)
        if user is None
        else ("database passwords in Secrets Manager", 2)
    )
    yield builder.line("accounting", item, count, SECRET, path=here)
