"""Tests of services.ec2.fixes.creation_tags."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client

TAGS = [{"Key": "a", "Value": "b"}]


def tagged(kind: str) -> list[dict[str, Any]]:
    return [{"ResourceType": kind, "Tags": TAGS}]


@pytest.mark.usefixtures("aws")
def test_dhcp_options_have_their_tags() -> None:
    ec2 = client("ec2")
    made = ec2.create_dhcp_options(
        DhcpConfigurations=[{"Key": "domain-name", "Values": ["x.com"]}],
        TagSpecifications=tagged("dhcp-options"),
    )["DhcpOptions"]
    assert made["Tags"] == TAGS
    (found,) = ec2.describe_dhcp_options(DhcpOptionsIds=[made["DhcpOptionsId"]])["DhcpOptions"]
    assert found["Tags"] == TAGS


@pytest.mark.parametrize("inner", [None, "instance"])
@pytest.mark.usefixtures("aws")
def test_tags_of_a_template_are_not_its_data(inner: str | None) -> None:
    ec2 = client("ec2")
    data: dict[str, Any] = {"ImageId": "ami-abc123"}
    if inner:
        data["TagSpecifications"] = tagged(inner)
    made = ec2.create_launch_template(
        LaunchTemplateName="tags",
        LaunchTemplateData=data,
        TagSpecifications=tagged("launch-template"),
    )["LaunchTemplate"]
    assert made["Tags"] == TAGS
    (version,) = ec2.describe_launch_template_versions(LaunchTemplateName="tags")[
        "LaunchTemplateVersions"
    ]
    assert version["LaunchTemplateData"] == data
    (listed,) = ec2.describe_launch_templates(LaunchTemplateNames=["tags"])["LaunchTemplates"]
    assert listed["Tags"] == TAGS
