"""What an update does to a resource, by its schema."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.changes import difference
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN
from clusterwright_localaws.cloudformation.handler import Handler
from clusterwright_localaws.cloudformation.resource_types import registry
from clusterwright_localaws.cloudformation.schema import resource_schema


@pytest.mark.parametrize(
    ("kind", "old", "new", "changes", "replacement"),
    [
        ("AWS::EC2::VPC", {"CidrBlock": "a"}, {"CidrBlock": "a"}, [], "False"),
        (
            "AWS::EC2::VPC",
            {"CidrBlock": "a"},
            {"CidrBlock": "b"},
            [("CidrBlock", "Always")],
            "True",
        ),
        (
            "AWS::EC2::VPC",
            {"EnableDnsSupport": True},
            {"EnableDnsSupport": False},
            [("EnableDnsSupport", "Never")],
            "False",
        ),
        (
            "AWS::EC2::VPC",
            {"CidrBlock": "a"},
            {"CidrBlock": UNKNOWN},
            [("CidrBlock", "Conditionally")],
            "Conditional",
        ),
        (
            "AWS::EC2::VPC",
            {"InstanceTenancy": "dedicated"},
            {"InstanceTenancy": "default"},
            [("InstanceTenancy", "Never")],
            "False",
        ),
        (
            "AWS::EC2::VPC",
            {"InstanceTenancy": "default"},
            {"InstanceTenancy": "dedicated"},
            [("InstanceTenancy", "Always")],
            "True",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"Orchestrator": {"Slurm": {"A": 1}}},
            {"Orchestrator": {"Slurm": {"A": 2}}},
            [("Orchestrator", "Never")],
            "False",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"Orchestrator": {"Eks": {"A": 1}}},
            {"Orchestrator": {"Eks": {"A": 2}}},
            [("Orchestrator", "Always")],
            "True",
        ),
        (
            "AWS::S3::Bucket",
            {"BucketName": "a", "Tags": []},
            {"Tags": []},
            [("BucketName", "Always")],
            "True",
        ),
        (
            "AWS::S3::Bucket",
            {},
            {"Tags": [{"Key": "a", "Value": "b"}]},
            [("Tags", "Never")],
            "False",
        ),
        (
            "AWS::Budgets::Budget",
            {"Budget": {"BudgetName": "a", "TimeUnit": "DAILY"}},
            {"Budget": {"BudgetName": "a", "TimeUnit": "MONTHLY"}},
            [("Budget", "Never")],
            "False",
        ),
        (
            "AWS::Budgets::Budget",
            {"Budget": {"BudgetName": "a"}},
            {"Budget": {"BudgetName": "b"}},
            [("Budget", "Always")],
            "True",
        ),
    ],
)
def test_documented_difference_holds(
    kind: str,
    old: dict[str, Any],
    new: dict[str, Any],
    changes: list[tuple[str, str]],
    replacement: str,
) -> None:
    found = difference(resource_schema(kind, "us-east-1"), registry()[kind], old, new)
    assert [(item.name, item.recreation) for item in found.properties] == changes
    assert found.replacement == replacement


def test_every_type_that_can_change_in_place_is_updated_by_its_handler() -> None:
    """A property that no schema calls create-only must have an `update` to change it by."""
    for name, handler in registry().items():
        schema = resource_schema(name, "us-east-1")
        if schema is None or type(handler).update is not Handler.update:
            continue
        top = {path[0] for path in schema.create_only if len(path) == 1}
        read_only = {path[0] for path in schema.read_only}
        carried = handler.supported_properties or set(schema.body["properties"])
        changeable = set(carried) - top - read_only - handler.unsupported_properties
        assert not changeable, f"{name} cannot change {sorted(changeable)}"
