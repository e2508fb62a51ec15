"""Permissions of the load balancer controller and KEDA of HyperPod's inference operator.

The controller's permissions are those of kubernetes-sigs/aws-load-balancer-controller v2.13.0
(docs/install/iam_policy.json), as AWS's own template has them (aws/sagemaker-hyperpod-cluster-
setup, eks/cloudformation/inference-addon-iam-roles-template.yaml, commit 3bee904), narrowed to the
account, the region and the VPC where the actions take resources. KEDA's are of the same template,
narrowed to the cluster's workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.identity.node_statements import arn

_TAG = "elbv2.k8s.aws/cluster"
"""The controller's tag, which identifies its resources."""

_OWN = {"Null": {f"aws:ResourceTag/{_TAG}": "false"}}
_BECOMES_OWN = {"Null": {f"aws:RequestTag/{_TAG}": "false"}}
_KEEPS_TAG = {"Null": {f"aws:RequestTag/{_TAG}": "true", f"aws:ResourceTag/{_TAG}": "false"}}


def load_balancer_permissions(cluster: Cluster) -> list[iam.PolicyStatement]:
    """Statements of the controller's role."""
    return [iam.PolicyStatement(**each) for each in _load_balancer(cluster)]


def load_balancer_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The wildcards of the statements, each with the reason."""
    yield "Resource::*", "these actions have no resource types, or the resource does not exist yet"
    for service, resource in (
        ("ec2", "security-group/*"),
        ("ec2", "vpc/*"),
        *(("elasticloadbalancing", each) for each in (*_BALANCERS, *_LISTENERS, *_RULES)),
    ):
        yield (
            f"Resource::{arn(cluster, service, resource)}",
            "load balancers and their groups have no id yet; the controller's tag limits it",
        )


def scaler_permissions(cluster: Cluster, workspace_arn: str | None) -> list[iam.PolicyStatement]:
    """Statements of KEDA's role: read the metrics by which endpoints are scaled."""
    del cluster
    found = [
        iam.PolicyStatement(
            sid="Metrics",
            actions=[
                "cloudwatch:GetMetricData",
                "cloudwatch:GetMetricStatistics",
                "cloudwatch:ListMetrics",
            ],
            resources=["*"],
        )
    ]
    if workspace_arn is not None:
        found.append(
            iam.PolicyStatement(
                sid="Workspace",
                actions=[
                    "aps:GetLabels",
                    "aps:GetMetricMetadata",
                    "aps:GetSeries",
                    "aps:QueryMetrics",
                ],
                resources=[workspace_arn],
            )
        )
    return found


_BALANCERS = ("loadbalancer/app/*/*", "loadbalancer/net/*/*", "targetgroup/*/*")
_LISTENERS = ("listener/app/*/*/*", "listener/net/*/*/*")
_RULES = ("listener-rule/app/*/*/*", "listener-rule/net/*/*/*")


def _elb(cluster: Cluster, *resources: str) -> list[str]:
    return [arn(cluster, "elasticloadbalancing", resource) for resource in resources]


def _load_balancer(cluster: Cluster) -> Iterator[dict[str, Any]]:
    yield {
        "sid": "ServiceLinkedRole",
        "actions": ["iam:CreateServiceLinkedRole"],
        "resources": ["*"],
        "conditions": {
            "StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}
        },
    }
    yield {
        "sid": "Look",
        "actions": [
            *(
                f"ec2:Describe{what}"
                for what in (
                    *("AccountAttributes", "Addresses", "AvailabilityZones", "CoipPools"),
                    *("Instances", "InternetGateways", "IpamPools", "NetworkInterfaces"),
                    *("RouteTables", "SecurityGroups", "Subnets", "Tags"),
                    *("VpcPeeringConnections", "Vpcs"),
                )
            ),
            "ec2:GetCoipPoolUsage",
            "ec2:GetSecurityGroupsForVpc",
            *(
                f"elasticloadbalancing:Describe{what}"
                for what in (
                    *("CapacityReservation", "ListenerAttributes", "ListenerCertificates"),
                    *("Listeners", "LoadBalancerAttributes", "LoadBalancers", "Rules"),
                    *("SSLPolicies", "Tags", "TargetGroupAttributes", "TargetGroups"),
                    *("TargetHealth", "TrustStores"),
                )
            ),
        ],
        "resources": ["*"],
    }
    yield {
        "sid": "CertificatesAndShields",
        "actions": [
            "acm:DescribeCertificate",
            "acm:ListCertificates",
            "cognito-idp:DescribeUserPoolClient",
            "iam:GetServerCertificate",
            "iam:ListServerCertificates",
            *(f"shield:{verb}Protection" for verb in ("Create", "Delete", "Describe")),
            "shield:GetSubscriptionState",
            *(
                f"{service}:{verb}"
                for service in ("waf-regional", "wafv2")
                for verb in (
                    *("AssociateWebACL", "DisassociateWebACL"),
                    *("GetWebACL", "GetWebACLForResource"),
                )
            ),
        ],
        "resources": ["*"],
    }
    yield from _security_groups(cluster)
    yield from _balancers(cluster)


