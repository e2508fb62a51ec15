"""What tests of other packages use: worlds, policies and the lists of operations."""

from __future__ import annotations

from clusterwright_localaws import testing
from clusterwright_localaws.testing import Caller, Policies, Request, evaluate, read_policy


def test_a_policy_is_evaluated_without_a_local_aws() -> None:
    statement = {"Effect": "Allow", "Action": "s3:Get*", "Resource": "arn:aws:s3:::b/*"}
    policy = read_policy({"Version": "2012-10-17", "Statement": [statement]})
    ann = Caller("user", "111122223333", "arn:aws:iam::111122223333:user/ann")
    allowed = evaluate(Request(ann, "s3:GetObject", "arn:aws:s3:::b/k"), Policies((policy,)))
    denied = evaluate(Request(ann, "s3:PutObject", "arn:aws:s3:::b/k"), Policies((policy,)))
    assert (allowed.outcome, denied.outcome) == ("allowed", "implicitDeny")


def test_a_world_can_be_changed() -> None:
    world = testing.with_changes(testing.load_world("generous"), {"account": "444455556666"})
    assert world.account == "444455556666"


def test_the_reference_and_the_models_are_at_hand() -> None:
    assert testing.action_of("s3:GetObject") is not None
    assert testing.paging_of("eks", "ListClusters") is not None
    assert testing.addresses_per_node("p5.48xlarge", "hyperpod-slurm") > 1
    assert "ListClusters" in testing.own_operations()["sagemaker"]
