"""What goes along with a cluster, or does not, and what a person does about it."""

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
"""How much of something a platform does; what nobody knows may not be there."""


def lost_abilities(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    """What the source does and the target does not, whatever the file says."""
    yield from _difference(source, target)


def gained_abilities(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    """What the target does and the source does not."""
    yield from _difference(target, source)


def _difference(able: PlatformName, unable: PlatformName) -> Iterator[Note]:
    """Rows of which `able` has more: all of it against a part, or a part against nothing."""
    for row in (*CAPABILITIES, *DAILY):
        here, there = row.cells[able], row.cells[unable]
        if _EXTENT[here.answer] > _EXTENT[there.answer]:
            words = f"{_said(here)}; on {unable}: {_said(there)}"
            yield Note("", f"{row.title}: {words}")


def _said(cell: Cell) -> str:
    return f"in part, {cell.words}" if cell.answer == "in part" else cell.words


def moves(
    cluster: Cluster, other: Cluster | None, target: PlatformName, catalog: Catalog
) -> Iterator[Note]:
    """Everything that is carried over, counted again or set up anew.

    `other` is the cluster of the other file, None where that does not load yet.
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
        "job scripts, dashboards and alarms that name nodes change",
    )
    yield from _identity(source, target)


def _scheduler(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    if source in SLURM and target in KUBERNETES:
        yield Note(
            "",
            "jobs are Kubernetes' in the place of Slurm's: no sbatch, srun or partitions",
            "batch scripts become manifests; `clusterwright render kubernetes` prints those of "
            "`kubernetes.workloads.jobs`",
        )
    elif source in KUBERNETES and target in SLURM:
        yield Note(
            "",
            "jobs are Slurm's in the place of Kubernetes': no manifests, charts or Kueue",
            "manifests become batch scripts; their images run with `slurm.containers`",
        )


def _users(cluster: Cluster, target: PlatformName) -> Iterator[Note]:
    users = cluster.slurm.users if cluster.uses_slurm else []
    if users:
        uids = f"{min(u.uid for u in users)} to {max(u.uid for u in users)}"
        told = f"{len(users)} users, uid {uids}: their files belong to these numbers"
        if target in SLURM:
            yield Note("slurm.users", told, "keep every uid and gid; the other file has them")
        else:
            yield Note(
                "slurm.users",
                f"{told}; Kubernetes has no such users",
                "people get access entries (`kubernetes.access`) and tenants; pods that write to "
                "the file systems run as these numbers (securityContext: runAsUser, fsGroup)",
            )
    elif target in SLURM and cluster.uses_kubernetes:
        yield Note(
            "slurm.users",
            "files belong to the numbers that pods ran as",
            "write `slurm.users` with those uids before anybody logs in",
        )


def _file_systems(cluster: Cluster, target: PlatformName) -> Iterator[Note]:
    kept = cluster.protection == "retain"
    for index, fs in enumerate(cluster.storage.lustre):
        where = f"storage.lustre[{index}]"
        if fs.existing is not None:
            yield Note(
                where,
                f"{fs.existing.id} exists already and is only mounted",
                "its security group must let the new nodes in",
            )
            continue
        size = f"{fs.capacity_gib:,} GiB" if fs.capacity_gib else "the file system"
        yield Note(
            where,
            f"{size} at {fs.mount_path}: the data stays, and another cluster mounts it",
            ("" if kept else "set `protection: retain` and deploy that first; ")
            + "finish jobs and export to its buckets; a cluster of another name has it as "
            "`existing:` (id, dns_name, mount_name, security_group_id), which `--outputs FILE` of "
            "`cdk deploy --outputs-file` writes; it takes no other size or throughput there",
        )
    home = cluster.storage.home
    if home is not None and home.existing is None:
        yield Note(
            "storage.home",
            "home directories",
            "write them as `existing:` in the other file"
            + ("; a backup first, while it is small" if not kept else "")
            + ("; pods mount them as a volume" if target in KUBERNETES else ""),
        )


def _accounting(cluster: Cluster, other: Cluster | None, target: PlatformName) -> Iterator[Note]:
    if not cluster.uses_slurm or cluster.slurm.accounting.kind == "none":
        return
    kind = cluster.slurm.accounting.kind
    if target in KUBERNETES:
        yield Note(
            "slurm.accounting",
            "the history of jobs has no place on Kubernetes",
            "`sacct -a -X -P -S 2000-01-01` into the bucket before the old cluster goes"
            + ("; its database is retained" if kind == "rds" else ""),
        )
    elif other is not None and other.slurm.accounting.kind == "none":
        yield Note(
            "slurm.accounting",
            "the other file keeps no history of jobs, and the old one "
            + ("goes with the controller" if kind == "local" else "stays in its database"),
            "`sacct -a -X -P -S 2000-01-01` into the bucket before the old cluster goes; or "
            "`kind: rds` in the other file, which loads a dump (`mysqldump slurm_acct_db`)",
        )
    elif kind == "local":
        yield Note(
            "slurm.accounting",
            "the database is on the controller and goes with it",
            "dump it (`mysqldump slurm_acct_db`) and load it into the new one, with the same "
            "ClusterName, while slurmdbd stands still",
        )
    else:
        yield Note(
            "slurm.accounting",
            "the accounting database stays; Slurm knows clusters in it by name",
            "write it as `existing:` in the other file; sacct shows the old jobs with "
            "`-M <old cluster name>`",
        )


def _workspace(cluster: Cluster, other: Cluster) -> Iterator[Note]:
    """AWS's collectors fill no workspace under a key of one's own, and a key cannot change."""
    if not (cluster.observability.prometheus and other.observability.prometheus):
        return
    if cluster.environment != other.environment or collected(cluster) == collected(other):
        return
    old = "stays, in no stack" if other.protection == "retain" else "is deleted with its metrics"
    yield Note(
        "observability.prometheus",
        "the workspace is made anew, under another key: AWS's collector fills none under the "
        f"cluster's; the old one {old}",
        "query what is still wanted before; dashboards and alerts name the new workspace",
    )


def _zone(cluster: Cluster) -> Iterator[Note]:
    zone = cluster.network.availability_zone_id
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield Note(
            "network.availability_zone_id",
            f"file systems stand in {zone} alone",
            f"buy capacity in {zone}; in another zone the data is copied through S3 first",
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
            "a subnet cannot grow: where they do not fit, the new nodes need a wider range"
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
            f"another quota counts: {key}, {need:,.0f} {unit}",
            "`clusterwright check` says what is free; increases take days to weeks",
        )


def _identity(source: PlatformName, target: PlatformName) -> Iterator[Note]:
    if source in HYPERPOD and target in ON_EC2:
        yield Note(
            "identity",
            "nodes have instance profiles in the place of SageMaker's execution role",
            "policies of buckets and keys that name the old role name the new one",
        )
    elif source in ON_EC2 and target in HYPERPOD:
        yield Note(
            "identity",
            "nodes have SageMaker's execution role in the place of instance profiles",
            "policies of buckets and keys that name the old roles name the new one",
        )
    if source in SLURM and target in KUBERNETES:
        yield Note(
            "identity",
            "pods get rights by service account (`kubernetes.pod_identities`), not from the node",
            "one role for each service account that reads or writes buckets",
        )
    elif source in KUBERNETES and target in SLURM:
        yield Note(
            "identity",
            "jobs have the node's rights: there are no roles by service account",
            "what pods could reach, the nodes' role must reach",
        )


def _types(cluster: Cluster) -> Counter[str]:
    found: Counter[str] = Counter()
    for group in cluster.compute:
        found[group.instance_type] += group.count
    return found
