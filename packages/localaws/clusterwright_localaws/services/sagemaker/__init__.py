"""SageMaker HyperPod: clusters, nodes, events, training plans, governance; the rest is moto's."""

from clusterwright_localaws.services.sagemaker import batch as _batch
from clusterwright_localaws.services.sagemaker import clusters as _clusters
from clusterwright_localaws.services.sagemaker import events as _events
from clusterwright_localaws.services.sagemaker import governance as _governance
from clusterwright_localaws.services.sagemaker import health as _health
from clusterwright_localaws.services.sagemaker import lists as _lists
from clusterwright_localaws.services.sagemaker import plans as _plans
from clusterwright_localaws.services.sagemaker import software as _software
from clusterwright_localaws.services.sagemaker import tags as _tags
from clusterwright_localaws.services.sagemaker import updates as _updates

__all__ = [
    "_batch",
    "_clusters",
    "_events",
    "_governance",
    "_health",
    "_lists",
    "_plans",
    "_software",
    "_tags",
    "_updates",
]
