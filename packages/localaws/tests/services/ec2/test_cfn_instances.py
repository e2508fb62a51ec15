"""Instances of a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.cloudformation.handler_helpers import ready
from clusterwright_localaws.services.ec2.cfn_instances import Instance, _state
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import Site, client


def instance(site: Site, **more: Any) -> dict[str, Any]:
    return {
        "ImageId": "ami-12c6146b",
        "InstanceType": "m5.large",
        "SubnetId": site.subnet_id,
        "SecurityGroupIds": [site.group_id],
        **more,
    }


def test_an_instance_is_created_tagged_and_terminated(site: Site) -> None:
    before = instance(site, Tags=tags(a="1"))
    created = Instance().create(context(), before)
    name = created.physical_id

    def described() -> dict[str, Any]:
        found = client("ec2").describe_instances(InstanceIds=[name])["Reservations"][0]
        return dict(found["Instances"][0])

    assert created.attributes["InstanceId"] == name
    assert created.attributes["VpcId"] == site.vpc_id
    assert created.attributes["PrivateIp"] == described()["PrivateIpAddress"]
    Instance().update(context(), name, before, instance(site, Tags=tags(b="2")))
    assert described()["Tags"] == tags(b="2")
    Instance().delete(context(), name, before)
    assert described()["State"]["Name"] == "terminated"


def test_everything_but_tags_replaces_an_instance(site: Site) -> None:
    before = instance(site, Tags=tags(a="1"))
    after = instance(site, InstanceType="m5.xlarge", KeyName="k")
    assert Instance().replacing(before, after) == {"InstanceType", "KeyName"}


def test_an_instance_that_ends_while_it_starts_fails() -> None:
    class Ended:
        def describe_instances(self, **_: Any) -> dict[str, Any]:
            return {"Reservations": [{"Instances": [{"State": {"Name": "terminated"}}]}]}

    with pytest.raises(HandlerFailure, match="Instance i-1 is terminated"):
        ready(
            context(),
            lambda: {"State": _state(Ended(), "i-1")},
            "Instance i-1",
            status="State",
            wanted="running",
        )
