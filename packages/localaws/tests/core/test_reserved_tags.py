"""Tests of core.reserved_tags."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.reserved_tags import check
from clusterwright_localaws.server import wire
from packages.localaws.tests.parts import client

KEY = "AWS:mine"


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "code"),
    [
        ("sagemaker", "AddTags", {"Tags": [{"Key": KEY, "Value": ""}]}, "ValidationException"),
        ("sagemaker", "DeleteTags", {"TagKeys": [KEY]}, "ValidationException"),
        ("sns", "CreateTopic", {"Tags": [{"Key": KEY, "Value": ""}]}, "InvalidParameter"),
        ("eks", "TagResource", {"tags": {KEY: ""}}, "BadRequestException"),
        ("eks", "UntagResource", {"tagKeys": [KEY]}, "BadRequestException"),
        ("iam", "TagRole", {"Tags": [{"Key": KEY, "Value": ""}]}, "InvalidInput"),
        ("rds", "AddTagsToResource", {"Tags": [{"Key": KEY, "Value": ""}]}, "ValidationError"),
        ("ecr", "TagResource", {"tags": [{"Key": KEY}]}, "InvalidTagParameterException"),
        ("route53", "ChangeTagsForResource", {"AddTags": [{"Key": KEY}]}, "InvalidInput"),
        ("route53", "ChangeTagsForResource", {"RemoveTagKeys": [KEY]}, "InvalidInput"),
        ("cloudtrail", "AddTags", {"TagsList": [{"Key": KEY}]}, "InvalidTagParameterException"),
        ("glue", "TagResource", {"TagsToAdd": {KEY: ""}}, "ValidationException"),
        ("glue", "UntagResource", {"TagsToRemove": [KEY]}, "ValidationException"),
        ("cloudfront", "TagResource", {"Tags": {"Items": [{"Key": KEY}]}}, "InvalidTagging"),
        ("cloudfront", "UntagResource", {"TagKeys": {"Items": [KEY]}}, "InvalidTagging"),
        ("mediaconnect", "CreateFlow", {"FlowTags": {KEY: ""}}, "BadRequestException"),
        ("elb", "RemoveTags", {"Tags": [{"Key": KEY}]}, "ValidationError"),
        ("logs", "UntagLogGroup", {"tags": [KEY]}, "ValidationException"),
        ("pinpoint", "TagResource", {"TagsModel": {"tags": {KEY: ""}}}, "ValidationException"),
        ("fsx", "CreateFileSystem", {"Tags": [{"Key": KEY, "Value": ""}]}, "BadRequest"),
        ("sts", "GetFederationToken", {"Tags": [{"Key": KEY, "Value": ""}]}, "ValidationError"),
    ],
)  # fmt: skip
def test_reserved_keys_are_refused(
    service: str, operation: str, parameters: dict[str, Any], code: str
) -> None:
    with pytest.raises(AwsError, match=r"Tag keys \[AWS:mine\] start with the reserved") as error:
        check(wire.service_model(service), operation, parameters)
    assert error.value.code == code


def test_other_keys_and_services_with_own_checks_are_not() -> None:
    check(wire.service_model("sns"), "CreateTopic", {"Tags": [{"Key": "awsome", "Value": ""}]})
    check(wire.service_model("kms"), "TagResource", {"Tags": [{"TagKey": KEY, "TagValue": ""}]})


@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("ce", "ListCostAllocationTags", {"TagKeys": [KEY]}),
        ("redshift", "DescribeTags", {"TagKeys": [KEY]}),
        ("glue", "ListJobs", {"Tags": {KEY: ""}}),
        ("sagemaker", "Search", {"SearchExpression": {}}),
        ("dlm", "GetLifecyclePolicies", {"TagsToAdd": [KEY]}),
        ("verifiedpermissions", "GetPolicyStore", {"tags": True}),
        ("ce", "UpdateCostAllocationTagsStatus",
         {"CostAllocationTagsStatus": [{"TagKey": KEY, "Status": "Active"}]}),
        ("swf", "StartWorkflowExecution", {"tagList": [KEY]}),
        ("codedeploy", "CreateDeploymentGroup", {"ec2TagFilters": [{"Key": KEY}]}),
    ],
)  # fmt: skip
def test_keys_that_only_select_are_not(
    service: str, operation: str, parameters: dict[str, Any]
) -> None:
    check(wire.service_model(service), operation, parameters)


@pytest.mark.usefixtures("aws")
def test_reads_by_tags_of_aws_are_answered() -> None:
    found = client("ce").list_cost_allocation_tags(TagKeys=["aws:createdBy"])
    assert found["CostAllocationTags"] == []
