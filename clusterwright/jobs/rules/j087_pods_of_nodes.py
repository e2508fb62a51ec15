"""The nodes have places for all pods of a job at the same time."""

from __future__ import annotations

from clusterwright.jobs.manifests import TRAINING_KINDS
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.sizing.quantities import counted


class PodsOfNodes(ManifestRule):
    id = "CW-J087"
    severity = "error"
    prevents = "a job that stays pending, or whose first pods wait for the others at full cost"
    source = (
        "Kubernetes documentation, Assigning Pods to Nodes, Extended Resources; counts of the "
        "spec's groups, with autoscaling their maximum; devices as in the catalogue"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            groups, devices = manifests.fitting(pod), manifests.judged(pod)
            if pod.count is None or not groups or not devices or pod.kind == "DaemonSet":
                continue
            places = 0
            for group in groups:
                amounts = manifests.amounts(group)
                each = min(amounts[name] // number for name, (number, _) in devices.items())
                places += each * max(group.count, group.max_count or 0)
            if pod.count > places:
                names = ", ".join(group.name for group in groups)
                yield Fail(
                    message=f"{counted(pod.count, 'pod')} with these devices, and the nodes of "
                    f"{names} have places for {places}",
                    at=pod.item,
                    severity=None if pod.kind in TRAINING_KINDS else "warning",
                    requested=pod.count,
                    limit=places,
                )
