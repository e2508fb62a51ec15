"""AWS's managed collector of the EKS cluster, and its workspace."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import EKS_MINIMAL, HYPERPOD_EKS, HYPERPOD_EKS_MINIMAL, changed
from tests.support.synthesis import Build

OBSERVED = {"prometheus": True}


@pytest.mark.parametrize("base", [EKS_MINIMAL, HYPERPOD_EKS_MINIMAL], ids=["eks", "hyperpod-eks"])
def test_collector_is_in_the_control_plane_subnets_with_the_node_group(
    build: Build, base: dict[str, Any]
) -> None:
    assembly = build(changed(base, observability=OBSERVED))
    scraper = only(assembly, "AWS::APS::Scraper")
    source = scraper["Source"]["EksConfiguration"]
    cluster = only(assembly, "AWS::EKS::Cluster")
    network = cluster["ResourcesVpcConfig"]
    assert source["SubnetIds"] == network["SubnetIds"]
    assert len(source["SubnetIds"]) == 2
    # Its requests come from a member of the nodes' group, which the control plane allows too.
    nodes = [
        text_of(one.get("LaunchTemplateData") or one["VpcConfig"])
        for kind in ("AWS::EC2::LaunchTemplate", "AWS::SageMaker::Cluster")
        for one in properties(assembly, kind)
    ]
    assert all(text_of(group) in text for group in source["SecurityGroupIds"] for text in nodes)
    assert "test-observability:" in text_of(scraper["Destination"])
    assert "test-kubernetes:" in text_of(source["ClusterArn"])
    blob = scraper["ScrapeConfiguration"]["ConfigurationBlob"]["Fn::Base64"]
    assert json.loads(blob)["global"]["scrape_interval"] == "60s"
    base64.b64encode(blob.encode())


def test_collector_workspace_has_an_aws_key(build: Build) -> None:
    """AWS's collectors cannot write to a workspace with a customer managed key."""
    filled = only(build(changed(EKS_MINIMAL, observability=OBSERVED)), "AWS::APS::Workspace")
    assert "KmsKeyArn" not in filled
    by_add_on = build(HYPERPOD_EKS)
    assert "KmsKeyArn" in only(by_add_on, "AWS::APS::Workspace")
    assert not properties(by_add_on, "AWS::APS::Scraper")


def test_collector_needs_no_egress_path(build: Build) -> None:
    closed = changed(EKS_MINIMAL, network__egress="closed", observability=OBSERVED)
    services = [
        text_of(e["ServiceName"]) for e in properties(build(closed), "AWS::EC2::VPCEndpoint")
    ]
    assert services
    assert not any("aps-workspaces" in name for name in services)


def test_no_collector_without_a_workspace(build: Build) -> None:
    assert not properties(build(EKS_MINIMAL), "AWS::APS::Scraper")
