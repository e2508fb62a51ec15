"""Objects for Argo CD, run by EKS, which applies the rendered files of a reviewed repository.

Source: EKS user guide, "Register target clusters": the cluster is named by its ARN, and its own
cluster is registered like any other; `kubernetes.default.svc` is not supported there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.kubernetes.objects import Manifest, manifest

NAMESPACE = "argocd"
DESTINATION = "local-cluster"


def cluster_arn(cluster: Cluster) -> str:
    """Return the ARN of the EKS cluster."""
    return (
        f"arn:{cluster.partition}:eks:{cluster.region}:{cluster.account}"
        f":cluster/{cluster_name(cluster)}"
    )


def delivery_manifests(cluster: Cluster) -> Iterator[Manifest]:
    """Return the secret of the cluster and the application; nothing without Argo CD."""
    argocd = cluster.kubernetes.capabilities.argocd
    if argocd is None:
        return
    arn = cluster_arn(cluster)
    # It contains no confidential data, only the name and the ARN of its cluster.
    yield manifest(
        "v1",
        "Secret",
        DESTINATION,
        namespace=NAMESPACE,
        labels={"argocd.argoproj.io/secret-type": "cluster"},
        type="Opaque",
        stringData={"name": DESTINATION, "server": arn, "project": "default"},
    )
    automated: dict[str, Any] = {"prune": argocd.prune, "selfHeal": True}
    yield manifest(
        "argoproj.io/v1alpha1",
        "Application",
        cluster.environment,
        namespace=NAMESPACE,
        spec={
            "project": "default",
            "source": {
                "repoURL": argocd.repository,
                "path": argocd.path,
                "targetRevision": argocd.revision,
            },
            "destination": {"server": arn},
            "syncPolicy": {"automated": automated, "syncOptions": ["ServerSideApply=true"]},
        },
    )