def _security_groups(cluster: Cluster) -> Iterator[dict[str, Any]]:
    groups = [arn(cluster, "ec2", "security-group/*")]
    yield {
        "sid": "LetBalancersIn",
        "actions": ["ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"],
        "resources": groups,
    }
    yield {
        "sid": "MakeGroups",
        "actions": ["ec2:CreateSecurityGroup"],
        "resources": [*groups, arn(cluster, "ec2", "vpc/*")],
    }
    yield {
        "sid": "TagNewGroups",
        "actions": ["ec2:CreateTags"],
        "resources": groups,
        "conditions": {
            "StringEquals": {"ec2:CreateAction": "CreateSecurityGroup"},
            **_BECOMES_OWN,
        },
    }
    yield {
        "sid": "TagOwnGroups",
        "actions": ["ec2:CreateTags", "ec2:DeleteTags"],
        "resources": groups,
        "conditions": _KEEPS_TAG,
    }
    yield {
        "sid": "DeleteOwnGroups",
        "actions": ["ec2:DeleteSecurityGroup"],
        "resources": groups,
        "conditions": _OWN,
    }


def _balancers(cluster: Cluster) -> Iterator[dict[str, Any]]:
    def allow(
        sid: str,
        verbs: tuple[str, ...],
        resources: list[str],
        conditions: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {
            "sid": sid,
            "actions": [f"elasticloadbalancing:{verb}" for verb in verbs],
            "resources": resources,
            **({"conditions": conditions} if conditions else {}),
        }

    yield allow("Make", ("CreateLoadBalancer", "CreateTargetGroup"), ["*"], _BECOMES_OWN)
    yield allow(
        "ListenersAndRules",
        ("CreateListener", "CreateRule", "DeleteListener", "DeleteRule"),
        ["*"],
    )
    yield allow("Tag", ("AddTags", "RemoveTags"), _elb(cluster, *_BALANCERS), _KEEPS_TAG)
    yield allow("TagListeners", ("AddTags", "RemoveTags"), _elb(cluster, *_LISTENERS, *_RULES))
    yield allow(
        "TagNew",
        ("AddTags",),
        _elb(cluster, *_BALANCERS),
        {
            "StringEquals": {
                "elasticloadbalancing:CreateAction": ["CreateTargetGroup", "CreateLoadBalancer"]
            },
            **_BECOMES_OWN,
        },
    )
    yield allow(
        "ChangeOwn",
        (
            *("DeleteLoadBalancer", "DeleteTargetGroup", "ModifyCapacityReservation"),
            *("ModifyIpPools", "ModifyListenerAttributes", "ModifyLoadBalancerAttributes"),
            *("ModifyTargetGroup", "ModifyTargetGroupAttributes", "SetIpAddressType"),
            *("SetSecurityGroups", "SetSubnets"),
        ),
        ["*"],
        _OWN,
    )
    yield allow(
        "Targets", ("DeregisterTargets", "RegisterTargets"), _elb(cluster, "targetgroup/*/*")
    )
    yield allow(
        "ChangeListeners",
        (
            *("AddListenerCertificates", "ModifyListener", "ModifyRule"),
            *("RemoveListenerCertificates", "SetRulePriorities", "SetWebAcl"),
        ),
        ["*"],
    )
