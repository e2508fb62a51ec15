"""Tests of services.iam.fixes.linked_roles."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.iam import entities
from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import client, refusal

_READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"


@pytest.mark.usefixtures("aws")
def test_role_has_the_name_and_the_policy_of_its_service() -> None:
    iam = client("iam")
    made = iam.create_service_linked_role(AWSServiceName="cks.kms.amazonaws.com")["Role"]
    assert made["RoleName"] == "AWSServiceRoleForKeyManagementServiceCustomKeyStores"
    role = iam.get_role(RoleName=made["RoleName"])["Role"]
    assert role["AssumeRolePolicyDocument"]["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Service": "cks.kms.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ]
    (policy,) = iam.list_attached_role_policies(RoleName=role["RoleName"])["AttachedPolicies"]
    assert policy["PolicyArn"] == (
        "arn:aws:iam::aws:policy/aws-service-role/"
        "AWSKeyManagementServiceCustomKeyStoresServiceRolePolicy"
    )


@pytest.mark.usefixtures("aws")
def test_suffixes_of_services_that_take_them() -> None:
    iam = client("iam")
    made = iam.create_service_linked_role(
        AWSServiceName="autoscaling.amazonaws.com", CustomSuffix="x"
    )["Role"]
    assert made["RoleName"] == "AWSServiceRoleForAutoScaling_x"
    assert refusal(
        iam.create_service_linked_role, AWSServiceName="eks.amazonaws.com", CustomSuffix="x"
    ) == ("InvalidInput", "Custom suffix is not allowed for eks.amazonaws.com")


@pytest.mark.usefixtures("aws")
def test_name_is_taken_until_the_role_is_deleted() -> None:
    iam = client("iam")
    name = iam.create_service_linked_role(AWSServiceName="rds.amazonaws.com")["Role"]["RoleName"]
    assert refusal(iam.create_service_linked_role, AWSServiceName="rds.amazonaws.com") == (
        "InvalidInput",
        "Service role name AWSServiceRoleForRDS has been taken in this account, please try a "
        "different suffix.",
    )
    task = iam.delete_service_linked_role(RoleName=name)["DeletionTaskId"]
    assert task.startswith("task/aws-service-role/rds.amazonaws.com/AWSServiceRoleForRDS/")
    assert (
        iam.get_service_linked_role_deletion_status(DeletionTaskId=task)["Status"] == "SUCCEEDED"
    )
    iam.create_service_linked_role(AWSServiceName="rds.amazonaws.com")


@pytest.mark.usefixtures("aws")
def test_only_service_linked_roles_are_deleted() -> None:
    iam = client("iam")
    iam.create_role(
        RoleName="ordinary", AssumeRolePolicyDocument=json.dumps(trust("ec2.amazonaws.com"))
    )
    iam.attach_role_policy(RoleName="ordinary", PolicyArn=_READ_ONLY)
    assert refusal(iam.delete_service_linked_role, RoleName="ordinary")[0] == "NoSuchEntity"
    assert _attached("ordinary") == [_READ_ONLY]


@pytest.mark.usefixtures("aws")
def test_refused_deletion_leaves_the_policies_attached() -> None:
    iam = client("iam")
    made = iam.create_service_linked_role(AWSServiceName="rds.amazonaws.com")["Role"]
    before = _attached(made["RoleName"])
    # Nothing but AWS changes the role, which therefore is changed behind the API.
    entities.role_of(made["Arn"]).policies["inline"] = "{}"
    code, _ = refusal(iam.delete_service_linked_role, RoleName=made["RoleName"])
    assert code == "DeleteConflict"
    assert _attached(made["RoleName"]) == before
    assert len(before) == 1


@pytest.mark.parametrize("name", ["foo", "a.b", "eks", "EKS.amazonaws.com", "..amazonaws.com"])
@pytest.mark.usefixtures("aws")
def test_names_that_are_no_service_principals(name: str) -> None:
    code, message = refusal(client("iam").create_service_linked_role, AWSServiceName=name)
    assert code == "InvalidInput"
    assert name in message


def _attached(role: str) -> list[str]:
    policies = client("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    return [policy["PolicyArn"] for policy in policies]
