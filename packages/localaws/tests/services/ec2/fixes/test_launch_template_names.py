"""Tests of services.ec2.fixes.launch_template_names."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

DATA = {"InstanceType": "m5.large"}


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("name", ["a name", "ab", "x" * 129, "what?"])
def test_malformed_names(name: str) -> None:
    """As recorded on AWS by LocalStack's tests."""
    found = refusal(
        client("ec2").create_launch_template, LaunchTemplateName=name, LaunchTemplateData=DATA
    )
    assert found[0] == "InvalidLaunchTemplateName.MalformedException"


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("name", ["abc", "a-b_c.d/e(1)", "x" * 128])
def test_names_that_are_taken(name: str) -> None:
    made = client("ec2").create_launch_template(LaunchTemplateName=name, LaunchTemplateData=DATA)
    assert made["LaunchTemplate"]["LaunchTemplateName"] == name


def test_moto_alone_takes_any_name() -> None:
    with local_aws():
        pass
    with mock_aws():
        ec2 = boto3.client("ec2", region_name="us-east-1")
        assert ec2.create_launch_template(LaunchTemplateName="a", LaunchTemplateData=DATA)
