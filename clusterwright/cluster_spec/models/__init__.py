"""The spec's models: one definition per field, units in names, unknown keys refused."""

from clusterwright.cluster_spec.models.cluster import Cluster

__all__ = ["Cluster"]
