"""Lengths of pages: what the models' documentation states, and every paginated operation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest
from botocore import xform_name

from clusterwright_localaws.api_page import USED
from clusterwright_localaws.core import truncation
from clusterwright_localaws.core.page_sizes import PageSize, asked_length, page_size
from clusterwright_localaws.core.page_tokens import tokens_of
from clusterwright_localaws.core.paging_model import paginator_of, paging_of
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.service_models import loader
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import client

SERVICES: Final = (*USED, "organizations", "ecs", "batch", "autoscaling", "config", "glue")
TRUST: Final = json.dumps(trust("ec2.amazonaws.com"))
# botocore has a paginator for them, and they are not cut here.
NOT_COVERED: Final = {
    # Lists inside of another member.
    ("ecr", "DescribeImageScanFindings"),
    ("rds", "DescribeEngineDefaultClusterParameters"),
    ("rds", "DescribeEngineDefaultParameters"),
    # Tokens that are names or keys, which a caller may choose.
    ("dynamodb", "ListBackups"),
    ("dynamodb", "ListTables"),
    ("dynamodb", "Query"),
    ("dynamodb", "Scan"),
    # What the size counts is not the items of a list.
    ("cloudwatch", "GetMetricData"),
    ("rds", "DownloadDBLogFilePortion"),
}


def paginated() -> Iterator[tuple[str, str]]:
    for service in SERVICES:
        if service != "s3":  # services/s3/fixes/listed_pages.py
            for operation in sorted(
                loader().load_service_model(service, "service-2")["operations"]
            ):
                if paginator_of(service, operation):
                    yield service, operation


@pytest.mark.parametrize(
    ("service", "operation", "expected"),
    [
        ("kms", "ListAliases", PageSize(50, 100)),
        ("kms", "ListResourceTags", PageSize(50, 50)),
        ("iam", "ListRoles", PageSize(100, 1000)),
        ("ecr", "DescribeRepositories", PageSize(100, 1000)),
        ("ssm", "GetParametersByPath", PageSize(10, 10)),
        ("ssm", "DescribeInstanceInformation", PageSize(10, 50)),
        ("logs", "DescribeLogGroups", PageSize(50, 50)),
        ("logs", "FilterLogEvents", PageSize(10_000, 10_000)),
        ("rds", "DescribeDBInstances", PageSize(100, 100)),
        ("lambda", "ListFunctions", PageSize(50, 50)),
        ("sns", "ListTopics", PageSize(100, 100)),
        ("events", "ListRules", PageSize(100, 100)),
        ("eks", "ListClusters", PageSize(100, 100)),
        ("cloudwatch", "ListMetrics", PageSize(500, 500)),
        ("cloudwatch", "ListDashboards", PageSize(1000, 1000)),
        ("sagemaker", "ListEndpoints", PageSize(10, 100)),
        ("autoscaling", "DescribeAutoScalingGroups", PageSize(50, 100)),
        ("batch", "DescribeJobQueues", PageSize(100, 100)),
        # EC2 answers all items to calls that state no length.
        ("ec2", "DescribeInstanceTypes", PageSize(None, 100)),
        ("ec2", "DescribeVolumes", PageSize(None, None)),
        ("dynamodb", "ListImports", PageSize(25, 25)),
        # Not paginated.
        ("kms", "DescribeKey", PageSize(None, None)),
    ],
)
def test_documented_lengths(service: str, operation: str, expected: PageSize) -> None:
    assert page_size(service, operation) == expected


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "expected"),
    [
        ("kms", "ListKeys", {}, 100),
        ("kms", "ListKeys", {"Limit": 3}, 3),
        ("kms", "ListAliases", {"Limit": 900}, 100),
        ("lambda", "ListFunctions", {"MaxItems": 10_000}, 50),
        # "A value of 0 uses the default."
        ("stepfunctions", "ListStateMachines", {"maxResults": 0}, 100),
        ("sqs", "ListQueues", {}, None),
        ("sqs", "ListQueues", {"MaxResults": 5}, 5),
        ("cloudwatch", "GetMetricData", {"MaxDatapoints": 5}, None),
        ("ec2", "DescribeLaunchTemplates", {}, 200),
        ("ec2", "DescribeVpcs", {}, None),
    ],
)
def test_asked_length(
    service: str, operation: str, parameters: Mapping[str, Any], expected: int | None
) -> None:
    assert asked_length(service, operation, parameters) == expected


def test_operations_that_are_not_covered() -> None:
    found = {
        (service, operation)
        for service, operation in paginated()
        if paging_of(service, operation) is None
        or tokens_of(service, operation) is None
        or (service, operation)
        in {("cloudwatch", "GetMetricData"), ("rds", "DownloadDBLogFilePortion")}
    }
    assert {each for each in found if each[0] in {*USED, "organizations"}} == NOT_COVERED


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "s3"])
def test_no_page_of_any_operation_is_longer_than_asked(service: str) -> None:
    """Twelve items of each list, in pages of five: whichever service answers them."""
    current = Runtime(World())
    for _, operation in (each for each in paginated() if each[0] == service):
        paging = paging_of(service, operation)
        if paging is None or paging.size is None or (service, operation) in NOT_COVERED:
            continue
        parameters: dict[str, Any] = {paging.size: 5}
        limit = asked_length(service, operation, parameters)
        assert limit is None or limit == 5
        if limit is None:
            assert tokens_of(service, operation) is None, operation
            continue
        whole = {name: [f"{name}-{number}" for number in range(12)] for name in paging.lists}
        whose = (service, operation, "123456789012", "us-east-1")
        pages = [truncation.cut(current, whose, whole, limit)]
        while token := pages[-1].get(paging.output_token):
            parameters[paging.input_token] = token
            found = truncation.continued(current, *whose, parameters, limit)
            assert found is not None
            pages.append(found)
        assert max(len(page[name]) for page in pages for name in paging.lists) == 5
        for name in paging.lists:
            assert [item for page in pages for item in page[name]] == whole[name], operation


def _repositories(ecr: Any, number: int) -> None:
    ecr.create_repository(repositoryName=f"r{number:03}")


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("service", "operation", "key", "make", "given"),
    [
        ("kms", "ListKeys", "Keys", lambda c, n: c.create_key(), {}),
        (
            "iam",
            "ListRoles",
            "Roles",
            lambda c, n: c.create_role(RoleName=f"r{n}", AssumeRolePolicyDocument=TRUST),
            {},
        ),
        ("iam", "ListUsers", "Users", lambda c, n: c.create_user(UserName=f"u{n}"), {}),
        ("iam", "ListGroups", "Groups", lambda c, n: c.create_group(GroupName=f"g{n}"), {}),
        ("ecr", "DescribeRepositories", "repositories", _repositories, {}),
        (
            "ssm",
            "DescribeParameters",
            "Parameters",
            lambda c, n: c.put_parameter(Name=f"/p/{n}", Value="v", Type="String"),
            {},
        ),
        (
            "ssm",
            "GetParametersByPath",
            "Parameters",
            lambda c, n: c.put_parameter(Name=f"/p/{n}", Value="v", Type="String"),
            {"Path": "/p"},
        ),
        (
            "secretsmanager",
            "ListSecrets",
            "SecretList",
            lambda c, n: c.create_secret(Name=f"s{n}", SecretString="v"),
            {},
        ),
        (
            "logs",
            "DescribeLogGroups",
            "logGroups",
            lambda c, n: c.create_log_group(logGroupName=f"g{n}"),
            {},
        ),
        ("sqs", "ListQueues", "QueueUrls", lambda c, n: c.create_queue(QueueName=f"q{n}"), {}),
        (
            "events",
            "ListRules",
            "Rules",
            lambda c, n: c.put_rule(Name=f"r{n}", ScheduleExpression="rate(1 day)"),
            {},
        ),
        (
            "efs",
            "DescribeFileSystems",
            "FileSystems",
            lambda c, n: c.create_file_system(CreationToken=f"t{n}"),
            {},
        ),
    ],
)
def test_pages_of_services(
    service: str,
    operation: str,
    key: str,
    make: Callable[[Any, int], Any],
    given: dict[str, Any],
) -> None:
    found = client(service)
    for number in range(7):
        make(found, number)
    size = paging_of(service, operation).size  # type: ignore[union-attr]
    call = getattr(found, xform_name(operation))
    first = call(**given, **{size: 3})
    assert len(first[key]) == 3
    pages = list(
        found.get_paginator(xform_name(operation)).paginate(
            **given, PaginationConfig={"PageSize": 3}
        )
    )
    assert all(len(page[key]) <= 3 for page in pages)
    assert len({str(item) for page in pages for item in page[key]}) >= 7


@pytest.mark.usefixtures("aws")
def test_a_page_without_a_length_has_the_default() -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    for number in range(60):
        kms.create_alias(AliasName=f"alias/a{number}", TargetKeyId=key)
    answer = kms.list_aliases(KeyId=key)
    assert (len(answer["Aliases"]), answer["Truncated"]) == (50, True)
    rest = kms.list_aliases(KeyId=key, Marker=answer["NextMarker"])
    assert (len(rest["Aliases"]), rest["Truncated"]) == (10, False)


@pytest.mark.usefixtures("aws")
def test_items_of_several_lists_count_together() -> None:
    iam = client("iam")
    for number in range(3):
        iam.create_user(UserName=f"u{number}")
        iam.create_group(GroupName=f"g{number}")
    answer = iam.get_account_authorization_details(MaxItems=4, Filter=["User", "Group"])
    counted = [len(answer[name]) for name in ("UserDetailList", "GroupDetailList")]
    assert (counted, answer["IsTruncated"]) == ([3, 1], True)
