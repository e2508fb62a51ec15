"""Tests of services.ec2.fixes.launch_template_sources."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

USER_DATA = "IyEvYmluL3NoCg=="


def _made() -> Any:
    ec2 = client("ec2")
    ec2.create_launch_template(
        LaunchTemplateName="nodes",
        LaunchTemplateData={
            "InstanceType": "m5.large",
            "ImageId": "ami-0123456789abcdef0",
            "UserData": USER_DATA,
        },
    )
    return ec2


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("source", ["1", "$Latest", "$Default"])
def test_the_new_version_inherits_what_it_does_not_state(source: str) -> None:
    ec2 = _made()
    version = ec2.create_launch_template_version(
        LaunchTemplateName="nodes",
        SourceVersion=source,
        LaunchTemplateData={"InstanceType": "c5.large"},
    )["LaunchTemplateVersion"]
    data = version["LaunchTemplateData"]
    assert (version["VersionNumber"], data["InstanceType"]) == (2, "c5.large")
    assert (data["ImageId"], data["UserData"]) == ("ami-0123456789abcdef0", USER_DATA)
    versions = ec2.describe_launch_template_versions(LaunchTemplateName="nodes")
    types = [
        one["LaunchTemplateData"]["InstanceType"] for one in versions["LaunchTemplateVersions"]
    ]
    assert types == ["m5.large", "c5.large"]


@pytest.mark.usefixtures("aws")
def test_without_a_source_nothing_is_inherited() -> None:
    version = _made().create_launch_template_version(
        LaunchTemplateName="nodes", LaunchTemplateData={"InstanceType": "c5.large"}
    )["LaunchTemplateVersion"]
    assert version["LaunchTemplateData"] == {"InstanceType": "c5.large"}


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("source", ["0", "2", "-1", "first"])
def test_a_source_that_does_not_exist_is_refused(source: str) -> None:
    ec2 = _made()
    code, _ = refusal(
        ec2.create_launch_template_version,
        LaunchTemplateName="nodes",
        SourceVersion=source,
        LaunchTemplateData={"InstanceType": "c5.large"},
    )
    assert code == "InvalidLaunchTemplateId.VersionNotFound"
    found = ec2.describe_launch_template_versions(LaunchTemplateName="nodes")
    assert len(found["LaunchTemplateVersions"]) == 1


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("version", ["0", "2", "-1", "train", "1.0"])
def test_a_launch_with_a_version_that_does_not_exist(version: str) -> None:
    template = {"LaunchTemplateName": "nodes", "Version": version}
    found = refusal(_made().run_instances, LaunchTemplate=template, MinCount=1, MaxCount=1)
    assert found[0] == "InvalidLaunchTemplateId.VersionNotFound"
