"""Tests of services.fsx.tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, client, open_lustre_ports


@pytest.fixture
def open_site(site: Site) -> Site:
    open_lustre_ports(site, efa=True)
    return site


def test_tags(open_site: Site) -> None:
    made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
    fsx, arn = client("fsx"), made["ResourceARN"]
    fsx.tag_resource(ResourceARN=arn, Tags=[{"Key": "a", "Value": "1"}])
    assert fsx.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "a", "Value": "1"}]
    fsx.untag_resource(ResourceARN=arn, TagKeys=["a"])
    assert fsx.list_tags_for_resource(ResourceARN=arn)["Tags"] == []
