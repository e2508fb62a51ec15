"""HyperPod clusters of the account."""

from __future__ import annotations

import pytest

from clusterwright.aws.sagemaker import Cluster
from clusterwright.preflight.facts.fact import Place
from clusterwright.preflight.facts.hyperpod import HyperPodClusters, TrainingPlan, deployed_cluster

DEV = Cluster("dev", "arn", "InService", ())
PLACE = Place("aws", "us-east-1", "111122223333")


def test_clusters_that_were_deleted_meanwhile_are_left_out() -> None:
    reading = HyperPodClusters().read()
    assert len(next(reading)) == 1
    requests = reading.send([("dev", "gone")])
    assert [request.arguments for request in requests] == [("dev",), ("gone",)]
    with pytest.raises(StopIteration) as end:
        reading.send([DEV, None])
    assert end.value.value == (DEV,)


def test_the_cluster_of_an_environment() -> None:
    assert deployed_cluster([DEV], "dev") is DEV
    assert deployed_cluster([DEV], "prod") is None


def test_arns_for_the_policy() -> None:
    prefix = "arn:aws:sagemaker:us-east-1:111122223333:"
    assert HyperPodClusters().resources(PLACE) == {
        "sagemaker:DescribeCluster": f"{prefix}cluster/*"
    }
    assert TrainingPlan("big").resources(PLACE) == {
        "sagemaker:DescribeTrainingPlan": f"{prefix}training-plan/big"
    }
