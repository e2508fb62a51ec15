"""Keys without effect beside other keys, such as the size of an existing file system.

`validation.unused_fields` refuses a spec that sets one; the resolved spec omits them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path
from clusterwright.platforms.registry import (
    GPU_PARTITIONS,
    HYPERPOD,
    KUBERNETES,
    SECTIONS,
    either,
    with_section,
)


class UnusedField(NamedTuple):
    """A key without effect, the reason, and the key that causes it."""

    path: Path
    reason: str
    because: Path
    written: bool
    """Whether a file sets it."""


def unused_fields(cluster: Cluster) -> Iterator[UnusedField]:
    """Yield every key of the cluster that has no effect, set or not."""
    yield from _other_platforms(cluster)
    network = cluster.network
    if network.existing is not None:
        yield from _beside(
            network,
            ("network",),
            {"existing", "availability_zone_id", "address_headroom_percent", "peered_cidrs"},
            "`{}` would modify an existing network, which is only used",
            ("network", "existing"),
        )
    for index, file_system in enumerate(cluster.storage.lustre):
        if file_system.existing is not None:
            here: Path = ("storage", "lustre", index)
            yield from _beside(
                file_system,
                here,
                {"name", "mount_path", "existing", "efa"},
                "`{}` would modify an existing file system, which is only mounted",
                (*here, "existing"),
            )
    home = cluster.storage.home
    if home is not None and home.existing is not None:
        yield from _beside(
            home,
            ("storage", "home"),
            {"kind", "mount_path", "existing"},
            "`{}` would modify an existing file system, which is only mounted",
            ("storage", "home", "existing"),
        )
    accounting = cluster.slurm.accounting
    if cluster.uses_slurm:
        yield from _slurm(cluster)
        yield from _without(
            cluster.observability.metrics,
            ("observability", "metrics"),
            ("image",),
            f"`{{}}` is of pods: it belongs to the platform {either(KUBERNETES)}",
            ("platform",),
        )
    if "parallelcluster" in cluster.traits.sections:
        yield from _parallelcluster(cluster)
    else:
        yield from _of_parallelcluster(cluster)
    built = accounting.kind == "rds" and accounting.existing is None
    if network.existing is None and not built and not cluster.uses_kubernetes:
        yield UnusedField(
            ("network", "second_availability_zone_id"),
            "only an accounting database that is built, or EKS, needs a second zone",
            ("slurm", "accounting", "kind"),
            network.second_availability_zone_id is not None,
        )
    if cluster.traits.managed_node_groups:
        yield from _eks(cluster)
    elif cluster.on_hyperpod and cluster.uses_kubernetes:
        yield from _hyperpod_eks(cluster)
    if cluster.uses_kubernetes:
        yield from _kubernetes(cluster)
    yield from _tenants(cluster)
    yield from _budget(cluster)
    yield from _checkpoints(cluster)


def without_unused_fields(cluster: Cluster, data: dict[str, Any]) -> dict[str, Any]:
    """`data` (the cluster as plain data, changed in place) without keys that have no effect."""
    for item in unused_fields(cluster):
        parent: Any = data
        for part in item.path[:-1]:
            parent = parent[part]
        parent.pop(item.path[-1], None)
    return data


def _other_platforms(cluster: Cluster) -> Iterator[UnusedField]:
    """Whole sections of platforms that this is not."""
    for section in SECTIONS:
        if section not in cluster.traits.sections:
            reason = f"`{section}` belongs to the platform {either(with_section(section))}"
            written = section in cluster.model_fields_set
            yield UnusedField((section,), reason, ("platform",), written)
    if not cluster.uses_kubernetes:
        for index, group in enumerate(cluster.compute):
            yield from _without(
                group,
                ("compute", index),
                ("labels", "taints"),
                f"`{{}}` is Kubernetes': it belongs to the platform {either(KUBERNETES)}",
                ("platform",),
            )
    if not cluster.traits.gpu_partitions:
        for index, group in enumerate(cluster.compute):
            yield from _without(
                group,
                ("compute", index),
                ("mig_profile", "restricted"),
                f"`{{}}` belongs to the platform {either(GPU_PARTITIONS)}",
                ("platform",),
            )


def _tenants(cluster: Cluster) -> Iterator[UnusedField]:
    """What tenants have on the other scheduler, and shares where nothing holds them."""
    if cluster.uses_slurm:
        names: tuple[str, ...] = ("groups", "priority", "egress_cidrs", "container_defaults")
        reason = f"`{{}}` is Kubernetes': it belongs to the platform {either(KUBERNETES)}"
    else:
        names, reason = ("users",), "`{}` are Slurm's: it belongs to the Slurm platforms"
    queued = cluster.uses_slurm or cluster.hyperpod.task_governance is not None
    for index, tenant in enumerate(cluster.tenants):
        here: Path = ("tenants", index)
        yield from _without(tenant, here, names, reason, ("platform",))
        if not queued and cluster.kubernetes.workloads.queueing == "none":
            yield from _without(
                tenant,
                here,
                ("weight", "borrowing"),
                "`{}` is held by queues, and there are none",
                ("kubernetes", "workloads", "queueing"),
            )


def _slurm(cluster: Cluster) -> Iterator[UnusedField]:
    """What stands in slurm.conf, which HyperPod writes in managed mode; what needs a database."""
    slurm = cluster.slurm
    accounting = slurm.accounting
    if accounting.kind != "rds":
        yield from _beside(
            accounting,
            ("slurm", "accounting"),
            {"kind"},
            "`{}` belongs to accounting of the kind rds",
            ("slurm", "accounting", "kind"),
        )
    elif accounting.existing is not None:
        yield from _beside(
            accounting,
            ("slurm", "accounting"),
            {"kind", "existing"},
            "`{}` would modify an existing database, which is only used",
            ("slurm", "accounting", "existing"),
        )
    if not slurm.containers.pyxis:
        yield from _without(
            slurm.containers,
            ("slurm", "containers"),
            ("install",),
            "`{}` belongs to `pyxis: true`: no containers are asked for",
            ("slurm", "containers", "pyxis"),
        )
        yield from _without(
            slurm.containers,
            ("slurm", "containers"),
            ("cuda",),
            "`{}` is that of containers in jobs, which need pyxis",
            ("slurm", "containers", "pyxis"),
        )
    if slurm.configuration == "managed" and cluster.on_hyperpod:
        conf: list[tuple[BaseModel, Path, tuple[str, ...]]] = [
            (slurm, ("slurm",), ("priority_weights", "preemption", "timeouts")),
            *(
                (item, ("slurm", "partitions", index), ("max_time_minutes", "priority_tier"))
                for index, item in enumerate(slurm.partitions)
            ),
            *(
                (item, ("slurm", "qos", index), ("preempts", "grace_seconds"))
                for index, item in enumerate(slurm.qos)
            ),
        ]
        reason = "`{}` stands in slurm.conf, which HyperPod writes in managed mode"
        for model, here, names in conf:
            yield from _without(model, here, names, reason, ("slurm", "configuration"))
    if slurm.accounting.kind == "none":
        kind: Path = ("slurm", "accounting", "kind")
        reason = "`{}` lives in the accounting database, and accounting is none"
        yield from _without(slurm, ("slurm",), ("qos", "accounts"), reason, kind)
        if slurm.configuration == "scripted":
            yield from _without(
                slurm.priority_weights,
                ("slurm", "priority_weights"),
                ("age", "fair_share", "qos"),
                "Slurm weighs `{}` with an accounting database only",
                kind,
            )


_HYPERPOD = f"`{{}}` belongs to the platform {either(HYPERPOD)}"


def _parallelcluster(cluster: Cluster) -> Iterator[UnusedField]:
    """What ParallelCluster cannot be told."""
    because: Path = ("platform",)
    yield UnusedField(
        ("resilience",),
        "`resilience` belongs to the platform hyperpod-slurm, hyperpod-eks or eks: "
        "ParallelCluster always replaces a static node that fails, and "
        "`parallelcluster.gpu_health_check` is its health check",
        because,
        "resilience" in cluster.model_fields_set,
    )
    reason = _HYPERPOD + ": `image_id` names an image of ParallelCluster's"
    names: tuple[str, ...] = ("release_version", "released", "auto_patch")
    yield from _without(cluster.image, ("image",), names, reason, because)
    reason = "`{}` belongs to the platform hyperpod-slurm"
    yield from _without(cluster.slurm, ("slurm",), ("strategy",), reason, because)
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        volumes = "`{}` is HyperPod's further volume: here nodes have a root volume alone, "
        volumes += "see `parallelcluster.root_volume_gib`"
        yield from _without(group, here, ("ebs",), volumes, because)
        if group.role == "login":
            reason = "ParallelCluster's pools of login nodes have no `{}`"
            names = ("scratch", "threads_per_core", "min_count", "max_count")
            yield from _without(group, here, names, reason, (*here, "role"))
        if group.role == "controller":
            reason = "there is one head node: it has no `{}`"
            yield from _without(group, here, ("min_count",), reason, (*here, "role"))
        if group.role != "compute":
            reason = "`{}` is of nodes that run jobs"
            names = ("network_interface", "placement_group")
            yield from _without(group, here, names, reason, (*here, "role"))


def _of_parallelcluster(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of other sections that only ParallelCluster asks for."""
    reason = "`{}` belongs to the platform parallelcluster"
    home, existing = cluster.storage.home, cluster.slurm.accounting.existing
    if home is not None and home.existing is not None:
        here: Path = ("storage", "home", "existing")
        yield from _without(home.existing, here, ("volume_id",), reason, ("platform",))
    if cluster.uses_slurm and existing is not None:
        here = ("slurm", "accounting", "existing")
        yield from _without(existing, here, ("user_name",), reason, ("platform",))


