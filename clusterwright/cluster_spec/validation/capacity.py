"""Training plans must be in the cluster's account and region.

Source: AWS documentation, SageMaker training plans: a plan belongs to one region and cannot be
shared between accounts.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import TrainingPlan
from clusterwright.cluster_spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, group in enumerate(cluster.compute):
        if not isinstance(group.capacity, TrainingPlan):
            continue
        here: Path = ("compute", index, "capacity", "arn")
        _, partition, _, region, account, _ = group.capacity.arn.split(":", 5)
        if (partition, region) != (cluster.partition, cluster.region):
            yield Problem(
                f"the plan is in {region}, the cluster in {cluster.region}",
                here,
                other_path=("region",),
            )
        if account != cluster.account:
            yield Problem(
                f"the plan is in account {account}, the cluster in {cluster.account}",
                here,
                other_path=("account",),
            )
