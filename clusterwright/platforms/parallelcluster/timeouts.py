"""Bootstrap timeouts, which grow with the number of nodes that start together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from clusterwright.platforms.parallelcluster.limits import BOOTSTRAP_SECONDS, INSTANCE_INFO_SECONDS

NODES_AT_DEFAULT = 50
"""Maximum number of static nodes for which ParallelCluster's defaults apply."""

HEAD_NODE_SECONDS = 7200
"""Bootstrap timeout of the head node: the longest timeout of a node, plus the default of 2100 s.

The head node's bootstrap ends when the static nodes have joined (aws-parallelcluster issues 3373
and 3604), so its timeout must be longer than theirs. It does not depend on their number: no update
may change it (update policy UNSUPPORTED), and otherwise the cluster could not grow.
"""

LONGEST_NODE_SECONDS = HEAD_NODE_SECONDS - BOOTSTRAP_SECONDS
LONGEST_INFO_SECONDS = 600
SECONDS_PER_DOUBLING = 600


@dataclass(frozen=True)
class Timeouts:
    """Seconds, as `DevSettings/Timeouts` takes them."""

    head_node_bootstrap: int
    compute_node_bootstrap: int
    compute_instance_info: int


def timeouts(static_nodes: int) -> Timeouts:
    """Return the timeouts for a number of nodes that start together.

    They download, mount and register together, and EC2 takes longer to list them
    (aws-parallelcluster issue 7265: nodes were treated as failed and the cluster entered protected
    mode). ParallelCluster documents no values, so these are chosen:

    * up to 50 nodes, the defaults: 2100 s for a node's bootstrap, 90 s for EC2's response;
    * each doubling beyond adds 600 s to a node's bootstrap, up to 5100 s;
    * each doubling beyond adds 90 s to the wait for EC2's response, up to 600 s.
    """
    doublings = max(math.ceil(math.log2(max(static_nodes, 1) / NODES_AT_DEFAULT)), 0)
    return Timeouts(
        head_node_bootstrap=HEAD_NODE_SECONDS,
        compute_node_bootstrap=min(
            BOOTSTRAP_SECONDS + SECONDS_PER_DOUBLING * doublings, LONGEST_NODE_SECONDS
        ),
        compute_instance_info=min(INSTANCE_INFO_SECONDS * (1 + doublings), LONGEST_INFO_SECONDS),
    )


def most_static_nodes(seconds: int) -> int:
    """Return the maximum number of nodes whose bootstrap timeout is at most `seconds`."""
    doublings = (seconds - BOOTSTRAP_SECONDS) // SECONDS_PER_DOUBLING
    return int(NODES_AT_DEFAULT * 2**doublings)
