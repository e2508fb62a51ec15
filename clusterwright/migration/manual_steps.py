"""What a migration transfers, what it loses or gains, and what the user does about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from clusterwright.catalog import Catalog, Known, QuotaUse
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.migration.results import Note
from clusterwright.platforms.capabilities import CAPABILITIES, DAILY
from clusterwright.platforms.cells import Answer, Cell
from clusterwright.platforms.registry import (
    HYPERPOD,
    KUBERNETES,
    ON_EC2,
    SLURM,
    PlatformName,
    traits_of,
)

_EXTENT: Final[dict[Answer, int]] = {"no": 0, "unknown": 0, "in part": 1, "yes": 2}
"""Rank of an answer; unknown counts as no."""


def lost_abilities(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    """Capabilities of the source that the target lacks, whatever the file contains."""
    yield from _difference(source, target)


def gained_abilities(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    """Capabilities of the target that the source lacks."""
    yield from _difference(target, source)


def _difference(able: PlatformName, unable: PlatformName) -> Iterator[Note]:
    """Rows with a higher rank for `able` than for `unable`."""
    for row in (*CAPABILITIES, *DAILY):
        here, there = row.cells[able], row.cells[unable]
        if _EXTENT[here.answer] > _EXTENT[there.answer]:
            words = f"{_said(here)}; on {unable}: {_said(there)}"
            yield Note("", f"{row.title}: {words}")


def _said(cell: Cell) -> str:
    return f"in part, {cell.words}" if cell.answer == "in part" else cell.words


def manual_steps(
    cluster: Cluster, other: Cluster | None, target: PlatformName, catalog: Catalog
) -> Iterator[Note]:
    """Everything that is transferred, recounted or set up again.

    `other` is the cluster of the new file, None where that does not load yet.
    """
    source: PlatformName = cluster.platform
    yield from _scheduler(source, target)
    yield from _users(cluster, target)
    yield from _file_systems(cluster, target)
    yield from _accounting(cluster, other, target)
    if other is not None:
        yield from _workspace(cluster, other)
    yield from _zone(cluster)
    yield from _addresses(cluster, target, catalog)
    yield from _quotas(cluster, target, catalog)
    yield Note(
        "",
        f"nodes are called {traits_of(target).node_names}; "
        f"they were {traits_of(source).node_names}",
        "update job scripts, dashboards and alarms that contain node names",
    )
    yield from _identity(source, target)


def _scheduler(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    if source in SLURM and target in KUBERNETES:
        yield Note(
            "",
            "Kubernetes runs the jobs instead of Slurm: no sbatch, srun or partitions",
            "batch scripts become manifests; `clusterwright render kubernetes` prints those of "
            "`kubernetes.workloads.jobs`",
        )
    elif source in KUBERNETES and target in SLURM:
        yield Note(
            "",
            "Slurm runs the jobs instead of Kubernetes: no manifests, charts or Kueue",
            "manifests become batch scripts; their images run with `slurm.containers`",
        )


def _users(cluster: Cluster, target: PlatformName) -> Iterator[Note]:
    users = cluster.slurm.users if cluster.uses_slurm else []
    if users:
        uids = f"{min(u.uid for u in users)} to {max(u.uid for u in users)}"
        told = f"{len(users)} users, uid {uids}: these ids own their files"
        if target in SLURM:
            yield Note("slurm.users", told, "keep every uid and gid; the new file has them")
        else:
            yield Note(
                "slurm.users",
                f"{told}; Kubernetes has no such users",
                "give people access entries (`kubernetes.access`) and tenants; pods that write to "
                "the file systems run with these ids (securityContext: runAsUser, fsGroup)",
            )
    elif target in SLURM and cluster.uses_kubernetes:
        yield Note(
            "slurm.users",
            "files are owned by the ids that pods ran with",
            "write `slurm.users` with those uids before anyone logs in",
        )


def _file_systems(cluster: Cluster, target: PlatformName) -> Iterator[Note]:
    retained = cluster.protection == "retain"
    for index, fs in enumerate(cluster.storage.lustre):
        where = f"storage.lustre[{index}]"
        if fs.existing is not None:
            yield Note(
                where,
                f"{fs.existing.id} already exists and is only mounted",
                "its security group must allow the new nodes",
            )
            continue
        size = f"{fs.capacity_gib:,} GiB" if fs.capacity_gib else "the file system"
        yield Note(
            where,
            f"{size} at {fs.mount_path}: the data stays, and the new cluster mounts it",
            ("" if retained else "set `protection: retain` and deploy that first; ")
            + "finish jobs and export to its buckets; a new environment has it as `existing:` "
            "(id, dns_name, mount_name, security_group_id), which `--outputs FILE` writes from "
            "the file of `cdk deploy --outputs-file`; size and throughput cannot be changed there",
        )
    home = cluster.storage.home
    if home is not None and home.existing is None:
        yield Note(
            "storage.home",
            "home directories",
            "write them as `existing:` in the new file"
            + ("; back them up first" if not retained else "")
            + ("; pods mount them as a volume" if target in KUBERNETES else ""),
        )


def _accounting(cluster: Cluster, other: Cluster | None, target: PlatformName) -> Iterator[Note]:
    if not cluster.uses_slurm or cluster.slurm.accounting.kind == "none":
        return
    kind = cluster.slurm.accounting.kind
    if target in KUBERNETES:
        yield Note(
            "slurm.accounting",
            "the job history cannot be kept on Kubernetes",
            "save `sacct -a -X -P -S 2000-01-01` to the bucket before the old cluster is destroyed"
            + ("; its database is retained" if kind == "rds" else ""),
        )
    elif other is not None and other.slurm.accounting.kind == "none":
        yield Note(
            "slurm.accounting",
            "the new file keeps no job history, and the old history "
            + ("is deleted with the controller" if kind == "local" else "stays in its database"),
            "save `sacct -a -X -P -S 2000-01-01` to the bucket before the old cluster is "
            "destroyed; or set `kind: rds` in the new file and load a dump "
            "(`mysqldump slurm_acct_db`)",
        )
    elif kind == "local":
        yield Note(
            "slurm.accounting",
            "the database is on the controller and is deleted with it",
            "dump it (`mysqldump slurm_acct_db`) and load it into the new one, with the same "
            "ClusterName, while slurmdbd is stopped",
        )
    elif kind != "managed":
        yield Note(
            "slurm.accounting",
            "the accounting database stays; Slurm identifies clusters in it by name",
            "write it as `existing:` in the new file; sacct shows the old jobs with "
            "`-M <old cluster name>`",
        )


def _workspace(cluster: Cluster, other: Cluster) -> Iterator[Note]:
    """AWS's collectors cannot write to a workspace with a customer key, and keys cannot change."""
    if not (cluster.observability.prometheus and other.observability.prometheus):
        return
    if cluster.environment != other.environment or collected(cluster) == collected(other):
        return
    old = "is retained" if other.protection == "retain" else "is deleted with its metrics"
    yield Note(
        "observability.prometheus",
        "the workspace is replaced, with another key: AWS's collector cannot write to one with "
        f"the cluster's key; the old one {old}",
        "query what you still need first; point dashboards and alerts to the new workspace",
    )


