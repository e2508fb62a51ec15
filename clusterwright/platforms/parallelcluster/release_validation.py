"""Validation of a spec against ParallelCluster 3.16.1: names, limits, instance types.

ParallelCluster's validators report the same when the cluster is created; this module also reports
what they cannot see (spares of a group, an unknown type).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.catalog import Catalog, Known, load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms import known_faults
from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.parallelcluster.queues import (
    GB200,
    compute_groups,
    counts,
    has_efa,
    is_nvidia,
    knows_efa,
    most_nodes,
)
from clusterwright.platforms.tags import ENVIRONMENT_TAG


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield every problem with the release or the catalogue, with a hint."""
    catalog = load_catalog()
    yield from _version(cluster)
    yield from _region(cluster)
    yield from _names(cluster)
    yield from _numbers(cluster)
    yield from _mounts(cluster)
    yield from _types(cluster, catalog)
    yield from _interfaces(cluster, catalog)
    yield from _ultraservers(cluster)
    yield from _topology(cluster, catalog)
    yield from _head_node(cluster, catalog)
    yield from _values(cluster)


def _version(cluster: Cluster) -> Iterator[Problem]:
    version = cluster.parallelcluster.version
    here: Path = ("parallelcluster", "version")
    faults = list(known_faults.of_parallelcluster(cluster))
    if version not in limits.KNOWN_VERSIONS:
        known = ", ".join(limits.KNOWN_VERSIONS)
        listed = "; ".join(f"{fault.what} ({fault.thread})" for fault in faults)
        yield Problem(
            f"ParallelCluster {version} is not supported: its configuration schema is unknown"
            + (f". Its published faults that affect this cluster: {listed}" if listed else ""),
            here,
            hint=f"supported versions: {known}",
        )
        return
    for fault in faults:
        if fault.is_fatal:
            yield Problem(
                f"ParallelCluster {version}: {fault.what} ({fault.thread})",
                here,
                hint="use a custom image (image.image_id), or other instance types",
                rests_on=(("compute",),),
            )


def _region(cluster: Cluster) -> Iterator[Problem]:
    if cluster.region not in limits.REGIONS:
        yield Problem(
            f"ParallelCluster {cluster.parallelcluster.version} does not support "
            f"{cluster.region}: it has neither images nor a provider there",
            ("region",),
            hint="use another region, or another platform",
            other_path=("platform",),
        )


def _names(cluster: Cluster) -> Iterator[Problem]:
    for index, group in enumerate(cluster.compute):
        if group.role != "controller":
            yield from _name(group.name, ("compute", index, "name"))
    groups = {group.name for group in cluster.compute}
    for index, partition in enumerate(cluster.slurm.partitions):
        # A partition derived from a group has the group's name, which is checked above.
        if partition.name not in groups:
            yield from _name(partition.name, ("slurm", "partitions", index, "name"))
    for index, fs in enumerate(cluster.storage.lustre):
        name = str(fs.name)
        if len(name) > limits.STORAGE_NAME_LENGTH or name == limits.NAME_KEPT:
            yield Problem(
                f"`{name}`: storage names of ParallelCluster must have at most "
                f"{limits.STORAGE_NAME_LENGTH} characters and must not be "
                f"`{limits.NAME_KEPT}`",
                ("storage", "lustre", index, "name"),
                hint="name: fsx",
                other_path=("platform",),
            )
    if cluster.storage.home is not None:
        for index, fs in enumerate(cluster.storage.lustre):
            if fs.name == "home":
                yield Problem(
                    "`home` is reserved for the home directories",
                    ("storage", "lustre", index, "name"),
                    other_path=("storage", "home"),
                )


def _name(name: str, path: Path) -> Iterator[Problem]:
    if name == limits.NAME_KEPT:
        message = f"ParallelCluster reserves the name `{name}`"
    elif len(name) > limits.NAME_LENGTH:
        message = f"`{name}` has {len(name)} characters; names of ParallelCluster must have at "
        message += f"most {limits.NAME_LENGTH}"
    elif not re.match(limits.NAME_PATTERN, name):
        message = f"`{name}`: names of ParallelCluster must have lowercase letters, digits and "
        message += "hyphens, and start with a letter"
    else:
        return
    yield Problem(message, path, other_path=("platform",))


