"""Add-ons whose pods need nodes."""

from __future__ import annotations

import json

from clusterwright.platforms.kubernetes.control_plane import AFTER_NODES, BEFORE_NODES
from tests.support.rich_specs import EKS
from tests.support.synthesis import Build


def test_addons_are_installed_before_or_after_the_nodes(build: Build) -> None:
    assembly = build(EKS)
    by_stack = {
        stack: {
            one["Properties"]["AddonName"]: one["Properties"]
            for one in template["Resources"].values()
            if one["Type"] == "AWS::EKS::Addon"
        }
        for stack, template in assembly.templates.items()
    }
    assert set(by_stack["test-kubernetes"]) == set(BEFORE_NODES)
    assert set(by_stack["test-addons"]) == set(AFTER_NODES)
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    assert "test-cluster" in artifacts["test-addons"]["dependencies"]
    assert "test-kubernetes" in artifacts["test-cluster"]["dependencies"]
    network = by_stack["test-kubernetes"]["vpc-cni"]
    assert network["AddonVersion"] == "v1.19.0-eksbuild.1"
    values = json.loads(network["ConfigurationValues"])["env"]
    assert int(values["MINIMUM_IP_TARGET"]) + int(values["WARM_IP_TARGET"]) <= 15
    # A version that the spec does not name is EKS's default of the day, and nobody types it.
    assert "AddonVersion" not in by_stack["test-addons"]["coredns"]
    for addons in by_stack.values():
        for one in addons.values():
            assert one["ResolveConflicts"] == "OVERWRITE"
