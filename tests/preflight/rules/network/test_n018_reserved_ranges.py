"""Tests of CW-N018."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness
from tests.support import specs


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"network.cidr": "172.17.0.0/16"}, "network.cidr"),
        ({"network.cidr": "172.17.128.0/20"}, "network.cidr"),
        ({"network.peered_cidrs": ["172.16.0.0/12"]}, "network.peered_cidrs[0]"),
    ],
)
def test_docker_range_is_reserved(rule: Harness, changes: dict[str, Any], path: str) -> None:
    rule.fails("CW-N018", changes, path=path, message="overlaps 172.17.0.0/16", severity="warning")
    rule.passes("CW-N018", {"network.cidr": "172.18.0.0/16"})


def test_service_range_overlapping_connected_networks_is_reported(rule: Harness) -> None:
    both = {
        "platform": "hyperpod-eks",
        "network.cidr": "10.100.0.0/16",
        "network.peered_cidrs": ["172.20.0.0/16"],
    }
    outcome = rule.run("CW-N018", spec=specs.unchecked(rule.folder, both))
    assert [f.path for f in outcome.findings] == ["network.cidr", "network.peered_cidrs[0]"]
    hint = outcome.findings[1].hint
    assert hint == "kubernetes.service_cidr: 10.0.0.0/16"
    chosen = {**both, "kubernetes.service_cidr": hint.partition(": ")[2]}
    rule.passes("CW-N018", spec=specs.unchecked(rule.folder, chosen))
    # One of the two is free: the template uses it.
    one = specs.unchecked(rule.folder, {**both, "network.peered_cidrs": []})
    rule.passes("CW-N018", spec=one)
    # Slurm has no Kubernetes services.
    rule.passes("CW-N018", {k: v for k, v in both.items() if k != "platform"})
    # In an existing network EKS chooses, without knowing connected networks.
    there = {**EXISTING, "platform": "eks"}
    network_ = {**EXISTING["network"], "peered_cidrs": ["172.16.0.0/12"]}
    behind = specs.unchecked(rule.folder, {**there, "network": network_})
    outcome = rule.run("CW-N018", spec=behind)
    messages = [f.message for f in outcome.findings if "EKS may use" in f.message]
    assert messages
    assert messages[0].startswith("172.16.0.0/12 overlaps 172.20.0.0/16")
    told = {**there, "network": network_, "kubernetes.service_cidr": "10.200.0.0/16"}
    outcome = rule.run("CW-N018", spec=specs.unchecked(rule.folder, told))
    assert not [f for f in outcome.findings if "EKS may use" in f.message]