def _numbers(cluster: Cluster) -> Iterator[Problem]:
    compute = [i for i, group in enumerate(cluster.compute) if group.role == "compute"]
    logins = [i for i, group in enumerate(cluster.compute) if group.role == "login"]
    if len(cluster.slurm.partitions) > limits.QUEUES:
        yield Problem(
            f"{len(cluster.slurm.partitions)} queues: ParallelCluster allows at most "
            f"{limits.QUEUES}",
            ("slurm", "partitions"),
            hint="put several groups in one partition",
            other_path=("platform",),
        )
    for places, most, kind in (
        (compute, limits.COMPUTE_RESOURCES, "compute groups"),
        (logins, limits.LOGIN_POOLS, "login groups"),
    ):
        if len(places) > most:
            yield Problem(
                f"{len(places)} {kind}: ParallelCluster allows at most {most}",
                ("compute", places[most], "name"),
                other_path=("platform",),
            )
    if len(cluster.storage.lustre) + bool(cluster.storage.home) > limits.EXISTING_FSX:
        yield Problem(
            f"ParallelCluster mounts at most {limits.EXISTING_FSX} FSx file systems",
            ("storage", "lustre"),
            other_path=("platform",),
        )


def _mounts(cluster: Cluster) -> Iterator[Problem]:
    mounts: list[tuple[Path, str]] = [
        (("storage", "lustre", index, "mount_path"), fs.mount_path)
        for index, fs in enumerate(cluster.storage.lustre)
    ]
    if cluster.storage.home is not None:
        mounts.append((("storage", "home", "mount_path"), cluster.storage.home.mount_path))
    for path, mount in mounts:
        if mount in limits.RESERVED_MOUNT_PATHS:
            yield Problem(
                f"ParallelCluster reserves {mount}",
                path,
                hint="use a path such as /fsx",
                other_path=("platform",),
            )


def _types(cluster: Cluster, catalog: Catalog) -> Iterator[Problem]:
    """All nodes must have the same architecture, and the catalogue must describe their types."""
    controller = next((g for g in cluster.compute if g.role == "controller"), None)
    head = catalog.instance(controller.instance_type) if controller is not None else None
    for index, group in enumerate(cluster.compute):
        path: Path = ("compute", index, "instance_type")
        instance = catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.architecture, Known):
            if group.instance_type in catalog.instance_names:
                yield Problem(
                    f"the catalogue does not describe {group.instance_type}: its EFA support and "
                    "its architecture are unknown",
                    path,
                    hint="`clusterwright catalog refresh` reads it from EC2",
                )
            continue
        if group.role == "compute" and knows_efa(group, catalog) is None:
            yield Problem(
                f"the catalogue does not have the EFA support of {group.instance_type}, which is "
                "unknown",
                path,
                hint="`clusterwright catalog refresh` reads it from EC2",
            )
        if head is not None and controller is not None and isinstance(head.architecture, Known):
            mine, its = instance.architecture.value, head.architecture.value
            if mine != its:
                yield Problem(
                    f"{group.instance_type} is {mine} and the head node is {its}: ParallelCluster "
                    "requires one architecture",
                    path,
                    hint=_same_architecture(mine),
                    other_path=("compute", cluster.compute.index(controller), "instance_type"),
                )
        if group.instance_type.startswith("p6e-gb200") and (
            cluster.parallelcluster.os in limits.NOT_WITH_GB200
        ):
            yield Problem(
                f"ParallelCluster does not support {cluster.parallelcluster.os} on p6e-gb200",
                ("parallelcluster", "os"),
                hint="os: ubuntu2204, ubuntu2404 or alinux2023",
                other_path=path,
            )
        if group.placement_group and not (
            isinstance(instance.placement_group_cluster, Known)
            and instance.placement_group_cluster.value
        ):
            yield Problem(
                f"{group.instance_type} is not known to support cluster placement groups",
                ("compute", index, "placement_group"),
                hint="omit it",
                other_path=path,
            )


def _same_architecture(wanted: str) -> str:
    if wanted == "arm64":
        return "use a controller with Graviton, such as m7g.4xlarge"
    return "use a controller of the same architecture, such as m5.4xlarge"


