"""Objects of Argo CD, and the ARN of the cluster."""

from __future__ import annotations

from clusterwright.platforms.kubernetes.delivery import cluster_arn, delivery_manifests
from tests.support.rich_specs import ON_PLAIN_EKS
from tests.support.validation import cluster

ARN = "arn:aws:eks:us-east-1:111122223333:cluster/rich"
ARGOCD = {
    "kubernetes.capabilities.argocd": {
        "repository": "https://git.example.com/clusters.git",
        "path": "rich",
        "revision": "main",
        "prune": True,
        "identity_center_arn": "arn:aws:sso:::instance/ssoins-0a1b2c3d4e5f6071",
    }
}


def test_nothing_without_argo_cd() -> None:
    assert list(delivery_manifests(cluster(base=ON_PLAIN_EKS))) == []


def test_the_arn_of_the_cluster() -> None:
    assert cluster_arn(cluster(base=ON_PLAIN_EKS)) == ARN


def test_the_cluster_is_registered_by_its_arn() -> None:
    secret, application = delivery_manifests(cluster(ARGOCD, ON_PLAIN_EKS))
    assert secret["kind"] == "Secret"
    assert secret["metadata"]["labels"]["argocd.argoproj.io/secret-type"] == "cluster"
    assert secret["stringData"] == {"name": "local-cluster", "server": ARN, "project": "default"}
    spec = application["spec"]
    assert spec["destination"] == {"server": ARN}
    assert spec["source"] == {
        "repoURL": "https://git.example.com/clusters.git",
        "path": "rich",
        "targetRevision": "main",
    }
    assert spec["syncPolicy"]["automated"] == {"prune": True, "selfHeal": True}