def _eks(cluster: Cluster) -> Iterator[UnusedField]:
    """What HyperPod does, or its images and our node program do, on nodes that EKS makes."""
    platform: Path = ("platform",)
    yield UnusedField(
        ("lifecycle",),
        "`lifecycle` is of nodes that run our program; EKS's images make theirs",
        platform,
        "lifecycle" in cluster.model_fields_set,
    )
    yield from _without(
        cluster.image,
        ("image",),
        ("release_version", "released", "auto_patch", "nvidia_driver"),
        _HYPERPOD + ": on EKS `image_id` names an image, or nodes boot from EKS's newest",
        platform,
    )
    yield from _without(
        cluster.resilience,
        ("resilience",),
        ("node_provisioning", "deep_health_checks"),
        "`{}` is HyperPod's: EKS has no counterpart",
        platform,
    )
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        yield from _without(
            group,
            here,
            ("ebs",),
            "`{}` is HyperPod's further volume: on EKS give `kubernetes.node_volume_gib`",
            platform,
        )


def _hyperpod_eks(cluster: Cluster) -> Iterator[UnusedField]:
    """What is of node groups, or of our node program's steps beside Slurm."""
    platform: Path = ("platform",)
    yield from _without(
        cluster.kubernetes,
        ("kubernetes",),
        ("autoscaling",),
        "`{}` here is of the platform eks: HyperPod runs Karpenter itself, see "
        "`hyperpod.autoscaling`",
        platform,
    )
    yield from _without(
        cluster.kubernetes,
        ("kubernetes",),
        ("node_volume_gib", "max_unavailable_percent"),
        "`{}` is that of node groups: it belongs to the platform eks",
        platform,
    )
    yield from _without(
        cluster.image,
        ("image",),
        ("released",),
        "`{}` decides what Slurm's accounting takes, and there is none",
        platform,
    )
    yield UnusedField(
        ("lifecycle",),
        "`lifecycle` is of nodes that run our program; HyperPod's image makes those of EKS",
        platform,
        "lifecycle" in cluster.model_fields_set,
    )


