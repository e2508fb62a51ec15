"""Pods in the network of their node find the services of the cluster."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results


class HostDns(ManifestRule):
    id = "CW-J097"
    severity = "warning"
    prevents = "workers that do not resolve the name of the first pod, which is MASTER_ADDR"
    source = (
        "Kubernetes documentation, DNS for Services and Pods, Pod's DNS Policy: with hostNetwork "
        "ClusterFirst becomes Default, which does not know services; kubeflow/training-operator: "
        "MASTER_ADDR is a service"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            pods = manifests.pods_of_job(pod)
            if pods is None or pods < 2 or text_at(pod.item, "hostNetwork") != "true":
                continue
            policy = pod.item.get("dnsPolicy")
            if policy is None or policy.text in ("ClusterFirst", "Default"):
                yield Fail(
                    message="with hostNetwork the pod asks the DNS of its node, which does not "
                    "know the services of the cluster, such as MASTER_ADDR",
                    at=policy or pod.item.get("hostNetwork"),
                    hint="dnsPolicy: ClusterFirstWithHostNet",
                )
