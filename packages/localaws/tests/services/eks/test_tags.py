"""Tests of services.eks.tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


def test_every_resource_can_be_tagged(eks_site: EksSite, eks: Any) -> None:
    eks.create_nodegroup(**eks_site.group())
    eks.create_addon(clusterName="eks", addonName="coredns")
    entry = eks.create_access_entry(clusterName="eks", principalArn=eks_site.pod_role)
    name = {"clusterName": "eks", "nodegroupName": "system"}
    arns = [
        cluster()["arn"],
        eks.describe_nodegroup(**name)["nodegroup"]["nodegroupArn"],
        eks.describe_addon(clusterName="eks", addonName="coredns")["addon"]["addonArn"],
        entry["accessEntry"]["accessEntryArn"],
    ]
    for arn in arns:
        eks.tag_resource(resourceArn=arn, tags={"a": "b", "c": "d"})
        eks.untag_resource(resourceArn=arn, tagKeys=["a"])
        assert eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"c": "d"}
    assert refusal(eks.list_tags_for_resource, resourceArn=arns[0] + "x")[0] == "NotFoundException"
