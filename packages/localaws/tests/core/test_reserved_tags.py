"""Tests of core.reserved_tags."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.reserved_tags import check
from clusterwright_localaws.server import wire

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