def _kubernetes(cluster: Cluster) -> Iterator[UnusedField]:
    """What nodes with Slurm do for jobs, and pods do themselves."""
    yield from _metrics_of_pods(cluster)
    for index, file_system in enumerate(cluster.storage.lustre):
        for number, repository in enumerate(file_system.repositories):
            yield from _without(
                repository,
                ("storage", "lustre", index, "repositories", number),
                ("preload",),
                "`{}` is done by a node with Slurm; on Kubernetes a pod reads the files first",
                ("platform",),
            )


def _metrics_of_pods(cluster: Cluster) -> Iterator[UnusedField]:
    """Nodes have an exporter where an image for it is named, and where no add-on reads them."""
    metrics, here = cluster.observability.metrics, ("observability", "metrics")
    if not cluster.observability.prometheus and metrics.image is None:
        yield from _without(
            cluster.observability,
            ("observability",),
            ("metrics",),
            "`{}`: no `image` is named in which an exporter could run, and nothing is sent",
            (*here, "image"),
        )
        return
    if any(addon.name == "observability" for addon in cluster.hyperpod.addons):
        reason = "`{}` is of our exporter, and the observability add-on reads the nodes itself"
        yield from _without(
            metrics, here, ("listen", "port", "image"), reason, ("hyperpod", "addons")
        )
    elif metrics.image is None:
        reason = "`{}` is of the exporter, and no `image` is named in which it could run"
        yield from _without(metrics, here, ("listen", "port"), reason, (*here, "image"))
    if not cluster.observability.prometheus:
        reason = "`{}`: there is no workspace to which metrics are sent"
        yield from _without(
            metrics, here, ("interval_seconds",), reason, ("observability", "prometheus")
        )


