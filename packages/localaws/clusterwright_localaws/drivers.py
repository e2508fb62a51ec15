"""Public interface for programs that run real nodes behind the local AWS.

`serving(world)` starts the server. `attach_node_driver` connects a `NodeDriver` to the nodes of
HyperPod, and `attach_cluster_driver` a `ClusterDriver` to clusters of ParallelCluster. What a
driver is called with, and what it must report, is documented at those two classes.

It holds everything that another distribution needs of this one, beside `local_aws()`.
"""

from __future__ import annotations

from clusterwright_localaws.core.catalog_facts import catalog, ec2_name
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server.server import Serving, serving
from clusterwright_localaws.services.parallelcluster.cluster_driver import (
    ClusterDriver,
    ClusterOrder,
    attach_cluster_driver,
)
from clusterwright_localaws.services.parallelcluster.fleets import (
    CLUSTER_TAG,
    NODE_TAG,
    POOL_TAG,
    QUEUE_TAG,
    RESOURCE_TAG,
)
from clusterwright_localaws.services.sagemaker.node_driver import (
    Member,
    NodeDriver,
    NodeOrder,
    attach_node_driver,
    members,
)
from clusterwright_localaws.services.sagemaker.node_faults import LIFECYCLE_FAILED
from clusterwright_localaws.worlds.loading import load_world
from clusterwright_localaws.worlds.model import Fault, World

__all__ = [
    "CLUSTER_TAG",
    "LIFECYCLE_FAILED",
    "NODE_TAG",
    "POOL_TAG",
    "QUEUE_TAG",
    "RESOURCE_TAG",
    "ClusterDriver",
    "ClusterOrder",
    "Fault",
    "Member",
    "NodeDriver",
    "NodeOrder",
    "Runtime",
    "Serving",
    "World",
    "attach_cluster_driver",
    "attach_node_driver",
    "catalog",
    "ec2_name",
    "load_world",
    "members",
    "serving",
]
