"""Pods that the scheduler bound to a node and that its kubelet has not taken yet. Pure.

For its grace period the control plane takes a silent node for ready, and the scheduler binds pods
to it. The taint of the hold evicts none, so the kubelet would start them when it returns, before
the node is tested. An eviction lets their controllers make new ones, which other nodes get; a pod
without a controller would be lost, and stays.

Sources: Kubernetes, "API-initiated eviction", PodStatus v1 core (`startTime` is set when the
kubelet acknowledges the pod, before it pulls an image), "Taints and tolerations".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright_acceptance import kubernetes_nodes

Pod = Mapping[str, Any]


PATH: Final = "/api/v1/pods?fieldSelector=status.phase%3DPending%2Cspec.nodeName%21%3D"
"""The path of the pods that are bound to a node and do not run."""


def node_of(pod: Pod) -> str:
    """The node that the pod is bound to."""
    return str(pod["spec"]["nodeName"])


def name_of(pod: Pod) -> str:
    """Namespace and name."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def not_taken(pods: Sequence[Pod]) -> Iterator[Pod]:
    """The pods which the kubelet has not acknowledged, and whose controllers make new ones.

    Without those of DaemonSets, which belong to the node, and those that tolerate the taint.
    """
    for pod in pods:
        status = pod.get("status") or {}
        if (
            status.get("phase") == "Pending"
            and not status.get("startTime")
            and not pod["metadata"].get("deletionTimestamp")
            and _is_replaced(pod)
            and not _tolerates(pod)
        ):
            yield pod


def eviction(pod: Pod) -> tuple[str, dict[str, Any]]:
    """The path and the body that evict a pod as it was read: not if it was taken meanwhile."""
    metadata = pod["metadata"]
    name, namespace = str(metadata["name"]), str(metadata["namespace"])
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": {
            "preconditions": {
                "uid": metadata["uid"],
                "resourceVersion": metadata["resourceVersion"],
            }
        },
    }
    return f"/api/v1/namespaces/{namespace}/pods/{name}/eviction", body


def _is_replaced(pod: Pod) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    kinds = {owner.get("kind") for owner in owners if owner.get("controller")}
    # A node owns the copies of its static pods.
    return bool(kinds) and not kinds & {"DaemonSet", "Node"}


def _tolerates(pod: Pod) -> bool:
    return any(
        one.get("key") in (None, "", kubernetes_nodes.TAINT)
        and one.get("effect") in (None, "", kubernetes_nodes.EFFECT)
        and (one.get("operator") == "Exists" or one.get("value") == kubernetes_nodes.AWAY)
        for one in pod["spec"].get("tolerations") or ()
    )
