"""Resources and labels of the nodes of a group in Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from clusterwright.catalog import Catalog, InstanceType, Known
from clusterwright.catalog.facts import Fact
from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup, Taint
from clusterwright.platforms import accelerators
from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.platforms.hyperpod_eks import mig

GPU: Final = "nvidia.com/gpu"
"""Resource of NVIDIA's device plug-in (NVIDIA/k8s-device-plugin, README)."""

NEURON: Final = "aws.amazon.com/neuron"
"""Whole Neuron devices (aws-neuron/neuron-helm-charts, values of the device plugin)."""

EFA: Final = "vpc.amazonaws.com/efa"
"""EFA interfaces (sagemaker-hyperpod 3.12.0, EFA_RESOURCE_LIMIT_KEY)."""

HUGEPAGES: Final = "hugepages-2Mi"

INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"

HYPERPOD_GROUP: Final = "sagemaker.amazonaws.com/instance-group-name"
"""HyperPod's label of a node's instance group (sagemaker-hyperpod-cli, node selectors)."""

HYPERPOD_HEALTH: Final = "sagemaker.amazonaws.com/node-health-status"
"""`Schedulable` if HyperPod's agent finds no problem (sagemaker-hyperpod 3.12.0,
NODE_AFFINITY_DICT).
"""

LAYERS: Final = "topology.k8s.aws/network-node-layer-{}"
"""HyperPod's labels of the network layers, beginning with the most distant (SageMaker developer
guide, "Using topology-aware scheduling in Amazon SageMaker HyperPod").
"""

ACCEPTANCE_TAINT: Final = "clusterwright/acceptance"
"""The taint of nodes that are not accepted (`clusterwright_acceptance.kubernetes_nodes`)."""

ADDON_TOLERATES: Final = "CriticalAddonsOnly"
"""The taint that EKS's own add-ons tolerate (EKS user guide, CoreDNS add-on)."""

_RESOURCE = {"nvidia": GPU, "neuron": NEURON}


class UnknownFactError(Exception):
    """The catalogue has no value for an instance type."""

    def __init__(self, instance_type: str, what: str) -> None:
        super().__init__(f"{what} of {instance_type} are unknown")


@dataclass(frozen=True)
class NodeResources:
    """Resources of a node of a group; `accelerator` is the resource's name or None."""

    accelerator: str | None
    accelerator_count: int
    cpu_count: int
    memory_gib: int
    partitions: tuple[tuple[str, int], ...] = ()
    """GPU partitions that replace whole GPUs: resource name and count."""

    def devices(self) -> dict[str, int]:
        """Accelerators or their partitions, by resource name."""
        if self.accelerator is None:
            return dict(self.partitions)
        return {self.accelerator: self.accelerator_count}

    def amounts(self) -> dict[str, int]:
        """Every resource of a quota: CPUs, GiB of memory, devices."""
        return {"cpu": self.cpu_count, "memory": self.memory_gib, **self.devices()}


def job_groups(cluster: Cluster) -> list[ComputeGroup]:
    """Return the groups whose nodes run jobs with whole accelerators, in the order of the spec."""
    return [
        group
        for group in cluster.compute
        if group.role == "compute" and not group.restricted and group.mig_profile is None
    ]


def divided_groups(cluster: Cluster) -> list[ComputeGroup]:
    """Return the groups whose nodes run pods with GPU partitions, in the order of the spec."""
    return [
        group
        for group in cluster.compute
        if group.role == "compute" and not group.restricted and group.mig_profile is not None
    ]


def shared_groups(cluster: Cluster) -> list[ComputeGroup]:
    """Return the groups that queues and quotas divide among the tenants, in the order of the spec.

    Restricted groups are not included: they run recipes for Amazon Nova, whose pods HyperPod's
    recipe launcher starts (Amazon Nova user guide, "Amazon SageMaker HyperPod Essential Commands
    Guide"), and no source shows a queue's label on them.
    """
    shared = [*job_groups(cluster), *divided_groups(cluster)]
    return [group for group in cluster.compute if group in shared]


def job_nodes(cluster: Cluster, group: ComputeGroup) -> int:
    """Return the maximum number of nodes for jobs: without spares, with Karpenter's nodes."""
    most = group.count
    if is_scaled(cluster, group):
        most = max(most, group.max_count or 0)
    return most - group.spare_count


