"""Templates with AWS PCS clusters."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.pcs_parts import PcsSite

CLUSTER_ID = {"Fn::GetAtt": ["Cluster", "Id"]}


def template(site: PcsSite) -> dict[str, Any]:
    """Return the resources of a cluster with one group and one queue."""
    return {
        "Cluster": {
            "Type": "AWS::PCS::Cluster",
            "Properties": {
                "Name": "train",
                "Size": "SMALL",
                "Scheduler": {"Type": "SLURM", "Version": "25.05"},
                "Networking": {
                    "SubnetIds": [site.site.subnet_id],
                    "SecurityGroupIds": [site.site.group_id],
                },
                "SlurmConfiguration": {
                    "ScaleDownIdleTimeInSeconds": 300,
                    "Accounting": {"Mode": "STANDARD"},
                    "SlurmCustomSettings": [
                        {"ParameterName": "Prolog", "ParameterValue": "/prolog.sh"}
                    ],
                },
                "Tags": {"team": "a"},
            },
        },
        "Workers": {
            "Type": "AWS::PCS::ComputeNodeGroup",
            "Properties": {
                "Name": "workers",
                "ClusterId": CLUSTER_ID,
                "SubnetIds": [site.site.subnet_id],
                "IamInstanceProfileArn": site.profile_arn,
                "AmiId": site.image_id,
                "CustomLaunchTemplate": {"TemplateId": site.template_id, "Version": "1"},
                "InstanceConfigs": [{"InstanceType": "m5.xlarge"}],
                "ScalingConfiguration": {"MinInstanceCount": 1, "MaxInstanceCount": 4},
                "NodeLifecycleActions": {
                    "Stages": {
                        "NodeBootstrapped": [
                            {
                                "Name": "prepare",
                                "ScriptSource": {
                                    "ScriptLocation": "s3://scripts/prepare.sh",
                                    "Checksum": "0" * 64,
                                },
                            }
                        ]
                    }
                },
                "Tags": {"team": "a"},
            },
        },
        "Batch": {
            "Type": "AWS::PCS::Queue",
            "Properties": {
                "Name": "batch",
                "ClusterId": CLUSTER_ID,
                "ComputeNodeGroupConfigurations": [
                    {"ComputeNodeGroupId": {"Fn::GetAtt": ["Workers", "Id"]}}
                ],
                "SlurmConfiguration": {
                    "SlurmCustomSettings": [{"ParameterName": "Default", "ParameterValue": "YES"}]
                },
                "Tags": {"team": "a"},
            },
        },
    }
