"""The templates of ParallelCluster: provider, policies, network, secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.security_group_rules import security_groups_built
from tests.stacks.deployment import order
from tests.stacks.templates import only, properties, security_group_name, text_of
from tests.support import specs
from tests.support.rich_specs import PARALLELCLUSTER, PARALLELCLUSTER_MINIMAL, changed
from tests.support.synthesis import Assembly, Build

CUSTOM = "Custom::PclusterCluster"

NAT = changed(PARALLELCLUSTER, network__egress="nat")


def configuration(assembly: Assembly) -> Any:
    return only(assembly, CUSTOM)["ClusterConfiguration"]


def services(assembly: Assembly) -> set[str]:
    names = [text_of(e["ServiceName"]) for e in properties(assembly, "AWS::EC2::VPCEndpoint")]
    return {name.strip('"').split("us-east-1.")[1] for name in names}


def test_provider_is_that_of_the_region_and_release(build: Build) -> None:
    spec = changed(PARALLELCLUSTER, parallelcluster={"version": "3.16.1"})
    provider = only(build(spec), "AWS::CloudFormation::Stack")
    assert provider["TemplateURL"] == {
        "Fn::Sub": "https://${AWS::Region}-aws-parallelcluster.s3.${AWS::Region}."
        "${AWS::URLSuffix}/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml"
    }
    assert set(provider["Parameters"]) == {"AdditionalIamPolicies"}


def test_cluster_depends_on_all_its_resources(build: Build) -> None:
    assembly = build(PARALLELCLUSTER)
    assert order(assembly)[-1] == "test-cluster"
    custom = only(assembly, CUSTOM)
    assert custom["ClusterName"] == "test"
    assert custom["DeletionPolicy"] == "Delete"
    assert custom["ServiceToken"] == {"Fn::GetAtt": ["Provider", "Outputs.ServiceToken"]}


def test_groups_with_efa_have_a_named_placement_group(build: Build) -> None:
    assembly = build(PARALLELCLUSTER)
    queues = configuration(assembly)["Scheduling"]["SlurmQueues"]
    groups = {
        each["Name"]: each["Networking"]["PlacementGroup"]
        for queue in queues
        for each in queue["ComputeResources"]
    }
    assert groups["workers"] == {"Enabled": True, "Name": {"Ref": "PlacementGroupworkers"}}
    made = assembly.resources("AWS::EC2::PlacementGroup")
    assert {one["Properties"]["Strategy"] for one in made.values()} == {"cluster"}


@pytest.mark.parametrize("spec", [PARALLELCLUSTER, NAT], ids=["closed", "nat"])
def test_security_group_rules_match_the_count(
    spec: dict[str, Any], tmp_path: Path, build: Build
) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", spec)).cluster
    assembly = build(spec)
    outbound: dict[str, int] = {}
    for rule in properties(assembly, "AWS::EC2::SecurityGroupEgress"):
        name = security_group_name(assembly, rule["GroupId"])
        outbound[name] = outbound.get(name, 0) + 1
    # One more is in the group itself: the placeholder rule.
    assert outbound["nodes of the cluster"] + 1 == security_groups_built(cluster)["nodes"][1]


def test_nodes_can_reach_the_file_system_of_parallelcluster(build: Build) -> None:
    two = changed(PARALLELCLUSTER, network__secondary_cidrs=["10.1.0.0/24"])
    rules = properties(build(two), "AWS::EC2::SecurityGroupEgress")
    nfs = {rule["CidrIp"] for rule in rules if rule.get("FromPort") == 2049 and "CidrIp" in rule}
    assert nfs == {"10.0.0.0/16", "10.1.0.0/24"}


def test_closed_network_has_the_endpoints_of_the_guide(build: Build) -> None:
    found = services(build(PARALLELCLUSTER))
    assert {"cloudformation", "dynamodb", "ec2", "logs", "s3"} <= found
    assert {"autoscaling", "elasticloadbalancing"} <= found, "login nodes"
    assert "sagemaker.api" not in found
    without = services(build(PARALLELCLUSTER_MINIMAL))
    assert not {"autoscaling", "elasticloadbalancing"} & without
    assert services(build(NAT)) == {"dynamodb", "s3", "s3express"}


@pytest.mark.parametrize(("spec", "managed"), [(PARALLELCLUSTER, False), (NAT, True)])
def test_route_53_names_are_used_only_where_reachable(
    spec: dict[str, Any], managed: bool, build: Build
) -> None:
    dns = configuration(build(spec))["Scheduling"]["SlurmSettings"].get("Dns")
    assert dns == (None if managed else {"DisableManagedDns": True, "UseEc2Hostnames": True})


def test_secret_contains_only_the_password(build: Build) -> None:
    assembly = build(PARALLELCLUSTER)
    made = only(assembly, "AWS::SecretsManager::Secret")["GenerateSecretString"]
    assert set(made) == {"ExcludePunctuation", "PasswordLength"}
    assert assembly.resources("AWS::SecretsManager::SecretTargetAttachment") == {}
    database = only(assembly, "AWS::RDS::DBInstance")
    assert database["MasterUsername"] == "slurm"
    assert ":SecretString}}" in text_of(database["MasterUserPassword"])
    used = configuration(assembly)["Scheduling"]["SlurmSettings"]["Database"]
    assert used["UserName"] == "slurm"
