"""Another platform under the same name: which stacks stay, and which have to go first.

What platforms share is built by the same constructs under the same logical ids, so a deployment
of the other file leaves it where it is. What only one platform has goes before: CloudFormation
lets no export go that a deployed stack uses, and makes a resource before it deletes another one
of the same name.
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
"""Parts that keep their logical ids where both platforms have them."""

_PROTECTED: Final = ("accounting", "kubernetes")
"""Parts that may go and that `protection: retain` protects; `ClusterStack.STATEFUL` in stacks/."""


def kept(before: Cluster, after: Cluster) -> tuple[str, ...]:
    """Parts that stay, in the order of deployment."""
    return tuple(part for part in SHARED if _has(before, part) and _has(after, part))


def gone(before: Cluster, after: Cluster) -> tuple[str, ...]:
    """Parts to destroy before the other platform is deployed; what stands on them goes too.

    Scripts are copied anew from the repository, so their stack goes even where both have one: it
    names the database's secret, of which each platform has its own form.
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
    """What stays and what goes first; or alone what keeps the move from being made in place."""
    in_the_way = tuple(_in_the_way(before, after, catalog))
    if in_the_way:
        # Not the steps too: they begin with the end of a cluster, and would have no other.
        yield from in_the_way
        return
    name = before.environment
    stays = ", ".join(stack_name(name, part) for part in kept(before, after))
    yield Note(
        "",
        f"{stays} stay: what is in both files keeps its logical id, and so its place: file "
        "systems, buckets, key, VPC and the nodes' subnets",
        "`clusterwright diff NEW --base OLD` says so of each resource before anything is deployed",
    )
    going = gone(before, after)
    stacks = [stack_name(name, part) for part in going]
    yield Note(
        "",
        f"{', '.join(stacks)} go first, and what stands on them: nodes and jobs of "
        f"{before.platform} end before those of {after.platform} begin",
        _unlocked(before, going) + f"`cdk destroy {' '.join(stacks)}` with the old file",
    )
    if "accounting" in going:
        yield Note(
            "slurm.accounting",
            f"the database goes with {stack_name(name, 'accounting')}"
            if before.protection == "destroy"
            else "the database outlives its stack, and CloudFormation cannot delete the subnets "
            "and groups that it stands in: they stay until it is deleted",
            "dump what is wanted of it first",
        )
    yield Note("", f"then comes {after.platform}", "`cdk deploy --all` with the new file")


def _unlocked(before: Cluster, going: tuple[str, ...]) -> str:
    """What protects a stack that goes, taken away."""
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


def _in_the_way(before: Cluster, after: Cluster, catalog: Catalog) -> Iterator[Note]:
    """Subnets that CloudFormation would have to make where old ones still are.

    A subnet's range is create-only, and the new one is made before the old one is deleted.
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
                    f"not in place: the subnet `{subnet.name}` would be {subnet.cidr}, where "
                    f"`{other.name}` is {other.cidr} now; a subnet is made before the old one is "
                    "deleted, so the deployment would fail, and file systems stand in the old one",
                    "`--environment NAME` makes the cluster beside the old one",
                )
                return


def _same(subnet: PlannedSubnet, other: PlannedSubnet) -> bool:
    return (subnet.name, subnet.cidr, subnet.zone) == (other.name, other.cidr, other.zone)


def _has(cluster: Cluster, part: str) -> bool:
    """Whether the cluster has a stack of this part, of those that are shared."""
    storage = cluster.storage
    if part == "network":
        return cluster.network.existing is None
    if part == "storage":
        built = [fs for fs in storage.lustre if fs.existing is None]
        home = storage.home is not None and storage.home.existing is None
        return bool(built) or home or any(bucket.create for bucket in storage.buckets)
    if part == "accounting":
        return database(cluster) is not None
    if part == "kubernetes":
        return cluster.uses_kubernetes
    if part == "observability":
        return _has_observability(cluster)
    return True


def _has_observability(cluster: Cluster) -> bool:
    """On EC2 there is a stack of it only if something is watched, measured or budgeted."""
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
