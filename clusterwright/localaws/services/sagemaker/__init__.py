"""SageMaker HyperPod: clusters and their nodes, events, training plans. moto has the rest."""

from clusterwright.localaws.services.sagemaker import (
    batch,
    clusters,
    events,
    health,
    lists,
    plans,
    updates,
)

__all__ = ["batch", "clusters", "events", "health", "lists", "plans", "updates"]
