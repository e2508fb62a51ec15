"""Tests of services.ec2.fixes.launch_template_lists."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

DATA = {"InstanceType": "m5.large"}
MANY = 205


def _make(count: int) -> Any:
    ec2 = client("ec2")
    for number in range(count):
        ec2.create_launch_template(LaunchTemplateName=f"t-{number}", LaunchTemplateData=DATA)
    return ec2


def _make_versions(count: int) -> Any:
    ec2 = _make(1)
    for _ in range(count - 1):
        ec2.create_launch_template_version(LaunchTemplateName="t-0", LaunchTemplateData=DATA)
    return ec2


@pytest.mark.usefixtures("aws")
def test_all_templates_come_in_pages() -> None:
    ec2 = _make(MANY)
    first = ec2.describe_launch_templates()
    second = ec2.describe_launch_templates(NextToken=first["NextToken"])
    found = first["LaunchTemplates"] + second["LaunchTemplates"]
    assert [one["LaunchTemplateName"] for one in found] == [f"t-{n}" for n in range(MANY)]
    assert "NextToken" not in second
    pages = list(ec2.get_paginator("describe_launch_templates").paginate(MaxResults=100))
    assert [len(page["LaunchTemplates"]) for page in pages] == [100, 100, 5]


@pytest.mark.usefixtures("aws")
def test_all_versions_come_in_pages() -> None:
    ec2 = _make_versions(MANY)
    for options in ({}, {"PaginationConfig": {"PageSize": 15}}):
        pages = ec2.get_paginator("describe_launch_template_versions").paginate(
            LaunchTemplateName="t-0", **options
        )
        numbers = [
            one["VersionNumber"] for page in pages for one in page["LaunchTemplateVersions"]
        ]
        assert numbers == list(range(1, MANY + 1))
    found = ec2.describe_launch_template_versions(LaunchTemplateName="t-0", MinVersion="3")
    assert found["LaunchTemplateVersions"][0]["VersionNumber"] == 3
    assert len(found["LaunchTemplateVersions"]) == 200


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("size", [0, 201])
def test_pages_of_versions_have_limits(size: int) -> None:
    ec2 = _make(1)
    code, _ = refusal(
        ec2.describe_launch_template_versions, LaunchTemplateName="t-0", MaxResults=size
    )
    assert code == "InvalidParameterValue"
