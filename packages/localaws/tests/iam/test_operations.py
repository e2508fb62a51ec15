"""Actions of operations that are not called alike."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.iam.actions import action_of
from clusterwright_localaws.iam.operations import _OTHERS, _S3, FREE, UNSIGNED, action_names


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "expected"),
    [
        ("ec2", "RunInstances", {}, ["ec2:RunInstances"]),
        ("amp", "CreateWorkspace", {}, ["aps:CreateWorkspace"]),
        ("s3", "HeadObject", {}, ["s3:GetObject"]),
        ("s3", "HeadObject", {"VersionId": "v1"}, ["s3:GetObjectVersion"]),
        ("s3", "PutObject", {"VersionId": "v1"}, ["s3:PutObject"]),
        ("s3", "DeleteObject", {"VersionId": ""}, ["s3:DeleteObject"]),
        ("s3", "ListObjectsV2", {}, ["s3:ListBucket"]),
        ("s3", "ListDirectoryBuckets", {}, ["s3express:ListAllMyDirectoryBuckets"]),
        ("lambda", "Invoke", {}, ["lambda:InvokeFunction"]),
        ("sqs", "SendMessageBatch", {}, ["sqs:SendMessage"]),
        ("kms", "ReEncrypt", {}, ["kms:ReEncryptFrom", "kms:ReEncryptTo"]),
        ("budgets", "DescribeBudget", {}, ["budgets:ViewBudget"]),
        ("budgets", "CreateBudget", {}, ["budgets:ModifyBudget"]),
    ],
)
def test_the_actions_of_an_operation(
    service: str, operation: str, parameters: dict[str, Any], expected: list[str]
) -> None:
    assert action_names(service, operation, parameters) == expected


def test_every_renamed_action_is_in_awss_reference() -> None:
    named = [*(f"s3:{name}" for name in _S3.values()), *_OTHERS.values()]
    assert [name for name in named if action_of(name) is None] == []


def test_what_needs_no_permission_and_no_signature() -> None:
    assert ("sts", "GetCallerIdentity") in FREE
    assert FREE.isdisjoint(UNSIGNED)
