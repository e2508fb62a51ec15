"""The organisation and its service control policies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright.aws.organizations import (
    ServiceControlPolicy,
    resource_control_policies,
    service_control_policies,
)
from clusterwright.aws.session import AwsSession
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client

ALLOW = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}
DENY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Deny", "Action": "rds:*", "Resource": "*"}],
}
ACCOUNT = "123456789012"


def read() -> tuple[ServiceControlPolicy, ...]:
    return service_control_policies(AwsSession("us-east-1"), ACCOUNT)


def world(levels: list[list[Any]], **more: Any) -> dict[str, Any]:
    return {
        "account": ACCOUNT,
        "organization": {
            "service_control_policies": levels,
            "members_read_policies": True,
            **more,
        },
    }


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_policies_of_every_level_are_read(levels: int) -> None:
    listed: list[list[Any]] = [[ALLOW] for _ in range(levels)]
    listed[-1].append(DENY)
    with local_aws(**world(listed)):
        found = read()
        assert len(found) == levels + 1
        assert [p.name for p in found if "rds" in p.document] == [
            f"service control policy {levels}.2"
        ]


def test_accounts_outside_and_the_management_account_have_none() -> None:
    with local_aws(account=ACCOUNT):
        assert read() == ()
    with local_aws(**world([[ALLOW, DENY]], management_account=ACCOUNT)):
        assert read() == ()


def test_members_read_policies_only_by_delegation() -> None:
    with local_aws(**world([[ALLOW]], members_read_policies=False)):
        organizations = client("organizations")
        assert organizations.describe_organization()["Organization"]["FeatureSet"] == "ALL"
        with pytest.raises(ClientError, match="AccessDenied"):
            organizations.list_parents(ChildId=ACCOUNT)
    with local_aws(**world([[ALLOW]])):
        organizations = client("organizations")
        with pytest.raises(ClientError, match="ChildNotFound"):
            organizations.list_parents(ChildId="123123123123")
        with pytest.raises(ClientError, match="TargetNotFound"):
            organizations.list_policies_for_target(
                TargetId="r-none", Filter="SERVICE_CONTROL_POLICY"
            )
        with pytest.raises(ClientError, match="PolicyNotFound"):
            organizations.describe_policy(PolicyId="p-99999999")


def test_policies_of_resources_are_listed_apart() -> None:
    perimeter = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*"}],
    }
    with local_aws(**world([[ALLOW]], resource_control_policies=[perimeter])):
        (policy,) = resource_control_policies(AwsSession("us-east-1"), ACCOUNT)
        assert policy.name == "resource control policy 1"
        assert policy.organization == "o-exampleorgid"
        assert json.loads(policy.document) == perimeter
        assert [found.name for found in read()] == ["service control policy 1.1"]
    with local_aws(**world([[ALLOW]])):
        assert resource_control_policies(AwsSession("us-east-1"), ACCOUNT) == ()


def test_an_organization_that_was_created_here_has_its_policies() -> None:
    content = json.dumps({"Version": "2012-10-17", "Statement": []})
    kind = "SERVICE_CONTROL_POLICY"
    with local_aws():
        organizations = client("organizations")
        with pytest.raises(ClientError, match="not a member of an organization"):
            organizations.describe_organization()
        made = organizations.create_organization(FeatureSet="ALL")["Organization"]
        assert organizations.describe_organization()["Organization"]["Id"] == made["Id"]
        (root,) = organizations.list_roots()["Roots"]
        policy = organizations.create_policy(
            Content=content, Description="none", Name="none", Type=kind
        )["Policy"]["PolicySummary"]
        organizations.attach_policy(PolicyId=policy["Id"], TargetId=root["Id"])
        found = organizations.describe_policy(PolicyId=policy["Id"])["Policy"]
        assert json.loads(found["Content"]) == json.loads(content)
        listed = organizations.list_policies_for_target(TargetId=root["Id"], Filter=kind)
        assert policy["Id"] in {one["Id"] for one in listed["Policies"]}
        account = organizations.list_accounts()["Accounts"][0]["Id"]
        (parent,) = organizations.list_parents(ChildId=account)["Parents"]
        assert parent == {"Id": root["Id"], "Type": "ROOT"}
