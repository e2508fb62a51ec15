"""How long nodes may take to come up, raised with the number that comes up at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

from clusterwright.platforms.parallelcluster.limits import BOOTSTRAP_SECONDS, INSTANCE_INFO_SECONDS

NODES_AT_DEFAULT = 50
"""Up to this many static nodes ParallelCluster's defaults stand."""

LONGEST_NODE_SECONDS = 7200
LONGEST_INFO_SECONDS = 600


@dataclass(frozen=True)
class Timeouts:
    """Seconds, as `DevSettings/Timeouts` takes them."""

    head_node_bootstrap: int
    compute_node_bootstrap: int
    compute_instance_info: int


def timeouts(static_nodes: int) -> Timeouts | None:
    """None where the defaults do: 2100, 2100 and 90 seconds.

    Nodes that are launched together fetch, mount and register together, and EC2 takes longer to
    show them (aws-parallelcluster issue 7265: nodes were taken for failed and the cluster went
    into protected mode). ParallelCluster gives no figures, so these are choices of ours:

    * each doubling beyond 50 nodes adds 600 s to a node's bootstrap, to 7200 s at most;
    * each doubling adds 90 s to the wait for EC2's answer, to 600 s at most;
    * the head node, whose own bootstrap ends when the static nodes have joined
      (issues 3373 and 3604), has its default beside theirs.
    """
    if static_nodes <= NODES_AT_DEFAULT:
        return None
    doublings = math.ceil(math.log2(static_nodes / NODES_AT_DEFAULT))
    node = min(BOOTSTRAP_SECONDS + 600 * doublings, LONGEST_NODE_SECONDS)
    info = min(INSTANCE_INFO_SECONDS * (1 + doublings), LONGEST_INFO_SECONDS)
    return Timeouts(
        head_node_bootstrap=BOOTSTRAP_SECONDS + node,
        compute_node_bootstrap=node,
        compute_instance_info=info,
    )
