"""Tests of lustre."""

from __future__ import annotations

import pytest
from clusterwright_common.probe import ProbeError
from clusterwright_metrics.sources import lustre
from clusterwright_metrics.text import Metrics

from tests.nodes.metrics.fake_node import (
    LLITE,
    LNET,
    Machine,
    at,
)


def test_lustre_metrics_are_read_from_its_tools(machine: Machine) -> None:
    machine.says("lctl", LLITE)
    machine.says("lnetctl", LNET)
    found = machine.samples(lustre)
    assert at(found, "lustre_client_bytes_total", fs="fsx", operation="read_bytes") == 10485760
    assert at(found, "lustre_client_operations_total", fs="fsx", operation="open") == 7
    assert not any(
        ("operation", "open") in labels for name, labels in found if "bytes_total" in name
    )
    labels = {"net": "efa", "nid": "10.0.0.5@efa"}
    assert at(found, "lustre_lnet_up", **labels) == 0
    assert at(found, "lustre_lnet_messages_total", direction="recv", **labels) == 13


def test_a_failing_tool_of_lustre_does_not_affect_the_other(machine: Machine) -> None:
    machine.command("lctl", "echo 'error: get_param: No such file' >&2; exit 2")
    machine.says("lnetctl", LNET)
    metrics = Metrics()
    with pytest.raises(ProbeError, match="get_param"):
        lustre.collect(machine.probe(), metrics)
    assert "lustre_lnet_up" in metrics.families
