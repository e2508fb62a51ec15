"""Tests of services.pcs.registration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.parts import REGION, client, refusal
from packages.localaws.tests.pcs_parts import PcsSite, build_pcs_site, cluster, group, instances

ROLE = "arn:aws:iam::123456789012:role/AWSPCS-nodes"


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        found = build_pcs_site()
        found.create()
        found.create_group()
        yield found


def node(instance_id: str) -> Any:
    """Return a client with the credentials of an instance: EC2 names the session so."""
    iam = client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"},
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": "sts:AssumeRole",
            },
        ],
    }
    iam.update_assume_role_policy(RoleName="AWSPCS-nodes", PolicyDocument=json.dumps(trust))
    found = client("sts").assume_role(RoleArn=ROLE, RoleSessionName=instance_id)["Credentials"]
    return boto3.client(
        "pcs",
        region_name=REGION,
        aws_access_key_id=found["AccessKeyId"],
        aws_secret_access_key=found["SecretAccessKey"],
        aws_session_token=found["SessionToken"],
    )


def allow() -> None:
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "pcs:RegisterComputeNodeGroupInstance",
                "Resource": cluster()["arn"],
            }
        ],
    }
    client("iam").put_role_policy(
        RoleName="AWSPCS-nodes", PolicyName="register", PolicyDocument=json.dumps(policy)
    )


def test_instance_gets_its_name_the_key_and_the_endpoints(site: PcsSite) -> None:
    allow()
    found = group()
    names = []
    for one in instances(found["id"]):
        answer = node(one["InstanceId"]).register_compute_node_group_instance(
            clusterIdentifier=cluster()["id"], bootstrapId="boot-1"
        )
        names.append(answer["nodeID"])
        secret = cluster()["slurmConfiguration"]["authKey"]["secretArn"]
        value = client("secretsmanager").get_secret_value(SecretId=secret)["SecretString"]
        assert answer["sharedSecret"] == value
        assert answer["endpoints"] == cluster()["endpoints"]
        assert answer["computeNodeGroupId"] == found["id"]
        assert answer["schedulerVersion"] == "25.11"
    assert sorted(names) == ["workers-1", "workers-2"]


def test_caller_that_is_no_instance_of_the_cluster_is_refused(site: PcsSite) -> None:
    allow()
    asked = {"clusterIdentifier": cluster()["id"], "bootstrapId": "boot-1"}
    code, message = refusal(client("pcs").register_compute_node_group_instance, **asked)
    assert code == "AccessDeniedException"
    assert "The EC2 instance isn't present in the cluster train" in message
    other = node("i-0123456789abcdef0")
    code, message = refusal(other.register_compute_node_group_instance, **asked)
    assert code == "AccessDeniedException"
    assert message.endswith("the caller is i-0123456789abcdef0.")


def test_role_needs_the_permission_where_iam_is_enforced(site: PcsSite) -> None:
    (one, *_) = instances(group()["id"])
    found, arn = cluster()["id"], cluster()["arn"]
    call = node(one["InstanceId"]).register_compute_node_group_instance
    current = runtime()
    asked = {"clusterIdentifier": found, "bootstrapId": "boot-1"}
    assert call(**asked)["nodeID"] == "workers-1"
    before = current.world
    current.world = before.model_copy(update={"iam": "enforced"})
    code, message = refusal(call, **asked)
    assert code == "AccessDeniedException"
    assert "is not authorized to perform: pcs:RegisterComputeNodeGroupInstance" in message
    assert arn in message
    current.world = before
    allow()
    current.world = before.model_copy(update={"iam": "enforced"})
    assert call(**{**asked, "clusterIdentifier": "train"})["nodeID"] == "workers-1"
