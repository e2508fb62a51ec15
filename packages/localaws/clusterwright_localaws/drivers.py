"""Public interface for programs that run real nodes behind the local AWS.

`serving(world)` starts the server. `attach_node_driver` connects a `NodeDriver` to the nodes of
HyperPod, `attach_cluster_driver` a `ClusterDriver` to clusters of ParallelCluster, and
`attach_pcs_driver` a `PcsDriver` to clusters of AWS PCS. What a driver is called with, and what it
must report, is documented at those classes.

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
from clusterwright_localaws.services.pcs.cluster_driver import (
    PcsDriver,
    PcsGroupOrder,
    PcsInstance,
    PcsOrder,
    PcsQueueOrder,
    attach_pcs_driver,
    current_order,
    end_nodes,
    launch_nodes,
    running_instances,
)
from clusterwright_localaws.services.pcs.suspension import end_version
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
    "PcsDriver",
    "PcsGroupOrder",
    "PcsInstance",
    "PcsOrder",
    "PcsQueueOrder",
    "Runtime",
    "Serving",
    "World",
    "attach_cluster_driver",
    "attach_node_driver",
    "attach_pcs_driver",
    "catalog",
    "current_order",
    "ec2_name",
    "end_nodes",
    "end_version",
    "launch_nodes",
    "load_world",
    "members",
    "running_instances",
    "serving",
]
