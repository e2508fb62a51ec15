"""Pods that train on several nodes with EFA request its interfaces."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Pod
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import EFA, GPU, NEURON


class EfaRequest(ManifestRule):
    id = "CW-J075"
    severity = "warning"
    prevents = "collectives over TCP: the job runs, at a fraction of the speed"
    source = (
        "EKS user guide, EFA: pods request vpc.amazonaws.com/efa; NVIDIA/aicr#2275 and "
        "awslabs/awsome-distributed-ai#880: manifests without it"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            groups = manifests.fitting(pod)
            found = pod.devices.get(GPU) or pod.devices.get(NEURON)
            if not groups or found is None or pod.asks_elsewhere or _has_devices(pod):
                continue
            number, at = found
            amounts = [manifests.amounts(group) for group in groups]
            whole = all(number in (own.get(GPU), own.get(NEURON)) for own in amounts)
            interfaces = min(own.get(EFA, 0) for own in amounts)
            # Pods of which each has a part of a node may all be on one node.
            if whole and interfaces and (pod.count or 0) > 1:
                yield Fail(
                    message=f"{pod.count} pods have all accelerators of a node each, and request "
                    f"none of its {interfaces} EFA interfaces",
                    at=at,
                    hint=f"limits: {{{EFA}: {interfaces}}}",
                )


def _has_devices(pod: Pod) -> bool:
    return EFA in pod.devices or any(container.is_privileged for container in pod.containers)
