"""The provider stack of the custom resource, whose template AWS hosts.

Parameters, outputs, the function's name, its log group and its role are those of AWS's template
(`cloudformation/custom_resource/cluster.yaml` of aws/aws-parallelcluster, read at 3.13.1). The
function has no layer and no code: the handler of `Custom::PclusterCluster` does their work. The
role has the permissions that our templates need, with the restriction of AWS's policies: only
policies under `parallelcluster` are attached to a cluster's roles
(`cloudformation/policies/parallelcluster-policies.yaml`).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

FIRST_VERSION: Final = (3, 6, 0)
"""The first release with the custom resource (its change log)."""

_KEY: Final = re.compile(
    r"parallelcluster/(?P<version>3\.\d{1,2}\.\d{1,2})/templates/custom_resource/cluster\.yaml"
)

BUCKET_VARIABLE: Final = "CLUSTERWRIGHT_BUCKET"
VERSION_VARIABLE: Final = "CLUSTERWRIGHT_VERSION"


def hosted(bucket: str, key: str, region: str) -> str | None:
    """Return the template that AWS hosts at an S3 location; None where it hosts none.

    The list of releases is not known here: every number from the first one on is answered.
    """
    match = _KEY.fullmatch(key)
    if match is None or bucket != f"{region}-aws-parallelcluster":
        return None
    version = match["version"]
    if tuple(int(part) for part in version.split(".")) < FIRST_VERSION:
        return None
    return json.dumps(_template(version))


def _template(version: str) -> dict[str, Any]:
    """Return the template of the provider."""
    own_role = {"Fn::Not": [{"Fn::Equals": [{"Ref": "CustomLambdaRole"}, ""]}]}
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Description": "AWS ParallelCluster Cluster Custom Resource Provider (local emulation)",
        "Parameters": {
            "CustomLambdaRole": {"Type": "String", "Default": ""},
            "AdditionalIamPolicies": {"Type": "CommaDelimitedList", "Default": ""},
            "CustomBucket": {"Type": "String", "Default": ""},
        },
        "Conditions": {
            "CustomRoleCondition": own_role,
            "UsePCPolicies": {"Fn::Not": [{"Condition": "CustomRoleCondition"}]},
            "UseAdditionalIamPolicies": {
                "Fn::Not": [
                    {"Fn::Equals": [{"Fn::Join": ["", {"Ref": "AdditionalIamPolicies"}]}, ""]}
                ]
            },
        },
        "Resources": {
            "PclusterCustomResourceBucket": {"Type": "AWS::S3::Bucket"},
            "PclusterPolicy": {
                "Type": "AWS::IAM::ManagedPolicy",
                "Condition": "UsePCPolicies",
                "Properties": {"PolicyDocument": _rights()},
            },
            "PclusterLambdaRole": {
                "Type": "AWS::IAM::Role",
                "Condition": "UsePCPolicies",
                "Properties": {
                    "AssumeRolePolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Allow",
                                "Action": "sts:AssumeRole",
                                "Principal": {"Service": "lambda.amazonaws.com"},
                            }
                        ],
                    },
                    "ManagedPolicyArns": _policies(),
                },
            },
            "PclusterCfnFunction": _function(version),
            "PclusterCfnFunctionLogGroup": {
                "Type": "AWS::Logs::LogGroup",
                "DeletionPolicy": "Retain",
                "Properties": {
                    "RetentionInDays": 90,
                    "LogGroupName": {"Fn::Sub": "/aws/lambda/${PclusterCfnFunction}"},
                },
            },
        },
        "Outputs": {
            "ServiceToken": {"Value": {"Fn::GetAtt": ["PclusterCfnFunction", "Arn"]}},
            "LogGroupArn": {"Value": {"Fn::GetAtt": ["PclusterCfnFunctionLogGroup", "Arn"]}},
            "LambdaLayerArn": {"Value": {"Fn::Sub": [_LAYER, _SUFFIX]}},
        },
    }


def _function(version: str) -> dict[str, Any]:
    """Return the function of the provider, which has no code."""
    return {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "FunctionName": {"Fn::Sub": ["pcluster-cfn-${Suffix}", _SUFFIX]},
            "Description": "stands for AWS's provider: it runs nothing",
            "Code": {"ZipFile": "def handler(event, context):\n    pass\n"},
            "Handler": "index.handler",
            "Runtime": "python3.12",
            "MemorySize": 2048,
            "Timeout": 60,
            "Role": {
                "Fn::If": [
                    "CustomRoleCondition",
                    {"Ref": "CustomLambdaRole"},
                    {"Fn::GetAtt": ["PclusterLambdaRole", "Arn"]},
                ]
            },
            "Environment": {
                "Variables": {
                    BUCKET_VARIABLE: {"Ref": "PclusterCustomResourceBucket"},
                    VERSION_VARIABLE: version,
                }
            },
            "Tags": [
                {"Key": "parallelcluster:version", "Value": version},
                {"Key": "parallelcluster:custom_resource", "Value": "cluster"},
            ],
        },
    }


_SUFFIX: Final = {"Suffix": {"Fn::Select": [2, {"Fn::Split": ["/", {"Ref": "AWS::StackId"}]}]}}
_LAYER: Final = (
    "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:layer:PCLayer-${Suffix}:1"
)


def _policies() -> dict[str, Any]:
    own = "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
    joined = {"Fn::Join": [",", {"Ref": "AdditionalIamPolicies"}]}
    more = {
        "Fn::If": [
            "UseAdditionalIamPolicies",
            {"Fn::Sub": [",${Additional}", {"Additional": joined}]},
            "",
        ]
    }
    text = {"Fn::Sub": [own + ",${PclusterPolicy}${More}", {"More": more}]}
    return {"Fn::Split": [",", text]}


def _rights() -> dict[str, Any]:
    """Return the permissions of AWS's policies for the resources that a cluster has here."""
    here = "arn:${AWS::Partition}:iam::${AWS::AccountId}"
    roles = {"Fn::Sub": f"{here}:role/parallelcluster/*"}
    profiles = {"Fn::Sub": f"{here}:instance-profile/parallelcluster/*"}
    own = f"{here}:policy/parallelcluster"
    attachable = [
        {"Fn::Sub": f"{own}*"},
        {"Fn::Sub": f"{own}/*"},
        *(
            {"Fn::Sub": f"arn:${{AWS::Partition}}:iam::aws:policy/{name}"}
            for name in (
                "CloudWatchAgentServerPolicy",
                "AmazonSSMManagedInstanceCore",
                "AmazonS3ReadOnlyAccess",
            )
        ),
    ]
    bucket = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${PclusterCustomResourceBucket}"}
    objects = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${PclusterCustomResourceBucket}/*"}
    return {
        "Version": "2012-10-17",
        "Statement": [
            _allow(["ec2:*", "logs:*", "cloudformation:*", "fsx:Describe*"], "*"),
            _allow(["lambda:GetFunctionConfiguration"], "*"),
            _allow(["iam:Get*", "iam:List*"], "*"),
            _allow(
                [
                    "iam:CreateRole",
                    "iam:DeleteRole",
                    "iam:PutRolePolicy",
                    "iam:DeleteRolePolicy",
                    "iam:TagRole",
                    "iam:UntagRole",
                    "iam:PassRole",
                ],
                roles,
            ),
            {
                **_allow(["iam:AttachRolePolicy", "iam:DetachRolePolicy"], roles),
                "Condition": {"ArnLike": {"iam:PolicyARN": attachable}},
            },
            _allow(
                [
                    "iam:CreateInstanceProfile",
                    "iam:DeleteInstanceProfile",
                    "iam:AddRoleToInstanceProfile",
                    "iam:RemoveRoleFromInstanceProfile",
                ],
                profiles,
            ),
            _allow(["s3:*Object", "s3:ListBucket"], [bucket, objects]),
        ],
    }


def _allow(actions: list[str], resource: object) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resource}
