"""Manifests together with the cluster that they are for: what rules ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.jobs.manifest_fields import is_placeholder
from clusterwright.jobs.manifest_file import Item, ManifestFile, Pod
from clusterwright.platforms.kubernetes.groups import (
    EFA,
    GPU,
    INSTANCE_TYPE,
    NEURON,
    UnknownFactError,
    efa_count,
    group_labels,
    has_efa,
    instance_label,
    node_resources,
)

MIG_PREFIX: Final = "nvidia.com/mig-"
QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"
_ARCHITECTURES: Final = {"x86_64": "amd64", "arm64": "arm64"}
"""Kubernetes' names of EC2's architectures."""
TRAINING_KINDS: Final = frozenset(
    {"PyTorchJob", "HyperPodPyTorchJob", "MPIJob", "TFJob", "JAXJob"}
)
"""Kinds of the operators for training."""


@dataclass(frozen=True, eq=False)
class Manifests:
    """Manifests and the cluster on which they are applied."""

    file: ManifestFile
    cluster: Cluster
    catalog: Catalog

    @property
    def pods(self) -> tuple[Pod, ...]:
        """Every pod template of the file."""
        return self.file.pods

    def pods_of_job(self, pod: Pod) -> int | None:
        """Pods with accelerators that form one training with a pod, by an operator; None if there
        is none, or the file does not say.
        """
        if pod.kind not in TRAINING_KINDS:
            return None
        found = [
            one.count
            for one in self.pods
            if one.document is pod.document and self.judged(one) and one.count != 0
        ]
        return None if None in found else sum(one or 0 for one in found)

    def one_node_takes(self, pods: Sequence[Pod]) -> bool:
        """Whether a node of the spec may have all pods of several templates at once."""
        wanted: dict[str, int] = {}
        for pod in pods:
            for name, (number, _) in self.judged(pod).items():
                wanted[name] = wanted.get(name, 0) + number * (pod.count or 0)
        fitting = [self.fitting(pod) for pod in pods]
        try:
            return any(
                all(found is None or group in found for found in fitting)
                and all(self.amounts(group).get(n, 0) >= number for n, number in wanted.items())
                for group in self.cluster.compute
            )
        except UnknownFactError:
            return True

    def amounts(self, group: ComputeGroup) -> dict[str, int]:
        """Devices of a node of a group by resource name. Raises UnknownFactError."""
        found = node_resources(group, self.catalog).devices()
        if has_efa(group, self.catalog):
            found[EFA] = efa_count(group, self.catalog)
        return found

    def judged(self, pod: Pod) -> dict[str, tuple[int, Item]]:
        """Requested devices that only nodes of the spec have; others may be of users' plug-ins."""
        own = (GPU, NEURON, EFA)
        return {
            name: found
            for name, found in pod.devices.items()
            if name in own or name.startswith(MIG_PREFIX)
        }

    def selected(self, pod: Pod) -> list[ComputeGroup]:
        """The groups whose nodes the pod's node selector and the affinity that it requires allow,
        as far as the spec has labels.
        """
        wanted = list(self.selectors(pod))
        return [
            group
            for group in self.cluster.compute
            if all(self._allows(group, key, value) for key, value in wanted)
            and self._required(group, pod)
        ]

    def _required(self, group: ComputeGroup, pod: Pod) -> bool:
        """Whether one of the terms of the node affinity may allow the group."""
        terms = affinity_terms(pod)
        return not terms or any(self._meets(group, term) for term in terms)

    def _meets(self, group: ComputeGroup, term: Item) -> bool:
        """Whether nodes of a group may meet all of a term; an empty one matches no nodes.

        Fields are the names of single nodes, which any group may have.
        """
        if term.written and term.text is None:
            return True  # A program fills it in.
        expressions, fields = term.get("matchExpressions"), term.get("matchFields")
        stated = [one for one in (expressions, fields) if one is not None]
        if all(one.is_sequence and not any(True for _ in one.members()) for one in stated):
            return False
        return expressions is None or all(
            self._matches(group, one) for one in expressions.members()
        )

    def _matches(self, group: ComputeGroup, expression: Item) -> bool:
        """Whether a group's label may meet `{key, operator, values}`; Gt and Lt are not read."""
        key, operator = expression.get("key"), expression.get("operator")
        values = expression.get("values")
        own = self.labels(group).get((key.text if key is not None else None) or "")
        texts = [one.text for one in values.members()] if values is not None else []
        if own is None or operator is None or any(t is None or is_placeholder(t) for t in texts):
            return True
        if operator.text == "In":
            return own in texts
        if operator.text == "NotIn":
            return own not in texts
        return operator.text != "DoesNotExist"

    def _allows(self, group: ComputeGroup, key: Item, value: Item) -> bool:
        own = self.labels(group).get(key.text or "")
        return own is None or value.text in (None, own) or is_placeholder(value.text or "")

    def labels(self, group: ComputeGroup) -> dict[str, str]:
        """Labels of a group's nodes that the spec determines."""
        own = {
            INSTANCE_TYPE: instance_label(self.cluster, group),
            "kubernetes.io/os": "linux",
            "topology.kubernetes.io/region": self.cluster.region,
        }
        instance = self.catalog.instance(group.instance_type)
        if instance is not None and isinstance(instance.architecture, Known):
            own["kubernetes.io/arch"] = _ARCHITECTURES[instance.architecture.value]
        return {**group.labels, **group_labels(self.cluster, group), **own}

    def selectors(self, pod: Pod) -> Iterator[tuple[Item, Item]]:
        """Keys and values of the pod's node selector."""
        found = pod.item.get("nodeSelector")
        if found is not None:
            yield from found.entries()

    def fitting(self, pod: Pod) -> list[ComputeGroup] | None:
        """The selected groups whose nodes have the requested devices; None if it is unknown."""
        wanted = self.judged(pod)
        if len(wanted) < len(pod.devices):
            return None
        try:
            return [
                group
                for group in self.selected(pod)
                if all(
                    self.amounts(group).get(name, 0) >= number
                    for name, (number, _) in wanted.items()
                )
            ]
        except UnknownFactError:
            return None


def affinity_terms(pod: Pod) -> tuple[Item, ...]:
    """The terms of the node affinity that a pod requires, of which one is enough."""
    terms = pod.item.get(
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    return tuple(terms.members()) if terms is not None else ()


def variables(manifests: Manifests) -> Iterator[tuple[Item, Item | None]]:
    """Names of variables of containers, and the values that the manifest states."""
    for pod in manifests.pods:
        for container in pod.all_containers:
            yield from container.environment
