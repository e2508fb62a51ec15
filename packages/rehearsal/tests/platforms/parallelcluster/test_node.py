"""Failure messages of custom actions on ParallelCluster."""

from __future__ import annotations

from clusterwright_rehearsal.platforms.parallelcluster.node import head_node_failure


def test_head_node_failure_has_the_message_that_pcluster_expects() -> None:
    """`models/cluster_resources.py` of aws-parallelcluster 3.16.1 finds the failure's code by
    them.
    """
    text = head_node_failure("Failed to execute OnNodeConfigured script 1, return code: 1.")
    assert "Failed to execute OnNodeConfigured script" in text
    assert "/var/log/cfn-init.log" in text
