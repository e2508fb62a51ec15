"""Tests of services.ec2.interface_checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from packages.localaws.tests.parts import Site, client, refusal

IMAGE = "ami-0123456789abcdef0"
LIMIT, VALUE = "AttachmentLimitExceeded", "InvalidParameterValue"


def launch(
    site: Site, kind: str, cards: Iterable[tuple[int, int, str]], **more: Any
) -> dict[str, Any]:
    """A launch with interfaces: of each, network card, device and type."""
    interfaces = [
        {
            "NetworkCardIndex": card,
            "DeviceIndex": device,
            "InterfaceType": of_type,
            "SubnetId": site.subnet_id,
        }
        for card, device, of_type in cards
    ]
    return {
        "ImageId": IMAGE,
        "InstanceType": kind,
        "MinCount": 1,
        "MaxCount": 1,
        "NetworkInterfaces": interfaces,
        **more,
    }


def efa(count: int, first: int = 0) -> list[tuple[int, int, str]]:
    """The layout that AWS documents: one EFA on each card, the first with device 0."""
    return [(card, min(card, 1), "efa") for card in range(first, first + count)]


class TestLaunches:
    @pytest.mark.parametrize(
        ("kind", "cards"),
        [
            ("t3.micro", [(0, 0, "interface"), (0, 1, "interface")]),
            ("p4d.24xlarge", efa(4)),
            ("p5.48xlarge", efa(32)),
            ("p5.48xlarge", [(0, 0, "interface"), (0, 1, "efa-only")]),
            ("hpc6id.32xlarge", efa(2)),
            ("p6-b300.48xlarge", [(0, 0, "interface"), *efa(16, 1)]),
            ("unknown.large", [(9, 0, "efa")]),
        ],
    )
    def test_what_a_type_takes(
        self, site: Site, kind: str, cards: list[tuple[int, int, str]]
    ) -> None:
        # A dry run: capacity and quotas are no matter here.
        request = launch(site, kind, cards, DryRun=True)
        assert refusal(client("ec2").run_instances, **request)[0] == "DryRunOperation"

    @pytest.mark.parametrize(
        ("kind", "cards", "code"),
        [
            ("t3.micro", [(0, 0, "interface"), (1, 1, "interface")], VALUE),
            ("p4d.24xlarge", [(4, 0, "efa")], VALUE),
            ("hpc6id.32xlarge", [(0, 0, "interface"), (0, 1, "interface")], LIMIT),
            ("p5.48xlarge", [(0, one, "interface") for one in range(3)], LIMIT),
            ("p6-b200.48xlarge", [(0, one, "efa") for one in range(4)] + efa(5, 1), LIMIT),
            ("t3.micro", [(0, 0, "efa")], "InvalidParameterCombination"),
            ("t3.micro", [(0, 0, "interface"), (0, 1, "efa-only")], "InvalidParameterCombination"),
        ],
    )
    def test_what_a_type_refuses(
        self, site: Site, kind: str, cards: list[tuple[int, int, str]], code: str
    ) -> None:
        ec2, request = client("ec2"), launch(site, kind, cards)
        assert refusal(ec2.run_instances, **request)[0] == code
        data = {"NetworkInterfaces": request.pop("NetworkInterfaces"), "InstanceType": kind}
        ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data)
        del request["InstanceType"]
        request["LaunchTemplate"] = {"LaunchTemplateName": "one"}
        assert refusal(ec2.run_instances, **request)[0] == code


class TestAttachments:
    def test_instances_take_as_many_as_their_type(self, site: Site) -> None:
        ec2 = client("ec2")
        request = launch(site, "t3.medium", [(0, 0, "interface")])
        instance = ec2.run_instances(**request)["Instances"][0]["InstanceId"]

        def attachment(device: int, **more: Any) -> dict[str, Any]:
            made = ec2.create_network_interface(SubnetId=site.subnet_id)["NetworkInterface"]
            found = {"NetworkInterfaceId": made["NetworkInterfaceId"], "InstanceId": instance}
            return {**found, "DeviceIndex": device, **more}

        assert (
            refusal(ec2.attach_network_interface, **attachment(1, NetworkCardIndex=1))[0] == VALUE
        )
        first = ec2.attach_network_interface(**attachment(1))["AttachmentId"]
        ec2.attach_network_interface(**attachment(2))
        fourth = attachment(3)
        refused = (LIMIT, "Interface count 4 exceeds the limit for t3.medium")
        assert refusal(ec2.attach_network_interface, **fourth) == refused
        ec2.detach_network_interface(AttachmentId=first)
        assert ec2.attach_network_interface(**fourth)["AttachmentId"]
        unknown = {**attachment(4), "InstanceId": "i-0123456789abcdef0"}
        assert refusal(ec2.attach_network_interface, **unknown)[0] == "InvalidInstanceID.NotFound"
