"""Lists HyperPod clusters and their nodes through the SageMaker API: `python demo/list_nodes.py`.

Goes to AWS_ENDPOINT_URL if that is set, as every AWS client does, else to AWS itself.
"""

from __future__ import annotations

import boto3


def main() -> None:
    """Print one line per node."""
    sagemaker = boto3.client("sagemaker")
    clusters = sagemaker.list_clusters()["ClusterSummaries"]
    if not clusters:
        print(f"no clusters in {sagemaker.meta.region_name}")
    for cluster in clusters:
        pages = sagemaker.get_paginator("list_cluster_nodes").paginate(
            ClusterName=cluster["ClusterName"]
        )
        nodes = [node for page in pages for node in page["ClusterNodeSummaries"]]
        print(f"{cluster['ClusterName']}: {cluster['ClusterStatus']}, {len(nodes)} nodes")
        for node in sorted(nodes, key=lambda n: (n["InstanceGroupName"], n["InstanceId"])):
            print(
                f"  {node['InstanceGroupName']:<12} {node['InstanceId']:<20} "
                f"{node['InstanceType']:<16} {node['InstanceStatus']['Status']}"
            )


if __name__ == "__main__":
    main()
