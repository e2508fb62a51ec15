"""The Service Authorization Reference, as it is read."""

from __future__ import annotations

import pytest

from clusterwright_localaws.iam.actions import action_of, prefix_of


def test_an_action_has_resource_types_and_condition_keys() -> None:
    found = action_of("EC2:terminateinstances")
    assert found is not None
    assert (found.name, found.reads) == ("ec2:TerminateInstances", False)
    (instance,) = found.resource_types
    assert (instance.name, instance.required) == ("instance", True)
    assert instance.arn == "arn:${Partition}:ec2:${Region}:${Account}:instance/${InstanceId}"
    assert "ec2:InstanceType" in found.condition_keys
    assert len(found.condition_keys) == len(set(found.condition_keys))


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("s3:ListAllMyBuckets", True),
        ("s3:GetObject", True),
        ("s3:PutObject", False),
        ("iam:PassRole", False),
    ],
)
def test_what_only_reads(name: str, reads: bool) -> None:
    found = action_of(name)
    assert found is not None
    assert found.reads is reads


@pytest.mark.parametrize("name", ["s3:GetEverything", "nosuchservice:Get", "s3", ""])
def test_what_is_no_action(name: str) -> None:
    assert action_of(name) is None


@pytest.mark.parametrize(
    ("service", "prefix"),
    [
        ("amp", "aps"),
        ("cloudwatch", "cloudwatch"),
        ("ec2", "ec2"),
        ("resourcegroupstaggingapi", "tag"),
        ("s3control", "s3"),
        ("service-quotas", "servicequotas"),
    ],
)
def test_iams_name_of_a_service(service: str, prefix: str) -> None:
    assert prefix_of(service) == prefix
