"""Amazon EKS: clusters, access, add-ons, node groups, pod identity. Nothing of it runs."""

from clusterwright_localaws.services.eks import access as _access
from clusterwright_localaws.services.eks import addons as _addons
from clusterwright_localaws.services.eks import capabilities as _capabilities
from clusterwright_localaws.services.eks import clusters as _clusters
from clusterwright_localaws.services.eks import nodegroups as _nodegroups
from clusterwright_localaws.services.eks import pod_identity as _pod_identity
from clusterwright_localaws.services.eks import tags as _tags
from clusterwright_localaws.services.eks import updates as _updates
from clusterwright_localaws.services.eks import versions as _versions

__all__ = [
    "_access",
    "_addons",
    "_capabilities",
    "_clusters",
    "_nodegroups",
    "_pod_identity",
    "_tags",
    "_updates",
    "_versions",
]
