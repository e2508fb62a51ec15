"""Lists clusters whose nodes are EC2 instances: `python demo/list_instances.py`.

ParallelCluster and EKS tag their nodes with the cluster's name; on PCS our launch templates do.
Goes to AWS_ENDPOINT_URL if that is set, as every AWS client does, else to AWS itself.
"""

from __future__ import annotations

from typing import Any

import boto3

CLUSTER_TAGS = ("parallelcluster:cluster-name", "eks:cluster-name", "clusterwright:environment")
GROUP_TAGS = (
    "parallelcluster:compute-resource-name",
    "parallelcluster:login-nodes-pool-name",
    "parallelcluster:node-type",
    "eks:nodegroup-name",
    "clusterwright:group",
)


def main() -> None:
    """Print one line per node that runs."""
    ec2 = boto3.client("ec2")
    clusters: dict[str, list[str]] = {}
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    for page in ec2.get_paginator("describe_instances").paginate(Filters=running):
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                _add(clusters, instance)
    if not clusters:
        print(f"no clusters in {ec2.meta.region_name}")
    for name, nodes in clusters.items():
        print(f"{name}: {len(nodes)} nodes")
        for node in sorted(nodes):
            print(f"  {node}")


def _add(clusters: dict[str, list[str]], instance: dict[str, Any]) -> None:
    tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
    name = next((tags[key] for key in CLUSTER_TAGS if key in tags), None)
    if name is None:
        return
    group = next((tags[key] for key in GROUP_TAGS if key in tags), "")
    clusters.setdefault(name, []).append(
        f"{group:<12} {instance['InstanceId']:<20} {instance['InstanceType']:<16} "
        f"{instance['State']['Name']}"
    )


if __name__ == "__main__":
    main()