def node_resources(group: ComputeGroup, catalog: Catalog) -> NodeResources:
    """Raises UnknownFactError if the catalogue has no processors or memory."""
    instance = _instance(group, catalog)
    vcpus = _known(instance.vcpus, group, "processors")
    if group.threads_per_core == 1:
        vcpus = _known(instance.cores, group, "cores")
    cpu_count, memory_gib = int(vcpus), int(_known(instance.memory_gib, group, "memory"))
    family = accelerators.family(group.instance_type, catalog)
    count = accelerators.count(group.instance_type, catalog)
    if group.mig_profile is not None:
        parts = mig.partitions_per_gpu(group.mig_profile)
        partitions = tuple((mig.resource(part), each * count) for part, each in parts.items())
        return NodeResources(None, 0, cpu_count, memory_gib, partitions)
    return NodeResources(_RESOURCE.get(family), count, cpu_count, memory_gib)


def efa_count(group: ComputeGroup, catalog: Catalog) -> int:
    """Return the EFA interfaces of a node. Raises UnknownFactError if the number is unknown."""
    return int(_known(_instance(group, catalog).efa_interfaces, group, "EFA interfaces"))


def has_efa(group: ComputeGroup, catalog: Catalog) -> bool:
    """Return whether these nodes need the EFA plug-in; True if EFA support is unknown."""
    instance = catalog.instance(group.instance_type)
    if instance is None:
        return False
    return not isinstance(instance.efa_interfaces, Known) or instance.efa_interfaces.value > 0


def instance_label(cluster: Cluster, group: ComputeGroup) -> str:
    """Return the value of the instance type label: with `ml.` on HyperPod."""
    return ml_name(group.instance_type) if cluster.on_hyperpod else group.instance_type


def group_labels(cluster: Cluster, group: ComputeGroup) -> dict[str, str]:
    """Return the labels that select the nodes of the group."""
    if cluster.on_hyperpod:
        return {HYPERPOD_GROUP: group.name}
    return {GROUP_LABEL: group.name}


def held_taints(cluster: Cluster, group: ComputeGroup) -> list[Taint]:
    """Return the taint with which nodes register until they are accepted; empty if not held."""
    if not cluster.acceptance.hold or group not in job_groups(cluster):
        return []
    return [Taint(key=ACCEPTANCE_TAINT, value="pending", effect="NoSchedule")]


def runs_addons(group: ComputeGroup) -> bool:
    """Return whether DNS and other add-ons can run on the group's nodes, once they take pods."""
    keeps_away = (
        taint.effect != "PreferNoSchedule" and taint.key != ADDON_TOLERATES
        for taint in group.taints
    )
    return group.count > 0 and not group.restricted and not any(keeps_away)


def held_tolerations(cluster: Cluster) -> list[dict[str, str]]:
    """Return the toleration of pods that a test needs on a node, such as device plug-ins."""
    if not cluster.acceptance.hold:
        return []
    return [{"key": ACCEPTANCE_TAINT, "operator": "Exists", "effect": "NoSchedule"}]


def taints(group: ComputeGroup) -> list[dict[str, str]]:
    """Return the group's taints in the format of Kubernetes."""
    return [
        {"key": t.key, **({"value": t.value} if t.value is not None else {}), "effect": t.effect}
        for t in group.taints
    ]


def tolerations(group: ComputeGroup) -> list[dict[str, str]]:
    """Return the tolerations that pods need to run on the group's nodes."""
    found = []
    for taint in group.taints:
        entry = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
        if taint.value is not None:
            entry |= {"operator": "Equal", "value": taint.value}
        found.append(entry)
    return found


def topology_layers(group: ComputeGroup, catalog: Catalog) -> int:
    """Return the number of network layers in the labels of nodes of the type; 0 if unknown."""
    layers = _instance(group, catalog).topology_layers
    return layers.value if isinstance(layers, Known) else 0


def _instance(group: ComputeGroup, catalog: Catalog) -> InstanceType:
    instance = catalog.instance(group.instance_type)
    if instance is None:
        raise UnknownFactError(group.instance_type, "facts")
    return instance


def _known(fact: Fact[Any], group: ComputeGroup, what: str) -> Any:
    if not isinstance(fact, Known):
        raise UnknownFactError(group.instance_type, what)
    return fact.value
