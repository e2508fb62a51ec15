"""Tests of services.pcs.tags, and of IAM for PCS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam.requirements import needs_of
from clusterwright_localaws.iam.resources import Place
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import PcsSite, build_pcs_site, cluster, group, queue

PLACE = Place("aws", "us-east-1", "123456789012")


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        found = build_pcs_site()
        found.create(tags={"team": "a"})
        found.create_group(tags={"team": "b"})
        found.create_queue(tags={"team": "c"})
        yield found


def pcs() -> Any:
    return client("pcs")


def test_every_resource_has_tags(site: PcsSite) -> None:
    for found, team in ((cluster(), "a"), (group(), "b"), (queue(), "c")):
        arn = found["arn"]
        assert pcs().list_tags_for_resource(resourceArn=arn)["tags"] == {"team": team}
        pcs().tag_resource(resourceArn=arn, tags={"cost": "x"})
        pcs().untag_resource(resourceArn=arn, tagKeys=["team"])
        assert pcs().list_tags_for_resource(resourceArn=arn)["tags"] == {"cost": "x"}


def test_unknown_resource_has_none(site: PcsSite) -> None:
    arn = "arn:aws:pcs:us-east-1:123456789012:cluster/pcs_0123456789"
    assert refusal(pcs().list_tags_for_resource, resourceArn=arn) == (
        "ResourceNotFoundException",
        "The cluster pcs_0123456789 does not exist.",
    )


def test_group_needs_the_tag_action_and_passes_the_role_to_ec2(site: PcsSite) -> None:
    asked = site.group("second", tags={"team": "d"})
    found = {
        need.action: (need.resource, dict(need.context))
        for need in needs_of(runtime(), "pcs", "CreateComputeNodeGroup", asked, PLACE)
    }
    assert set(found) == {"pcs:CreateComputeNodeGroup", "pcs:TagResource", "iam:PassRole"}
    assert found["pcs:CreateComputeNodeGroup"][0] == cluster()["arn"]
    resource, context = found["iam:PassRole"]
    assert resource == "arn:aws:iam::123456789012:role/AWSPCS-nodes"
    assert context["iam:PassedToService"] == "ec2.amazonaws.com"


def test_caller_needs_the_documented_permissions_of_ec2(site: PcsSite) -> None:
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": ["pcs:*", "iam:PassRole"], "Resource": "*"},
        ],
    }
    user = user_with(policy)
    current = runtime()
    current.world = current.world.model_copy(update={"iam": "enforced"})
    code, message = refusal(user.create_compute_node_group, **site.group("second"))
    assert code == "AccessDeniedException"
    assert "is not authorized to perform: ec2:DescribeLaunchTemplateVersions" in message


def user_with(policy: dict[str, Any]) -> Any:
    """Return a client of PCS for a user with this policy only."""
    iam = client("iam")
    iam.create_user(UserName="engineer")
    iam.put_user_policy(UserName="engineer", PolicyName="own", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName="engineer")["AccessKey"]
    return boto3.client(
        "pcs",
        region_name="us-east-1",
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )


def test_resources_are_found_by_name(site: PcsSite) -> None:
    asked = {"clusterIdentifier": "train", "computeNodeGroupIdentifier": "workers"}
    found = [
        need.resource for need in needs_of(runtime(), "pcs", "GetComputeNodeGroup", asked, PLACE)
    ]
    assert group()["arn"] in found
