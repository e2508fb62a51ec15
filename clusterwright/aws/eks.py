"""EKS: the clusters of an account."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def cluster_names(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every EKS cluster of the account in the region."""
    return tuple(name for name in session.items("eks", "ListClusters", "clusters"))
