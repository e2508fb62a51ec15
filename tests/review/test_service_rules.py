"""What services do with updates in place, and to which nodes by their references."""

from __future__ import annotations

from typing import Any

from clusterwright.review.results import ServiceRule
from clusterwright.review.service_rules import service_rules
from tests.review.templates import analysis, app, export, resource, stack

NODES = {"InstanceGroupName": "workers", "ExecutionRole": {"Fn::GetAtt": ["Role", "Arn"]}}


def network(port: str | None = None) -> dict[str, Any]:
    resources = {"Group": resource("AWS::EC2::SecurityGroup", GroupDescription="nodes")}
    if port is not None:
        resources["Rule"] = resource(
            "AWS::EC2::SecurityGroupIngress",
            GroupId={"Fn::GetAtt": ["Group", "GroupId"]},
            FromPort=port,
        )
    return stack(resources, Outputs={"G": export("group", {"Fn::GetAtt": ["Group", "GroupId"]})})


def cluster(action: str = "s3:GetObject", script: str = "one") -> dict[str, Any]:
    group = {**NODES, "LifeCycleConfig": {"SourceS3Uri": script}}
    return stack(
        {
            "Role": resource("AWS::IAM::Role", AssumeRolePolicyDocument={}),
            "Policy": resource(
                "AWS::IAM::Policy",
                PolicyName="p",
                PolicyDocument={"Statement": [{"Action": action}]},
                Roles=[{"Ref": "Role"}],
            ),
            "Other": resource("AWS::IAM::Role", Policies=[{"PolicyName": action}]),
            "Cluster": resource(
                "AWS::SageMaker::Cluster",
                InstanceGroups=[group],
                VpcConfig={"SecurityGroupIds": [{"Fn::ImportValue": "group"}]},
            ),
        }
    )


def rules(before: dict[str, Any], after: dict[str, Any]) -> dict[str, ServiceRule]:
    found = service_rules(analysis(app(**before), app(**after)))
    return {f"{rule.where}.{rule.property}": rule for rule in found}


def test_rule_of_a_security_group_reaches_running_nodes() -> None:
    found = rules({"net": network(), "c": cluster()}, {"net": network("22"), "c": cluster()})
    rule = found["net/Rule.GroupId"]
    assert (rule.nodes, rule.users) == ("at-once", ("c/Cluster",))
    assert rule.message.startswith("a rule is added")
    gone = rules({"net": network("22"), "c": cluster()}, {"net": network(), "c": cluster()})
    assert gone["net/Rule.GroupId"].message.startswith("a rule is removed")


def test_policy_of_a_role_reaches_the_nodes_with_the_role() -> None:
    net = network()
    found = rules({"net": net, "c": cluster()}, {"net": net, "c": cluster("s3:*")})
    assert found["c/Policy.PolicyDocument"].users == ("c/Cluster",)
    assert found["c/Policy.PolicyDocument"].nodes == "at-once"
    assert found["c/Other.Policies"].users == ()


def test_scripts_reach_new_nodes_only() -> None:
    net = network()
    found = rules({"net": net, "c": cluster()}, {"net": net, "c": cluster(script="two")})
    (rule,) = found.values()
    assert rule.property == "InstanceGroups[workers].LifeCycleConfig"
    assert rule.nodes == "new"
    assert rule.users == ()


def test_new_stack_has_no_updates() -> None:
    assert rules({}, {"net": network("22"), "c": cluster()}) == {}
    same = {"net": network("22"), "c": cluster()}
    assert rules(same, same) == {}


def test_launch_template_reaches_its_node_group() -> None:
    def nodes(data: str) -> dict[str, Any]:
        return stack(
            {
                "Template": resource(
                    "AWS::EC2::LaunchTemplate", LaunchTemplateData={"UserData": data}
                ),
                "Group": resource(
                    "AWS::EKS::Nodegroup",
                    LaunchTemplate={
                        "Id": {"Ref": "Template"},
                        "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
                    },
                ),
                "Fixed": resource("AWS::EKS::Nodegroup", LaunchTemplate={"Id": "lt-1"}),
            }
        )

    found = rules({"c": nodes("a")}, {"c": nodes("b")})
    rule = found["c/Template.LaunchTemplateData"]
    assert (rule.nodes, rule.users) == ("rolling", ("c/Group",))
