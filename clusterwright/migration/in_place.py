"""Migration with the same environment name: which stacks stay, which are destroyed first.

Platforms build what they share with the same constructs and logical ids, so a deployment of the
new file keeps it. What only one platform has is destroyed first: CloudFormation cannot remove an
export that a deployed stack imports, and creates a resource before it deletes another one of the
same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.migration.results import Note
from clusterwright.platforms.derived_names import database, has_scripts
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.network import PlannedSubnet, plan_network
from clusterwright.platforms.stack_names import stack_name

SHARED: Final = ("identity", "network", "storage", "accounting", "observability", "kubernetes")
"""Stacks that keep their logical ids where both platforms have them."""

_PROTECTED: Final = ("accounting", "kubernetes")
"""Stacks that may be destroyed and that `protection: retain` protects."""


def retained(before: Cluster, after: Cluster) -> tuple[str, ...]:
    """Stacks that stay, in the order of deployment."""
    return tuple(part for part in SHARED if _has(before, part) and _has(after, part))


def removed(before: Cluster, after: Cluster) -> tuple[str, ...]:
    """Stacks to destroy before the new platform is deployed, with those that depend on them.

    The lifecycle stack is destroyed even where both platforms have one: it contains the name of
    the database's secret, whose format differs by platform, and scripts are copied again.
    """
    found = [
        part
        for part in ("accounting", "kubernetes")
        if _has(before, part) and not _has(after, part)
    ]
    found += ["karpenter"] if runs_in_cluster(before) else []
    found += ["lifecycle"] if has_scripts(before) else []
    return (*reversed(found), "cluster")


def in_place(before: Cluster, after: Cluster, catalog: Catalog) -> Iterator[Note]:
    """What stays and what is destroyed first; or only the reasons why this is not possible."""
    conflicts = tuple(_conflicts(before, after, catalog))
    if conflicts:
        # Without the steps, which begin with the destruction of the old cluster.
        yield from conflicts
        return
    name = before.environment
    stays = ", ".join(stack_name(name, part) for part in retained(before, after))
    yield Note(
        "",
        f"{stays} stay: resources in both files keep their logical ids, and so are not replaced: "
        "file systems, buckets, key, VPC and the nodes' subnets",
        "`clusterwright diff NEW --base OLD` shows this for each resource before the deployment",
    )
    going = removed(before, after)
    stacks = [stack_name(name, part) for part in going]
    yield Note(
        "",
        f"{', '.join(stacks)} are destroyed first, with what depends on them: nodes and jobs of "
        f"{before.platform} end before those of {after.platform} start",
        _unlocked(before, going) + f"`cdk destroy {' '.join(stacks)}` with the old file",
    )
    if "accounting" in going:
        yield Note(
            "slurm.accounting",
            f"the database is deleted with {stack_name(name, 'accounting')}"
            if before.protection == "destroy"
            else "the database outlives its stack, and CloudFormation cannot delete its subnets "
            "and security groups: they stay until the database is deleted",
            "dump what you need from it first",
        )
    yield Note("", f"{after.platform} is deployed last", "`cdk deploy --all` with the new file")


def _unlocked(before: Cluster, going: tuple[str, ...]) -> str:
    """Commands that remove the protection of the stacks that are destroyed."""
    if before.protection != "retain":
        return ""
    said = [
        "`aws cloudformation update-termination-protection --no-enable-termination-protection "
        f"--stack-name {stack_name(before.environment, part)}`"
        for part in going
        if part in _PROTECTED
    ]
    if "kubernetes" in going:
        said.append(
            "`aws eks update-cluster-config --no-deletion-protection "
            f"--name {cluster_name(before)}`"
        )
    return "; ".join([*said, ""])


def _conflicts(before: Cluster, after: Cluster, catalog: Catalog) -> Iterator[Note]:
    """New subnets whose ranges overlap those of deployed subnets.

    A subnet's range is create-only, and the new subnet is created before the old one is deleted.
    """
    if before.network.existing is not None or after.network.existing is not None:
        return
    old, new = (plan_network(cluster, catalog).subnets for cluster in (before, after))
    for subnet in new:
        for other in old:
            if _same(subnet, other):
                continue
            if IPv4Network(subnet.cidr).overlaps(IPv4Network(other.cidr)):
                yield Note(
                    "network.cidr",
                    f"not possible in place: the subnet `{subnet.name}` would be {subnet.cidr}, "
                    f"which overlaps the deployed `{other.name}`, {other.cidr}; a subnet is "
                    "created before the old one is deleted, so the deployment would fail, and the "
                    "old one contains file systems",
                    "`--environment NAME` creates a second cluster beside the old one",
                )
                return


def _same(subnet: PlannedSubnet, other: PlannedSubnet) -> bool:
    return (subnet.name, subnet.cidr, subnet.zone) == (other.name, other.cidr, other.zone)


def _has(cluster: Cluster, part: str) -> bool:
    """Whether the cluster has this shared stack."""
    storage = cluster.storage
    if part == "network":
        return cluster.network.existing is None
    if part == "storage":
        built = [fs for fs in storage.lustre if fs.existing is None]
        home = storage.home is not None and storage.home.existing is None
        buckets = any(bucket.create for bucket in storage.buckets)
        repositories = any(repository.create for repository in storage.image_repositories)
        return bool(built) or home or buckets or repositories
    if part == "accounting":
        return database(cluster) is not None
    if part == "kubernetes":
        return cluster.uses_kubernetes
    if part == "observability":
        return _has_observability(cluster)
    return True


def _has_observability(cluster: Cluster) -> bool:
    """On EC2 the stack exists only with alarms, metrics or a budget."""
    storage = cluster.storage
    return (
        cluster.on_hyperpod
        or cluster.observability.prometheus
        or bool(cluster.observability.alarm_emails)
        or any(fs.existing is None and fs.capacity_gib is not None for fs in storage.lustre)
        or (storage.home is not None and storage.home.existing is None)
        or database(cluster) is not None
        or (cluster.budget is not None and cluster.budget.monthly_usd is not None)
    )
