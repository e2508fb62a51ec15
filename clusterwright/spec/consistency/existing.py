"""What exists is named completely and never built over; what is built is built once."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    network = cluster.network
    if network.existing is not None:
        allowed = {"existing", "availability_zone_id", "address_headroom_percent"}
        for field in sorted(network.model_fields_set - allowed):
            yield Problem(
                f"`{field}` would alter a network that exists; it is only used",
                ("network", field),
                other_path=("network", "existing"),
            )
        accounting = cluster.slurm.accounting
        if (
            accounting.kind == "rds"
            and accounting.existing is None
            and len(network.existing.database_subnet_ids) < 2
        ):
            yield Problem(
                "an accounting database needs two subnets in two zones",
                ("network", "existing"),
                hint="database_subnet_ids: [subnet-..., subnet-...], or slurm.accounting.existing",
                other_path=("slurm", "accounting", "kind"),
            )
    home = cluster.storage.home
    if home is not None:
        if home.existing is None and home.capacity_gib is None:
            yield Problem("capacity_gib is missing", ("storage", "home"))
        if home.existing is not None:
            for field in sorted(home.model_fields_set - {"kind", "mount_path", "existing"}):
                yield Problem(
                    f"`{field}` would alter a file system that exists; it is only mounted",
                    ("storage", "home", field),
                    other_path=("storage", "home", "existing"),
                )
    yield from _buckets(cluster)
    for field, arn in (
        ("kms_key_arn", cluster.identity.kms_key_arn),
        ("permissions_boundary_arn", cluster.identity.permissions_boundary_arn),
    ):
        if arn is not None and arn.split(":")[1] != cluster.partition:
            yield Problem(f"the ARN is not of the partition {cluster.partition}", ("identity", field))
    key = cluster.identity.kms_key_arn
    if key is not None and key.split(":")[3] != cluster.region:
        yield Problem(
            f"the key is in {key.split(':')[3]}, the cluster in {cluster.region}",
            ("identity", "kms_key_arn"),
            other_path=("region",),
        )


def _buckets(cluster: Cluster) -> Iterator[Problem]:
    uses: list[tuple[Path, str, bool]] = [
        (("storage", "buckets", i, "create"), b.name, b.create)
        for i, b in enumerate(cluster.storage.buckets)
        if not b.directory
    ]
    for i, file_system in enumerate(cluster.storage.lustre):
        for j, repository in enumerate(file_system.repositories):
            path: Path = ("storage", "lustre", i, "repositories", j, "create")
            uses.append((path, repository.s3[5:].split("/")[0], repository.create))
    first: dict[str, tuple[Path, bool]] = {}
    for path, name, create in uses:
        if name in first and first[name][1] != create:
            yield Problem(
                f"the bucket {name} is built in one place and said to exist in another",
                path,
                other_path=first[name][0],
            )
        first.setdefault(name, (path, create))
    for i, bucket in enumerate(cluster.storage.buckets):
        here: Path = ("storage", "buckets", i)
        if bucket.directory and bucket.mount_path is not None:
            yield Problem(
                "a read-only mount of a directory bucket is not built yet", (*here, "mount_path")
            )
        if bucket.expire_noncurrent_days is not None and (bucket.directory or not bucket.create):
            yield Problem(
                "expire_noncurrent_days belongs to a general purpose bucket that is built",
                (*here, "expire_noncurrent_days"),
            )
        if bucket.directory and "." in bucket.name:
            yield Problem("the name of a directory bucket has no dots", (*here, "name"))
