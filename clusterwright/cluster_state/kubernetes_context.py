"""The context of the user's kubeconfig for a cluster."""

from __future__ import annotations

from typing import Final

from clusterwright.aws import eks
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.kubernetes_view import Kubectl, KubectlFailed, context_of
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.platforms.kubernetes.control_plane import cluster_name

API: Final = "the Kubernetes API"


def cluster_context(session: AwsSession, cluster: Cluster, kubectl: Kubectl) -> str | NotRead:
    """The context whose server is the cluster's API, or why there is none.

    Raises
    ------
    AwsUnavailable
        EKS did not return the address of the Kubernetes API.
    """
    found = eks.kubernetes_cluster(session, cluster_name(cluster))
    if found is None or found.endpoint is None:
        return NotRead(API, f"there is no EKS cluster {cluster_name(cluster)}")
    try:
        context = context_of(kubectl, found.endpoint)
    except KubectlFailed as error:
        return NotRead(API, str(error))
    if context is None:
        hint = f"aws eks update-kubeconfig --name {cluster_name(cluster)}"
        hint += f" --region {cluster.region}"
        reason = f"no context of the kubeconfig has the server {found.endpoint}"
        return NotRead(API, reason, hint)
    return context
