"""The stack of a HyperPod cluster: recovery, tags, network and outputs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stacks.templates import cluster_of, text_of
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Assembly, Build


def outputs(assembly: Assembly) -> dict[str, Any]:
    return {
        name: output["Value"]
        for name, output in assembly.templates["test-cluster"]["Outputs"].items()
    }


@pytest.mark.parametrize(("spec", "api"), [("automatic", "Automatic"), ("none", "None")])
def test_node_recovery_is_set(build: Build, spec: str, api: str) -> None:
    assembly = build(changed(MINIMAL, resilience={"node_recovery": spec}))
    assert cluster_of(assembly)["NodeRecovery"] == api


def test_tags_are_set_on_the_cluster(build: Build) -> None:
    tags = {t["Key"]: t["Value"] for t in cluster_of(build(FULL))["Tags"]}
    assert tags == {
        "clusterwright:environment": "test",
        "cost-centre": "4711",
        "owner": "research",
    }


def test_nodes_have_every_node_subnet_and_group(build: Build) -> None:
    vpc = cluster_of(build(MINIMAL))["VpcConfig"]
    assert len(vpc["Subnets"]) == 1
    assert len(vpc["SecurityGroupIds"]) == 1


def test_outputs_match_the_contract(build: Build) -> None:
    found = outputs(build(FULL))
    assert found["ClusterName"] == "test"
    assert found["ClusterArn"] == {"Fn::GetAtt": ["Cluster", "ClusterArn"]}
    assert found["ListNodesCommand"] == (
        "aws sagemaker list-cluster-nodes --cluster-name test --region us-east-1"
    )
    assert "DNSName" in found["LustreDnsName"]["Fn::ImportValue"]
    assert "LustreMountName" in found["LustreMountName"]["Fn::ImportValue"]
    assert {"LustreDnsName2", "LustreMountName2", "LustreDnsName3"} <= set(found)


def test_login_command_has_a_placeholder_for_the_instance(build: Build) -> None:
    text = text_of(outputs(build(FULL))["SsmLoginCommand"])
    assert "aws ssm start-session --target sagemaker-cluster:" in text
    assert "_login-<instance-id> --region us-east-1" in text
    assert "_controller-<instance-id>" in text_of(outputs(build(MINIMAL))["SsmLoginCommand"])


def test_no_login_command_without_session_manager(build: Build) -> None:
    assembly = build(changed(MINIMAL, identity={"session_manager": False}))
    assert "SsmLoginCommand" not in outputs(assembly)
