"""EFA devices: number, state, rate, and traffic counters."""

from __future__ import annotations

import pytest
from clusterwright_acceptance.checks import efa_devices

from tests.nodes.acceptance.fake_node import Node


def test_the_types_devices_pass(node: Node) -> None:
    found = node.look("efa-devices")
    assert (found.verdict, found.value, found.floor) == ("pass", 32.0, 32.0)
    assert found.facts == {"efa_rate": "100 Gb/sec (4X EDR)", "efa_devices": 32}


def test_devices_of_others_are_not_counted(node: Node) -> None:
    node.write("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n")
    assert node.look("efa-devices").value == 32.0


@pytest.mark.parametrize("number", [31, 33])
def test_another_number_fails(node: Node, number: int) -> None:
    if number == 33:
        node.efa(32)
    else:
        (node.root / "sys/class/infiniband/rdmap0s0/device/vendor").unlink()
    found = node.look("efa-devices")
    assert found.reason == f"{number} EFA devices, p5.48xlarge has 32"
    assert found.action == ("reboot" if number == 31 else "report")


def test_inactive_port_and_slow_port_fail(node: Node) -> None:
    node.efa(3, rate="25 Gb/sec (1X EDR)")
    assert node.look("efa-devices").action == "replace"
    node.efa(3, state="1: DOWN")
    assert node.look("efa-devices").reason == "rdmap3s0 is not active"


def test_devices_that_appear_late_pass(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = node.root / "sys/class/infiniband/rdmap0s0/device/vendor"
    vendor.unlink()
    pauses: list[float] = []

    def appear(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            vendor.write_text("0x1d0f\n")

    monkeypatch.setattr("time.sleep", appear)
    assert node.look("efa-devices").verdict == "pass"
    assert len(pauses) == 2


def test_type_without_a_known_number_is_unknown(node: Node) -> None:
    node.expect(instance_type="p99.48xlarge")
    assert node.look("efa-devices").verdict == "unknown"


def test_it_applies_where_efa_is(node: Node) -> None:
    assert efa_devices.applies(node.expected) is None
    node.expect(efa=False)
    assert efa_devices.applies(node.expected) == "the group has no EFA interfaces"
    node.expect(efa=True, instance_type="m5.8xlarge")
    assert efa_devices.applies(node.expected) == "the type has no EFA"


def test_idle_devices_are_those_whose_counters_stand_still(node: Node) -> None:
    before = efa_devices.traffic(node.probe())
    assert len(before) == 32
    folder = "/sys/class/infiniband/rdmap{}s0/ports/1/hw_counters"
    for number in range(31):
        counter = "rdma_write_bytes" if number % 2 else "tx_bytes"
        node.write(f"{folder.format(number)}/{counter}", "4096\n")
    assert efa_devices.idle_devices(before, efa_devices.traffic(node.probe())) == ["rdmap31s0"]
