"""Tests of CW-I008."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import (
    ACCOUNT,
    ADMITS,
    LINK,
    LOGS,
    OWN_KEY,
    ROOT,
    key_policy,
)
from tests.support import specs


def test_key_policy_without_roles_and_logs_is_reported(rule: Harness) -> None:
    path = "identity.kms_key_arn"
    message = "does not allow CloudWatch Logs for /clusterwright/test/flow-logs"
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT), path=path, message=message)
    rule.fails(
        "CW-I008",
        OWN_KEY,
        key_policy(LOGS),
        path=path,
        message="does not allow the account's roles",
    )
    rule.passes("CW-I008", OWN_KEY, key_policy(ROOT, LOGS))
    other = {**LOGS, "Condition": {"ArnEquals": {
        "kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:x"
    }}}  # fmt: skip
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT, other), path=path, message=message)
    far = {**LOGS, "Principal": {"Service": "logs.us-west-2.amazonaws.com"}}
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT, far), path=path, message=message)
    rule.passes("CW-I008", {}, tested=False)


def test_key_policy_without_eks_launch_roles_is_reported(rule: Harness) -> None:
    workers = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    changes = {**OWN_KEY, "platform": "eks", "compute": [workers]}
    launcher = (
        f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/"
        "AWSServiceRoleForAutoScaling"
    )
    finding = rule.fails(
        "CW-I008",
        changes,
        key_policy(ROOT, LOGS),
        path="identity.kms_key_arn",
        message="does not allow AWSServiceRoleForAutoScaling kms:CreateGrant",
    )
    assert "it launches the nodes of EKS" in finding.message
    admits = {
        "Effect": "Allow",
        "Principal": {"AWS": launcher},
        "Action": ["kms:*"],
        "Resource": "*",
    }
    rule.passes("CW-I008", changes, key_policy(ROOT, LOGS, admits))


def test_key_policy_without_fsx_is_reported(rule: Harness) -> None:
    built = {"storage.lustre": [{**specs.LUSTRE, "repositories": [{**LINK, "create": True}]}]}
    changes = {**OWN_KEY, **built}
    rule.fails(
        "CW-I008",
        changes,
        key_policy(ROOT, LOGS),
        path="identity.kms_key_arn",
        message="does not allow FSx for s3://acme-corpus kms:Decrypt",
    )
    rule.passes("CW-I008", changes, key_policy(ROOT, LOGS, ADMITS))
    network = {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-00000001",
            "subnet_ids": ["subnet-00000001"],
            "security_group_ids": ["sg-00000001"],
        },
    }
    # Without a created network, no log group uses the key.
    rule.passes("CW-I008", {**OWN_KEY, "network": network}, key_policy(ROOT))