def _zone(cluster: Cluster) -> Iterator[Note]:
    zone = cluster.network.availability_zone_id
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield Note(
            "network.availability_zone_id",
            f"file systems are in {zone} only",
            f"buy capacity in {zone}; for another zone copy the data through S3 first",
        )


def _addresses(cluster: Cluster, target: PlatformName, catalog: Catalog) -> Iterator[Note]:
    before = after = 0
    unknown: list[str] = []
    said: list[str] = []
    for name, count in _types(cluster).items():
        old = catalog.addresses_per_node(name, cluster.platform)
        new = catalog.addresses_per_node(name, target)
        if isinstance(old, Known) and isinstance(new, Known):
            before, after = before + old.value * count, after + new.value * count
            if old.value != new.value:
                said.append(f"{name} {old.value} → {new.value}")
        else:
            unknown.append(name)
    if said or unknown:
        what = f"addresses of the nodes: {before:,} → {after:,} ({', '.join(said) or 'the same'})"
        if unknown:
            what += f"; unknown for {', '.join(unknown)}"
        yield Note(
            "network.cidr",
            what,
            "a subnet cannot grow: if they do not fit, the new nodes need a larger range"
            if after > before
            else None,
        )


def _quotas(cluster: Cluster, target: PlatformName, catalog: Catalog) -> Iterator[Note]:
    if (cluster.platform in HYPERPOD) == (target in HYPERPOD):
        return
    needs: dict[str, float] = {}
    for group in cluster.compute:
        kind = group.capacity.kind
        spot = kind == "spot"
        use: QuotaUse = "hyperpod-spot" if spot else "hyperpod-cluster"
        each = 1
        if target in ON_EC2:
            use = "ec2-spot" if spot else "ec2-on-demand"
            instance = catalog.instance(group.instance_type)
            vcpus = instance.vcpus if instance is not None else None
            if not isinstance(vcpus, Known):
                continue
            each = vcpus.value
        quota = catalog.quota_for(group.instance_type, use)
        if isinstance(quota, Known):
            key = f"{quota.value.code} ({quota.value.name})"
            needs[key] = needs.get(key, 0) + group.count * each
    unit = "vCPUs" if target in ON_EC2 else "instances"
    for key, need in sorted(needs.items()):
        yield Note(
            "compute",
            f"another quota applies: {key}, {need:,.0f} {unit}",
            "`clusterwright check` shows what is available; increases take days to weeks",
        )


def _identity(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    if source in HYPERPOD and target in ON_EC2:
        yield Note(
            "identity",
            "nodes have instance profiles instead of SageMaker's execution role",
            "replace the old role in the policies of buckets and keys",
        )
    elif source in ON_EC2 and target in HYPERPOD:
        yield Note(
            "identity",
            "nodes have SageMaker's execution role instead of instance profiles",
            "replace the old roles in the policies of buckets and keys",
        )
    if source in SLURM and target in KUBERNETES:
        yield Note(
            "identity",
            "pods get permissions by service account (`kubernetes.pod_identities`), not by node",
            "create a role for each service account that reads or writes buckets",
        )
    elif source in KUBERNETES and target in SLURM:
        yield Note(
            "identity",
            "jobs have the node's permissions: there are no roles by service account",
            "give the nodes' role what the pods' roles had",
        )


def _types(cluster: Cluster) -> Counter[str]:
    found: Counter[str] = Counter()
    for group in cluster.compute:
        found[group.instance_type] += group.count
    return found
