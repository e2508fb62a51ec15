"""Tests of CW-N024."""

from __future__ import annotations

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts.network import Subnets
from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import (
    ALLOW,
    NAT,
    SHARED,
    TABLE,
    endpoint,
    facts,
    policy,
    routed,
)
from tests.support import specs


def test_s3_endpoint_policy_must_allow_the_buckets(rule: Harness) -> None:
    bucket = lifecycle_bucket(specs.load(rule.folder, EXISTING).cluster)
    ours = [f"arn:aws:s3:::{bucket}/*", "arn:aws:s3:::packages.us-east-1.amazonaws.com/*"]
    account = {"StringEquals": {"aws:PrincipalAccount": specs.ACCOUNT}}
    for document in (
        None,
        policy(ALLOW),
        policy({**ALLOW, "Condition": account}),
        policy({**ALLOW, "Action": "s3:Get*", "Resource": ours}),
    ):
        found = facts(TABLE, (endpoint("s3", policy=document),))
        rule.passes("CW-N024", EXISTING, found)
    for document in (
        policy({**ALLOW, "Resource": ["arn:aws:s3:::other/*"]}),
        policy({**ALLOW, "Action": "s3:ListBucket"}),
        policy(ALLOW, {**ALLOW, "Effect": "Deny", "Resource": f"arn:aws:s3:::{bucket}/*"}),
        policy({**ALLOW, "Condition": {"StringEquals": {"aws:PrincipalAccount": "999988887777"}}}),
    ):
        found = facts(TABLE, (endpoint("s3", policy=document),))
        rule.fails(
            "CW-N024",
            EXISTING,
            found,
            path="network.existing.vpc_id",
            message=f"the policy of vpce-s3 does not allow nodes to read {bucket}",
        )
        # Its routes take precedence over a NAT gateway, because they are more specific.
        beside = facts(routed(NAT), (endpoint("s3", policy=document),))
        assert rule.run("CW-N024", EXISTING, beside).rule.status == "fail"


def test_policy_with_unknown_conditions_is_unknown(rule: Harness) -> None:
    document = policy({**ALLOW, "Condition": {"StringLike": {"aws:PrincipalTag/team": "ml*"}}})
    rule.unsure(
        "CW-N024",
        EXISTING,
        facts(TABLE, (endpoint("s3", policy=document),)),
        path="network.existing.vpc_id",
        message="depends on conditions",
    )


def test_endpoints_of_another_accounts_network_are_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N024",
        EXISTING,
        {**facts(TABLE), Subnets(): (SHARED,)},
        path="network.existing.subnet_ids",
        message="whether the endpoint policy for S3 allows nodes is not known",
    )