def _interfaces(cluster: Cluster, catalog: Catalog) -> Iterator[Problem]:
    """`DevSettings/EfaInterfaceType` applies to the whole cluster."""
    said = [
        (index, group)
        for index, group in enumerate(cluster.compute)
        if group.role == "compute" and has_efa(group, catalog)
    ]
    older = [index for index, group in said if group.network_interface == "efa"]
    if older and len(older) != len(said):
        other = next(index for index, group in said if group.network_interface != "efa")
        yield Problem(
            "ParallelCluster uses one interface type for all queues with EFA",
            ("compute", older[0], "network_interface"),
            hint="efa for all of them, or omit it",
            other_path=("compute", other, "name"),
        )


def _ultraservers(cluster: Cluster) -> Iterator[Problem]:
    """ParallelCluster configures a block in Slurm only for a group with all nodes of an
    UltraServer (cookbook, pcluster_topology_generator.py).
    """
    sizes = limits.ULTRASERVER_SIZES
    for index, group in enumerate(cluster.compute):
        if not group.instance_type.startswith(GB200) or group.capacity.kind != "capacity-block":
            continue
        running = counts(group).maximum
        if running not in sizes:
            yield Problem(
                f"{running} nodes run, but ParallelCluster configures only UltraServers with "
                f"{sizes[0]} or {sizes[1]} nodes",
                ("compute", index, "spare_count" if group.spare_count else "count"),
                hint=f"count: {sizes[0]} or {sizes[1]} and no spare_count: one group for each "
                "capacity block",
                other_path=("compute", index, "instance_type"),
            )


def _topology(cluster: Cluster, catalog: Catalog) -> Iterator[Problem]:
    """EC2 describes the topology of some instance types only."""
    if cluster.slurm.topology != "tree":
        return
    for group in compute_groups(cluster):
        instance = catalog.instance(group.instance_type)
        layers = instance.topology_layers if instance is not None else None
        if not isinstance(layers, Known) or layers.value:
            return
    names = ", ".join(sorted({group.instance_type for group in compute_groups(cluster)}))
    yield Problem(
        f"EC2 does not describe the topology of {names}",
        ("slurm", "topology"),
        hint="topology: auto",
        other_path=("compute",),
    )


def _head_node(cluster: Cluster, catalog: Catalog) -> Iterator[Problem]:
    for index, group in enumerate(cluster.compute):
        if group.role != "controller":
            continue
        instance = catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.memory_gib, Known):
            continue
        nodes = most_nodes(cluster)
        wanted = limits.head_node_memory_gib(nodes)
        if instance.memory_gib.value < wanted:
            yield Problem(
                f"{group.instance_type} has {instance.memory_gib.value:g} GiB; the head node "
                f"of {nodes} nodes needs {wanted:g} GiB",
                ("compute", index, "instance_type"),
                hint="such as m5.4xlarge with 64 GiB",
                other_path=("platform",),
            )


def _values(cluster: Cluster) -> Iterator[Problem]:
    days = cluster.observability.log_retention_days
    if days not in limits.LOG_RETENTION_DAYS:
        taken = [str(n) for n in limits.LOG_RETENTION_DAYS if n]
        yield Problem(
            f"ParallelCluster does not support a log retention of {days} days",
            ("observability", "log_retention_days"),
            hint=f"supported values: {', '.join(taken)}",
            other_path=("platform",),
        )
    accounting = cluster.slurm.accounting
    existing = accounting.existing
    if existing is not None and not re.match(limits.DATABASE_NAME_PATTERN, existing.database_name):
        yield Problem(
            f"`{existing.database_name}`: use lowercase letters, digits and `_`",
            ("slurm", "accounting", "existing", "database_name"),
            other_path=("platform",),
        )
    if cluster.parallelcluster.gpu_health_check is not None and not any(
        is_nvidia(g, load_catalog()) for g in cluster.compute if g.role == "compute"
    ):
        yield Problem(
            "the health check requires NVIDIA accelerators, and no compute group has any",
            ("parallelcluster", "gpu_health_check"),
        )
    # The environment's name is added as a tag.
    if len(cluster.tags) + 1 > limits.TAGS:
        yield Problem(
            f"{len(cluster.tags)} tags: ParallelCluster allows at most {limits.TAGS}, including "
            "that of the environment",
            ("tags",),
            on_key=True,
            hint=f"use at most {limits.TAGS - 1}",
            other_path=("platform",),
        )
    for key in cluster.tags:
        if key.startswith("parallelcluster:") or key == ENVIRONMENT_TAG:
            yield Problem(f"the tag `{key}` is reserved", ("tags", key), on_key=True)