def _budget(cluster: Cluster) -> Iterator[UnusedField]:
    budget = cluster.budget
    if budget is None:
        return
    if budget.monthly_usd is None:
        yield from _beside(
            budget,
            ("budget",),
            {"monthly_usd", "run_usd", "max_increase_percent"},
            "`{}` belongs to the month's budget: give monthly_usd",
            ("budget",),
        )
    elif not budget.alert_emails:
        yield from _beside(
            budget,
            ("budget",),
            {"monthly_usd", "run_usd", "max_increase_percent", "alert_emails"},
            "`{}` without alert_emails: nobody is told",
            ("budget",),
        )


def _checkpoints(cluster: Cluster) -> Iterator[UnusedField]:
    run = cluster.run
    if run is None:
        return
    sized = run.checkpoint_gib is not None
    timed = ["max_checkpoint_seconds", "checkpoint_interval_minutes"]
    if not sized:
        reason = "`{}` without checkpoint_gib: nobody knows what is to be written by then"
        yield from _without(run, ("run",), timed, reason, ("run",))
    elif cluster.storage.checkpoint_path is None:
        reason = "`{}` without storage.checkpoint_path: nobody knows where checkpoints go"
        yield from _without(run, ("run",), ["checkpoint_gib", *timed], reason, ("run",))


def _beside(
    model: BaseModel, here: Path, allowed: Iterable[str], reason: str, because: Path
) -> Iterator[UnusedField]:
    taken = [name for name in type(model).model_fields if name not in allowed]
    yield from _without(model, here, taken, reason, because)


def _without(
    model: BaseModel, here: Path, names: Iterable[str], reason: str, because: Path
) -> Iterator[UnusedField]:
    for name in names:
        key = type(model).model_fields[name].alias or name
        written = name in model.model_fields_set
        yield UnusedField((*here, key), reason.format(key), because, written)
