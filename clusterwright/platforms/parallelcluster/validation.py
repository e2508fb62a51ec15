"""Validation of combinations of values in a ParallelCluster spec.

`release_validation` compares them with the release and the instance types.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

RESERVED = ("reservation", "capacity-block")
"""Kinds of capacity with a fixed placement."""

DESCRIBED = "p6e-gb200."
"""Prefix of the types whose UltraServers ParallelCluster configures in Slurm."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if "parallelcluster" not in cluster.traits.sections:
        return
    yield from _configuration(cluster)
    yield from _accounting(cluster)
    yield from _existing(cluster)
    for index, group in enumerate(cluster.compute):
        if group.role == "compute":
            yield from _counts(group, ("compute", index))
            yield from _placement(group, ("compute", index))
    yield from _queues(cluster)


def _configuration(cluster: Cluster) -> Iterator[Problem]:
    slurm = cluster.slurm
    if slurm.configuration != "managed":
        yield Problem(
            "ParallelCluster configures Slurm itself; only HyperPod supports a scripted "
            "configuration",
            ("slurm", "configuration"),
            hint="configuration: managed, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    yield from _topology(cluster)


def _topology(cluster: Cluster) -> Iterator[Problem]:
    """ParallelCluster configures the topology of UltraServers only (cookbook, block_topology and
    pcluster_topology_generator.py: `p6e-gb200` in capacity blocks).
    """
    wanted = cluster.slurm.topology
    described = next(
        (
            index
            for index, group in enumerate(cluster.compute)
            if group.instance_type.startswith(DESCRIBED)
            and group.capacity.kind == "capacity-block"
        ),
        None,
    )
    if wanted == "block" and described is None:
        yield Problem(
            "ParallelCluster configures topology blocks only for p6e-gb200 in capacity blocks; "
            "with other blocks slurmctld exits if one lacks a node, and ParallelCluster's "
            "slurm.conf has no node names to complete it",
            ("slurm", "topology"),
            hint="topology: tree or auto, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    if wanted in ("tree", "none") and described is not None:
        yield Problem(
            "ParallelCluster configures the UltraServers in Slurm; a cluster with UltraServers "
            f"does not support topology {wanted}",
            ("slurm", "topology"),
            hint="topology: auto or block",
            other_path=("compute", described, "instance_type"),
        )


def _accounting(cluster: Cluster) -> Iterator[Problem]:
    accounting = cluster.slurm.accounting
    here: Path = ("slurm", "accounting")
    if accounting.kind == "local":
        yield Problem(
            "ParallelCluster has no accounting database on its head node",
            (*here, "kind"),
            hint="kind: rds or none, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    existing = accounting.existing
    if existing is not None and existing.user_name is None:
        yield Problem(
            "ParallelCluster requires the name of the database user, because its secret contains "
            "only the password",
            (*here, "existing"),
            hint="add user_name",
            other_path=("platform",),
        )


def _existing(cluster: Cluster) -> Iterator[Problem]:
    home = cluster.storage.home
    if home is not None and home.existing is not None and home.existing.volume_id is None:
        yield Problem(
            "ParallelCluster mounts an OpenZFS volume by its id, which is missing",
            ("storage", "home", "existing"),
            hint="add volume_id: fsvol-... (`aws fsx describe-volumes`)",
            other_path=("platform",),
        )
    network = cluster.network.existing
    if network is not None and network.owner_account not in (None, cluster.account):
        # Its template, statement EC2RunInstancesCreateFleet of the head node's role.
        yield Problem(
            "ParallelCluster's head node may launch nodes only in subnets of its own account",
            ("network", "existing", "owner_account"),
            hint="use subnets of this account, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    if network is not None and len(network.subnet_ids) > 1:
        yield Problem(
            "ParallelCluster supports one subnet for a queue with one instance type",
            ("network", "existing", "subnet_ids", 1),
            hint="name the largest private subnet",
            other_path=("platform",),
        )


def _counts(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    kind = group.capacity.kind
    if group.spare_count and kind not in RESERVED:
        yield Problem(
            f"{kind} capacity has no free instances: ParallelCluster requests a new instance to "
            "replace a failed node",
            (*here, "spare_count"),
            hint="remove spare_count; spares stay free in a reservation or capacity block",
            other_path=(*here, "capacity", "kind"),
            rests_on=((*here, "capacity"),),
        )
    if group.part_of is not None and group.count == 0:
        yield Problem(
            "a queue must allow at least one node, but a fallback has 0 instances",
            (*here, "capacity"),
            hint=(
                "remove the fallback; for nodes that start on demand, use a group with count: 0 "
                "and max_count"
            ),
            other_path=("platform",),
        )
    elif not group.count and group.max_count is None:
        yield Problem(
            "a queue must allow at least one node",
            (*here, "count"),
            hint="add max_count, so that nodes start for pending jobs",
            other_path=("platform",),
        )
    if kind == "capacity-block":
        if not group.count:
            yield Problem(
                "all instances of a capacity block run from the start",
                (*here, "count"),
                hint="count: 1",
            )
        for key, value in (("min_count", group.min_count), ("max_count", group.max_count)):
            if value is not None and value != group.count:
                yield Problem(
                    f"all instances of a capacity block run: {key} must be equal to count "
                    f"{group.count}, got {value}",
                    (*here, key),
                    hint=f"remove {key}",
                    other_path=(*here, "count"),
                )


def _placement(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.placement_group and group.capacity.kind == "reservation":
        yield Problem(
            "a reservation has a fixed placement: in a separate placement group fewer of its "
            "instances can be launched",
            (*here, "placement_group"),
            hint="placement_group: false, or omit it",
            other_path=(*here, "capacity", "kind"),
        )


def _queues(cluster: Cluster) -> Iterator[Problem]:
    """A partition is a queue, which has one kind of capacity and one scratch path."""
    index_of = {group.name: index for index, group in enumerate(cluster.compute)}
    for number, partition in enumerate(cluster.slurm.partitions):
        places = [index_of[name] for name in partition.groups if name in index_of]
        if not places:
            continue
        first = cluster.compute[places[0]]
        for place in places[1:]:
            group = cluster.compute[place]
            groups: Path = ("slurm", "partitions", number, "groups")
            if _capacity_type(group) != _capacity_type(first):
                yield Problem(
                    f"a queue has one kind of capacity, but `{first.name}` is "
                    f"{first.capacity.kind} and `{group.name}` is {group.capacity.kind}",
                    groups,
                    hint=(
                        "use a separate partition for each group, which is the default without "
                        "slurm.partitions"
                    ),
                    other_path=("compute", place, "capacity", "kind"),
                )
            if group.scratch != first.scratch:
                yield Problem(
                    "a queue mounts the local drives of its nodes at one path, but "
                    f"`{first.name}` and `{group.name}` have different scratch settings",
                    groups,
                    hint="use the same scratch for both, or a separate partition for each",
                    other_path=("compute", place, "name"),
                )


def _capacity_type(group: ComputeGroup) -> str:
    """Return the capacity of a queue; ParallelCluster treats a reservation as on-demand."""
    kind = group.capacity.kind
    return "on-demand" if kind == "reservation" else kind
