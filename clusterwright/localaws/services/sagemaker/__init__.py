"""SageMaker HyperPod: clusters and their nodes, events, training plans. moto has the rest."""

from clusterwright.localaws.services.sagemaker import batch as _batch
from clusterwright.localaws.services.sagemaker import clusters as _clusters
from clusterwright.localaws.services.sagemaker import events as _events
from clusterwright.localaws.services.sagemaker import health as _health
from clusterwright.localaws.services.sagemaker import lists as _lists
from clusterwright.localaws.services.sagemaker import plans as _plans
from clusterwright.localaws.services.sagemaker import tags as _tags
from clusterwright.localaws.services.sagemaker import updates as _updates

__all__ = [
    "_batch",
    "_clusters",
    "_events",
    "_health",
    "_lists",
    "_plans",
    "_tags",
    "_updates",
]
