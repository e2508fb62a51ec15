"""The IAM actions of the operating commands; `tests/cli/test_operating_policy.py` uses them."""

from __future__ import annotations

from pathlib import Path

from clusterwright.aws.live_members import MEMBERS
from clusterwright.aws.live_properties import READERS
from clusterwright.cluster_state.permissions import LIVE_ACTIONS, acting, condition, reading
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from tests.support import specs


def test_purchases_are_read(tmp_path: Path) -> None:
    assert "sagemaker:DescribeTrainingPlan" not in reading(specs.load(tmp_path).cluster, "status")
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    found = reading(specs.load(tmp_path, {"compute.1.capacity": capacity}).cluster, "status")
    assert found["sagemaker:DescribeTrainingPlan"] == (specs.PLAN,)
    assert "ec2:DescribeCapacityReservations" not in found
    block = {"compute.1.capacity": {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}}
    spec = specs.load(tmp_path, {"platform": "parallelcluster", **block})
    assert "ec2:DescribeCapacityBlockStatus" in reading(spec.cluster, "capacity")


def test_the_bucket_is_named(tmp_path: Path) -> None:
    cluster = specs.load(tmp_path).cluster
    bucket = f"arn:aws:s3:::{lifecycle_bucket(cluster)}"
    found = reading(cluster, "status")
    assert found["s3:GetObject"] == (f"{bucket}/state/*",)
    assert found["s3:ListBucket"] == (bucket,)
    assert acting(cluster, {"drain": "controller"}) == {"s3:PutObject": (f"{bucket}/requests/*",)}


def test_acting_by_means(tmp_path: Path) -> None:
    cluster = specs.load(tmp_path).cluster
    assert acting(cluster, {}) == {}
    assert set(acting(cluster, {"reboot": "hyperpod"})) == {
        "s3:PutObject",
        "sagemaker:BatchRebootClusterNodes",
    }


def test_ec2_acts_on_the_instances_of_the_cluster(tmp_path: Path) -> None:
    cluster = specs.load(tmp_path, {"platform": "parallelcluster"}).cluster
    found = acting(cluster, {"replace": "ec2"})
    instances = f"arn:aws:ec2:us-east-1:{cluster.account}:instance/*"
    assert found["ec2:TerminateInstances"] == (instances,)
    assert set(found) == {"ec2:TerminateInstances", "s3:PutObject"}
    assert condition(cluster, "s3:PutObject") is None
    own = {"StringEquals": {"aws:ResourceTag/clusterwright:environment": cluster.environment}}
    for action in (
        "ec2:TerminateInstances",
        "sagemaker:BatchReplaceClusterNodes",
        "sagemaker:StartClusterHealthCheck",
    ):
        assert condition(cluster, action) == own


def test_each_command_reads_what_it_shows(tmp_path: Path) -> None:
    cluster = specs.load(tmp_path).cluster
    assert set(reading(cluster, "accept")) == {
        "logs:DescribeLogGroups",
        "logs:FilterLogEvents",
        "s3:GetObject",
        "s3:ListBucket",
        "sagemaker:ListClusterNodes",
    }
    results = {"logs:DescribeLogGroups", "logs:FilterLogEvents"}
    accepting = reading(cluster, "accept").items()
    assert reading(cluster, "topology") == {k: v for k, v in accepting if k not in results}
    assert set(reading(cluster, "accept")) < set(reading(cluster, "status"))


def test_every_type_whose_live_state_is_read_has_its_action() -> None:
    # The cluster is read with an action of its own, groups by the caller of `live_properties`.
    types = set(READERS) | {kind for kind, _ in MEMBERS}
    assert set(LIVE_ACTIONS) == types - {"AWS::SageMaker::Cluster"} | {"AWS::EC2::SecurityGroup"}
