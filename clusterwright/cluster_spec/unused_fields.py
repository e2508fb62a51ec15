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
    """Yield every key of the cluster that has no effect, set or not.

    Keys of a section that has no effect as a whole are not yielded.
    """
    found: set[Path] = set()
    for item in _candidates(cluster):
        if not any(item.path[:length] in found for length in range(1, len(item.path))):
            found.add(item.path)
            yield item


def _candidates(cluster: Cluster) -> Iterator[UnusedField]:
    """Sections before their keys."""
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
    yield from _existing_storage(cluster)
    accounting = cluster.slurm.accounting
    if cluster.uses_slurm:
        yield from _slurm(cluster)
        yield from _without(
            cluster.observability.metrics,
            ("observability", "metrics"),
            ("image",),
            f"`{{}}` applies to pods: it requires platform {either(KUBERNETES)}",
            ("platform",),
        )
        yield from _without(
            cluster.acceptance,
            ("acceptance",),
            ("image",),
            f"`{{}}` applies to pods: it requires platform {either(KUBERNETES)}",
            ("platform",),
        )
    if "parallelcluster" in cluster.traits.sections:
        yield from _parallelcluster(cluster)
    else:
        yield from _of_parallelcluster(cluster)
    if "pcs" in cluster.traits.sections:
        yield from _pcs(cluster)
    built = accounting.kind == "rds" and accounting.existing is None
    if network.existing is None and not built and not cluster.uses_kubernetes:
        yield UnusedField(
            ("network", "second_availability_zone_id"),
            "a second zone is used only by EKS or by an accounting database that is created",
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


def _existing_storage(cluster: Cluster) -> Iterator[UnusedField]:
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
    for index, repository in enumerate(cluster.storage.image_repositories):
        if not repository.create:
            here = ("storage", "image_repositories", index)
            yield from _beside(
                repository,
                here,
                {"name", "create"},
                "`{}` would modify an existing repository, which is only used",
                (*here, "create"),
            )


_EXTENSION = (
    "with Slurm HyperPod's observability is the extension sagemaker-observability, which is not "
    "in the stacks: `aws sagemaker create-cluster-extension` installs it on the deployed cluster"
)
"""CloudFormation's type AWS::SageMaker::Extension (aws-cdk-lib 2.278.0, CfnExtension) is newer
than the CDK and the schemas of cfn-lint that are pinned."""


def _other_platforms(cluster: Cluster) -> Iterator[UnusedField]:
    """Sections that only other platforms have."""
    for section in SECTIONS:
        if section not in cluster.traits.sections:
            reason = f"`{section}` requires platform {either(with_section(section))}"
            if section == "hyperpod" and cluster.on_hyperpod and _asks_for_addon(cluster):
                reason += f"; {_EXTENSION}"
            written = section in cluster.model_fields_set
            yield UnusedField((section,), reason, ("platform",), written)
    if not cluster.uses_kubernetes:
        for index, group in enumerate(cluster.compute):
            yield from _without(
                group,
                ("compute", index),
                ("labels", "taints"),
                f"`{{}}` applies only to Kubernetes: it requires platform {either(KUBERNETES)}",
                ("platform",),
            )
    if not cluster.traits.gpu_partitions:
        for index, group in enumerate(cluster.compute):
            yield from _without(
                group,
                ("compute", index),
                ("mig_profile", "restricted"),
                f"`{{}}` requires platform {either(GPU_PARTITIONS)}",
                ("platform",),
            )


def _tenants(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of tenants for the other scheduler, and shares that nothing enforces."""
    if cluster.uses_slurm:
        names: tuple[str, ...] = ("groups", "priority", "egress_cidrs", "container_defaults")
        reason = f"`{{}}` applies only to Kubernetes: it requires platform {either(KUBERNETES)}"
    else:
        names, reason = ("users",), "`{}` applies only to Slurm: it requires a platform with Slurm"
    queued = cluster.uses_slurm or cluster.hyperpod.task_governance is not None
    for index, tenant in enumerate(cluster.tenants):
        here: Path = ("tenants", index)
        yield from _without(tenant, here, names, reason, ("platform",))
        if not queued and cluster.kubernetes.workloads.queueing == "none":
            yield from _without(
                tenant,
                here,
                ("weight", "borrowing"),
                "`{}` is enforced by queues, and there are none",
                ("kubernetes", "workloads", "queueing"),
            )


def _slurm(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of slurm.conf, which HyperPod writes in managed mode, and keys that need a database."""
    slurm = cluster.slurm
    accounting = slurm.accounting
    if accounting.kind != "rds":
        yield from _beside(
            accounting,
            ("slurm", "accounting"),
            {"kind"},
            "`{}` requires accounting of kind rds",
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
            "`{}` requires `pyxis: true`",
            ("slurm", "containers", "pyxis"),
        )
        yield from _without(
            slurm.containers,
            ("slurm", "containers"),
            ("cuda",),
            "`{}` applies to containers in jobs, which require `pyxis: true`",
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
        reason = "`{}` is a setting of slurm.conf, which HyperPod writes in managed mode"
        for model, here, names in conf:
            yield from _without(model, here, names, reason, ("slurm", "configuration"))
    if slurm.accounting.kind == "none":
        kind: Path = ("slurm", "accounting", "kind")
        reason = "`{}` requires an accounting database, and accounting is none"
        yield from _without(slurm, ("slurm",), ("qos", "accounts"), reason, kind)
        if slurm.configuration == "scripted":
            yield from _without(
                slurm.priority_weights,
                ("slurm", "priority_weights"),
                ("age", "fair_share", "qos"),
                "Slurm uses `{}` only with an accounting database",
                kind,
            )


_HYPERPOD = f"`{{}}` requires platform {either(HYPERPOD)}"


def _parallelcluster(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys that ParallelCluster does not support."""
    because: Path = ("platform",)
    yield UnusedField(
        ("resilience",),
        "`resilience` requires platform hyperpod-slurm, hyperpod-eks or eks: ParallelCluster "
        "always replaces a static node that fails, and `parallelcluster.gpu_health_check` sets "
        "its "
        "health check",
        because,
        "resilience" in cluster.model_fields_set,
    )
    reason = _HYPERPOD + ": `image_id` selects a ParallelCluster image"
    names: tuple[str, ...] = ("release_version", "released", "auto_patch")
    yield from _without(cluster.image, ("image",), names, reason, because)
    reason = "`{}` requires platform hyperpod-slurm"
    yield from _without(
        cluster.slurm, ("slurm",), ("metadata_service_users", "strategy"), reason, because
    )
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        volumes = (
            "`{}` configures an additional volume on HyperPod: here nodes have only a root "
            "volume, "
        )
        volumes += "see `parallelcluster.root_volume_gib`"
        yield from _without(group, here, ("ebs",), volumes, because)
        if group.role == "login":
            reason = "ParallelCluster does not support `{}` for login nodes"
            names = ("scratch", "threads_per_core", "min_count", "max_count")
            yield from _without(group, here, names, reason, (*here, "role"))
        if group.role == "controller":
            reason = "there is always one head node: `{}` does not apply to it"
            yield from _without(group, here, ("min_count",), reason, (*here, "role"))
        if group.role != "compute":
            reason = "`{}` applies only to groups with the role compute"
            names = ("network_interface", "placement_group")
            yield from _without(group, here, names, reason, (*here, "role"))


def _pcs(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys that PCS does not support: its launch templates are ours, its controller is not."""
    because: Path = ("platform",)
    yield UnusedField(
        ("resilience",),
        "`resilience` requires platform hyperpod-slurm, hyperpod-eks or eks: PCS always replaces "
        "an instance that fails or whose lifecycle action fails",
        because,
        "resilience" in cluster.model_fields_set,
    )
    reason = _HYPERPOD + ": `image_id` selects an image with PCS's agent"
    names: tuple[str, ...] = ("release_version", "released", "auto_patch")
    yield from _without(cluster.image, ("image",), names, reason, because)
    yield from _without(
        cluster.slurm,
        ("slurm",),
        ("metadata_service_users", "strategy"),
        "`{}` requires platform hyperpod-slurm",
        because,
    )
    yield from _without(
        cluster.slurm.timeouts,
        ("slurm", "timeouts"),
        ("node_down_seconds", "credential_seconds", "kill_wait_seconds"),
        "`{}` is a setting of slurm.conf that PCS does not know",
        because,
    )
    if cluster.slurm.accounting.kind != "managed":
        yield from _without(
            cluster.slurm.priority_weights,
            ("slurm", "priority_weights"),
            ("age", "fair_share", "qos"),
            "`{}` requires managed accounting",
            ("slurm", "accounting", "kind"),
        )
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        volumes = (
            "`{}` configures an additional volume on HyperPod: here nodes have only a root "
            "volume, see `pcs.root_volume_gib`"
        )
        yield from _without(group, here, ("ebs",), volumes, because)
        if group.role != "compute":
            reason = "`{}` applies only to groups with the role compute"
            names = ("network_interface", "placement_group", "min_count", "max_count", "scratch")
            yield from _without(group, here, names, reason, (*here, "role"))


def _of_parallelcluster(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys outside `parallelcluster` that only ParallelCluster uses."""
    reason = "`{}` requires platform parallelcluster"
    home, existing = cluster.storage.home, cluster.slurm.accounting.existing
    if home is not None and home.existing is not None:
        here: Path = ("storage", "home", "existing")
        yield from _without(home.existing, here, ("volume_id",), reason, ("platform",))
    if cluster.uses_slurm and existing is not None:
        here = ("slurm", "accounting", "existing")
        yield from _without(existing, here, ("user_name",), reason, ("platform",))


def _eks(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys for HyperPod, its images or the node program, none of which nodes on EKS have."""
    platform: Path = ("platform",)
    yield UnusedField(
        ("lifecycle",),
        "`lifecycle` configures the node program; nodes on EKS are configured by their image",
        platform,
        "lifecycle" in cluster.model_fields_set,
    )
    yield from _without(
        cluster.image,
        ("image",),
        ("release_version", "released", "auto_patch", "nvidia_driver"),
        _HYPERPOD + ": on EKS, nodes boot from `image_id`, or from the newest EKS image",
        platform,
    )
    yield from _without(
        cluster.resilience,
        ("resilience",),
        ("node_provisioning", "deep_health_checks"),
        "`{}` applies only to HyperPod: EKS has no equivalent",
        platform,
    )
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        yield from _without(
            group,
            here,
            ("ebs",),
            "`{}` configures an additional volume on HyperPod: on EKS set "
            "`kubernetes.node_volume_gib`",
            platform,
        )


def _hyperpod_eks(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of managed node groups, and of the node program."""
    platform: Path = ("platform",)
    yield from _without(
        cluster.kubernetes,
        ("kubernetes",),
        ("autoscaling",),
        "`{}` in this section requires platform eks: HyperPod runs Karpenter itself, see "
        "`hyperpod.autoscaling`",
        platform,
    )
    yield from _without(
        cluster.kubernetes,
        ("kubernetes",),
        ("node_volume_gib", "max_unavailable_percent"),
        "`{}` applies to managed node groups: it requires platform eks",
        platform,
    )
    yield from _without(
        cluster.image,
        ("image",),
        ("released",),
        "`{}` is used only for Slurm accounting",
        platform,
    )
    yield UnusedField(
        ("lifecycle",),
        "`lifecycle` configures the node program; with EKS, nodes are configured by the HyperPod "
        "image",
        platform,
        "lifecycle" in cluster.model_fields_set,
    )


def _kubernetes(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of what nodes with Slurm do for jobs; pods do it themselves."""
    yield from _metrics_of_pods(cluster)
    if cluster.acceptance.image is None:
        yield from _without(
            cluster.acceptance,
            ("acceptance",),
            ("level", "hold", "recheck_hours", "floors", "waivers"),
            "`{}` has no effect: on Kubernetes no node is tested without `image`",
            ("acceptance", "image"),
        )
    for index, file_system in enumerate(cluster.storage.lustre):
        for number, repository in enumerate(file_system.repositories):
            yield from _without(
                repository,
                ("storage", "lustre", index, "repositories", number),
                ("preload",),
                "`{}` requires a platform with Slurm; on Kubernetes, read the files in a pod to "
                "load them",
                ("platform",),
            )


def _asks_for_addon(cluster: Cluster) -> bool:
    return any(addon.name == "observability" for addon in cluster.hyperpod.addons)


def _metrics_of_pods(cluster: Cluster) -> Iterator[UnusedField]:
    """Keys of the exporter, which requires an image and no observability add-on."""
    metrics, here = cluster.observability.metrics, ("observability", "metrics")
    if not cluster.observability.prometheus and metrics.image is None:
        yield from _without(
            cluster.observability,
            ("observability",),
            ("metrics",),
            "`{}` has no effect: without `image` nodes have no exporter, and no metrics are sent",
            (*here, "image"),
        )
        return
    reason = "`{}` configures slurmctld, which the platform does not have"
    yield from _without(metrics, here, ("slurm_openmetrics",), reason, ("platform",))
    if _asks_for_addon(cluster):
        reason = (
            "`{}` configures the exporter, and the observability add-on collects the metrics "
            "itself"
        )
        yield from _without(
            metrics, here, ("listen", "port", "image"), reason, ("hyperpod", "addons")
        )
    elif metrics.image is None:
        reason = "`{}` configures the exporter, which requires `image`"
        yield from _without(metrics, here, ("listen", "port"), reason, (*here, "image"))
    if not cluster.observability.prometheus:
        reason = "`{}` requires a Prometheus workspace to which metrics are sent"
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
            "`{}` applies to the monthly budget, which requires monthly_usd",
            ("budget",),
        )
    elif not budget.alert_emails:
        yield from _beside(
            budget,
            ("budget",),
            {"monthly_usd", "run_usd", "max_increase_percent", "alert_emails"},
            "`{}` requires alert_emails: without recipients no alert is sent",
            ("budget",),
        )


def _checkpoints(cluster: Cluster) -> Iterator[UnusedField]:
    run = cluster.run
    if run is None:
        return
    sized = run.checkpoint_gib is not None
    timed = ["max_checkpoint_seconds", "checkpoint_interval_minutes"]
    if not sized:
        reason = "`{}` requires checkpoint_gib: without it the size of a checkpoint is unknown"
        yield from _without(run, ("run",), timed, reason, ("run",))
    elif cluster.storage.checkpoint_path is None:
        reason = (
            "`{}` requires storage.checkpoint_path: without it the file system of the checkpoints "
            "is unknown"
        )
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
