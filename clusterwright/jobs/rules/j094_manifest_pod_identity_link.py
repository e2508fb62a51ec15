"""Pods in the network of their node exclude the interface of EKS Pod Identity."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Pod, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.control_plane import addons

_AGENT = "eks-pod-identity-agent"
_LINK = "pod-id-link0"
_VARIABLE = "NCCL_SOCKET_IFNAME"


class PodIdentityLink(ManifestRule):
    id = "CW-J094"
    severity = "warning"
    prevents = "sockets between nodes at 169.254.170.23, which every node has: connection refused"
    source = (
        "aws/eks-pod-identity-agent, configuration: the interface pod-id-link0 of the node; "
        "aws-samples/aws-do-eks#54; NVIDIA NCCL documentation, NCCL_SOCKET_IFNAME: `^` excludes "
        "prefixes; the add-ons of the spec"
    )

    def check(self, manifests: Manifests) -> Results:
        if all(addon.name != _AGENT for addon in addons(manifests.cluster)):
            return
        for pod in manifests.pods:
            if text_at(pod.item, "hostNetwork") != "true" or _alone(manifests, pod):
                continue
            for container in pod.containers:
                for name, value in container.environment:
                    text = value.text if value is not None else None
                    if name.text != _VARIABLE or text is None or not text.startswith("^"):
                        continue
                    if not _excludes(text[1:]):
                        yield Fail(
                            message=f"{_VARIABLE}={text} leaves {_LINK}, which has the same "
                            "address on every node",
                            at=value,
                            hint=f"{_VARIABLE}={text},{_LINK}",
                        )


def _alone(manifests: Manifests, pod: Pod) -> bool:
    """Whether a pod is the only one of its object, so that it has no sockets between nodes."""
    counts = [one.count for one in manifests.pods if one.document is pod.document]
    return (
        pod.kind != "DaemonSet" and sum(count or 0 for count in counts) < 2 and None not in counts
    )


def _excludes(text: str) -> bool:
    """Whether a list of prefixes, or with `=` of names, covers the interface."""
    exact = text.startswith("=")
    names = text.removeprefix("=").split(",")
    return _LINK in names if exact else any(one and _LINK.startswith(one) for one in names)
