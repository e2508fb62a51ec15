"""Neuron devices."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import neuron_devices

from tests.nodes.acceptance.fake_node import Node


def trn1(node: Node, count: int = 16, cores: int = 2) -> None:
    node.expect(instance_type="trn1.32xlarge", kind="neuron")
    rows = [{"neuron_device": n, "nc_count": 2, "bdf": "00:1e.0"} for n in range(count)]
    rows[-1]["nc_count"] = cores
    node.prints("neuron-ls", json.dumps(rows))


def test_the_types_devices_pass(node: Node) -> None:
    trn1(node)
    found = node.look("neuron-devices")
    assert (found.verdict, found.value, found.facts) == ("pass", 16.0, {"neuron_cores": 2})
    assert neuron_devices.applies(node.expected) is None


def test_fewer_devices_or_cores_fail(node: Node) -> None:
    trn1(node, count=15)
    assert node.look("neuron-devices").reason == "15 Neuron devices, trn1.32xlarge has 16"
    trn1(node, cores=1)
    assert node.look("neuron-devices").reason == "devices with 1 and 2 cores"


def test_memory_errors_fail(node: Node) -> None:
    trn1(node)
    folder = "/sys/devices/virtual/neuron_device/neuron3/stats/hardware"
    node.write(f"{folder}/mem_ecc_uncorrected", "0\n")
    assert node.look("neuron-devices").verdict == "pass"
    node.write(f"{folder}/sram_ecc_uncorrected", "2\n")
    assert node.look("neuron-devices").reason == "neuron3: sram_ecc_uncorrected is 2"


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"neuron_device": 0}]'])
def test_strange_output_is_no_pass(node: Node, text: str) -> None:
    trn1(node)
    node.prints("neuron-ls", text)
    if text == "{}":
        assert node.look("neuron-devices").verdict == "fail"
        return
    with pytest.raises(running.Unreadable):
        node.look("neuron-devices")
