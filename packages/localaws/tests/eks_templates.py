"""Templates with EKS clusters."""

from __future__ import annotations

import base64
from typing import Any

from packages.localaws.tests.eks_parts import EksSite

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


NAME = {"Ref": "Cluster"}


SCRAPES = b"scrape_configs: [{job_name: nodes}]"


def template(site: EksSite) -> dict[str, Any]:
    workers = site.site.group("workers", 1, "ml.m5.xlarge", SlurmConfig=None)
    governed = {"DependsOn": ["Governance"]}
    return {
        "Cluster": {
            "Type": "AWS::EKS::Cluster",
            "Properties": {
                "RoleArn": site.cluster_role,
                "ResourcesVpcConfig": {
                    "SubnetIds": list(site.subnet_ids),
                    "EndpointPrivateAccess": True,
                },
                "AccessConfig": {"AuthenticationMode": "API_AND_CONFIG_MAP"},
                "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": "api"}]}},
                "Tags": [{"Key": "team", "Value": "a"}],
            },
        },
        "Metrics": {"Type": "AWS::APS::Workspace", "Properties": {"Alias": "train"}},
        "Collector": {
            "Type": "AWS::APS::Scraper",
            "Properties": {
                "Alias": "train",
                "ScrapeConfiguration": {"ConfigurationBlob": base64.b64encode(SCRAPES).decode()},
                "Source": {
                    "EksConfiguration": {
                        "ClusterArn": {"Fn::GetAtt": ["Cluster", "Arn"]},
                        "SubnetIds": list(site.subnet_ids),
                    }
                },
                "Destination": {
                    "AmpConfiguration": {"WorkspaceArn": {"Fn::GetAtt": ["Metrics", "Arn"]}}
                },
                "Tags": [{"Key": "team", "Value": "a"}],
            },
        },
        "System": {
            "Type": "AWS::EKS::Nodegroup",
            "Properties": {
                "ClusterName": NAME,
                "NodeRole": site.node_role,
                "Subnets": [site.subnet_ids[0]],
                "InstanceTypes": ["m5.xlarge"],
                "ScalingConfig": {"MinSize": 1, "MaxSize": 3, "DesiredSize": 1},
                "Labels": {"Kind": "system"},
                "Tags": {"Team": "a"},
            },
        },
        "Governance": {
            "Type": "AWS::EKS::Addon",
            "Properties": {
                "ClusterName": NAME,
                "AddonName": "amazon-sagemaker-hyperpod-taskgovernance",
            },
        },
        "Access": {
            "Type": "AWS::EKS::AccessEntry",
            "Properties": {
                "ClusterName": NAME,
                "PrincipalArn": site.pod_role,
                "AccessPolicies": [{"PolicyArn": ADMIN, "AccessScope": {"Type": "cluster"}}],
            },
        },
        "ControllersRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": {
                        "Effect": "Allow",
                        "Principal": {"Service": "capabilities.eks.amazonaws.com"},
                        "Action": ["sts:AssumeRole", "sts:TagSession"],
                    },
                }
            },
        },
        "Controllers": {
            "Type": "AWS::EKS::Capability",
            "Properties": {
                "ClusterName": NAME,
                "CapabilityName": "controllers",
                "Type": "ACK",
                "RoleArn": {"Fn::GetAtt": ["ControllersRole", "Arn"]},
                "DeletePropagationPolicy": "RETAIN",
            },
        },
        "Identity": {
            "Type": "AWS::EKS::PodIdentityAssociation",
            "Properties": {
                "ClusterName": NAME,
                "Namespace": "ml",
                "ServiceAccount": "train",
                "RoleArn": site.pod_role,
            },
        },
        "HyperPod": {
            "Type": "AWS::SageMaker::Cluster",
            "Properties": {
                "Orchestrator": {"Eks": {"ClusterArn": {"Fn::GetAtt": ["Cluster", "Arn"]}}},
                "VpcConfig": site.site.vpc_config,
                "InstanceGroups": [workers],
            },
        },
        "Policy": {
            "Type": "AWS::SageMaker::ClusterSchedulerConfig",
            "Properties": {
                "Name": "policy",
                "ClusterArn": {"Ref": "HyperPod"},
                "SchedulerConfig": {"PriorityClasses": [{"Name": "high", "Weight": 90}]},
            },
            **governed,
        },
        "Quota": {
            "Type": "AWS::SageMaker::ComputeQuota",
            "Properties": {
                "Name": "research",
                "ClusterArn": {"Ref": "HyperPod"},
                "ComputeQuotaConfig": {
                    "ComputeQuotaResources": [{"InstanceType": "ml.m5.xlarge", "Count": 1}]
                },
                "ComputeQuotaTarget": {"TeamName": "research"},
            },
            **governed,
        },
    }
