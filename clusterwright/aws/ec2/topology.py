"""The location of instances in AWS's network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.aws.session import AwsSession

MAXIMUM_IDS: Final = 100
"""InstanceIds of DescribeInstanceTopology (botocore 1.44.5)."""


def instance_paths(session: AwsSession, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the network nodes of running instances by id, from the top down.

    Empty for an instance type without topology; instances of HyperPod are not listed.

    Raises
    ------
    AwsUnavailable
        AWS did not answer, or does not know an instance.
    """
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), MAXIMUM_IDS):
        for entry in session.items(
            "ec2",
            "DescribeInstanceTopology",
            "Instances",
            InstanceIds=list(ids[start : start + MAXIMUM_IDS]),
        ):
            found[entry["InstanceId"]] = tuple(entry.get("NetworkNodes") or ())
    return found
