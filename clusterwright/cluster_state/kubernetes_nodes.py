"""Drains and resumes Kubernetes nodes with the user's `kubectl`."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.kubernetes_context import API, cluster_context
from clusterwright.cluster_state.kubernetes_view import Kubectl, KubectlFailed, run_kubectl
from clusterwright.cluster_state.not_read import NotRead


@dataclass(frozen=True)
class KubernetesNodes:
    """The nodes of a cluster, in a context of the kubeconfig."""

    context: str
    kubectl: Kubectl

    def set_schedulable(self, name: str, is_schedulable: bool) -> NotRead | None:
        """Let new pods be scheduled on a node or not; why it was not done, or None.

        Running pods go on, as jobs do on a node that Slurm drains.
        """
        verb = "uncordon" if is_schedulable else "cordon"
        try:
            self.kubectl(["--context", self.context, "--request-timeout=10s", verb, name])
        except KubectlFailed as error:
            return NotRead(API, str(error))
        return None


def kubernetes_nodes(session: AwsSession, cluster: Cluster) -> KubernetesNodes | NotRead:
    """The nodes of a cluster, or why its Kubernetes API cannot be reached.

    Raises
    ------
    AwsUnavailable
        EKS did not return the address of the Kubernetes API.
    """
    context = cluster_context(session, cluster, run_kubectl)
    return context if isinstance(context, NotRead) else KubernetesNodes(context, run_kubectl)
