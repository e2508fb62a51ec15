"""Tests of services.ec2.fixes.parallelcluster_images."""

from __future__ import annotations

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client


def test_parallelcluster_images_exist(aws: Runtime) -> None:
    def found(region: str) -> dict[str, str]:
        images = client("ec2", region).describe_images(
            Owners=["amazon"],
            Filters=[{"Name": "name", "Values": ["aws-parallelcluster-3.16.1-ubuntu-2204-*"]}],
        )["Images"]
        return {image["Architecture"]: image["ImageId"] for image in images}

    here, there = found("us-east-1"), found("us-west-2")
    assert here.keys() == there.keys() == {"x86_64", "arm64"}
    assert not set(here.values()) & set(there.values())
