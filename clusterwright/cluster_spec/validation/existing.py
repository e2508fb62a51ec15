"""Existing resources: partition, region, and completeness."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    network = cluster.network
    accounting = cluster.slurm.accounting
    if (
        network.existing is not None
        and accounting.kind == "rds"
        and accounting.existing is None
        and len(network.existing.database_subnet_ids) < 2
    ):
        yield Problem(
            "an accounting database requires two subnets in two zones",
            ("network", "existing", "database_subnet_ids"),
            hint="database_subnet_ids: [subnet-..., subnet-...], or slurm.accounting.existing",
            other_path=("slurm", "accounting", "kind"),
            rests_on=(("slurm", "accounting", "existing"),),
        )
    if network.existing is not None:
        yield from _repeated(
            "subnet", ("network", "existing", "subnet_ids"), network.existing.subnet_ids
        )
        yield from _repeated(
            "security group",
            ("network", "existing", "security_group_ids"),
            network.existing.security_group_ids,
        )
        if network.existing.database_subnet_ids and not (
            accounting.kind == "rds" and accounting.existing is None
        ):
            yield Problem(
                "these subnets have no effect: no accounting database is created",
                ("network", "existing", "database_subnet_ids"),
                other_path=("slurm", "accounting", "kind"),
                rests_on=(("slurm", "accounting", "existing"),),
            )
    home = cluster.storage.home
    if home is not None and home.existing is None and home.capacity_gib is None:
        yield Problem(
            "`capacity_gib` is missing",
            ("storage", "home", "capacity_gib"),
            missing_key=True,
            rests_on=(("storage", "home", "existing"),),
        )
    yield from _arns(cluster)


def _repeated(kind: str, path: Path, ids: list[str]) -> Iterator[Problem]:
    for index, identity in enumerate(ids):
        if identity in ids[:index]:
            yield Problem(f"duplicate {kind} {identity}", (*path, index))


def _arns(cluster: Cluster) -> Iterator[Problem]:
    database = cluster.slurm.accounting.existing
    arns: list[tuple[Path, str | None]] = [
        (("identity", "kms_key_arn"), cluster.identity.kms_key_arn),
        (("identity", "permissions_boundary_arn"), cluster.identity.permissions_boundary_arn),
        (
            ("slurm", "accounting", "existing", "secret_arn"),
            database.secret_arn if database else None,
        ),
    ]
    for path, arn in arns:
        if arn is not None and arn.split(":")[1] != cluster.partition:
            yield Problem(
                f"the ARN is not in the partition {cluster.partition}",
                path,
                other_path=("region",),
            )
    key = cluster.identity.kms_key_arn
    if key is not None and key.split(":")[3] != cluster.region:
        yield Problem(
            f"the key is in {key.split(':')[3]}, the cluster in {cluster.region}",
            ("identity", "kms_key_arn"),
            other_path=("region",),
        )
