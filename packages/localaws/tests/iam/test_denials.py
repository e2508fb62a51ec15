"""Refusals in the words, codes and statuses of each service."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    REGION,
    allow,
    deny,
    refused,
    user,
)

BECAUSE = "because no identity-based policy allows the"


@pytest.mark.usefixtures("enforced")
class TestWords:
    @pytest.mark.parametrize(
        ("service", "operation", "parameters", "status", "code", "action", "resource"),
        [
            ("ec2", "create_vpc", {"CidrBlock": "10.0.0.0/16"}, 403, "UnauthorizedOperation",
             "ec2:CreateVpc", f"arn:aws:ec2:{REGION}:{ACCOUNT}:vpc/*"),
            ("s3", "list_buckets", {}, 403, "AccessDenied", "s3:ListAllMyBuckets", '"*"'),
            ("s3", "get_object", {"Bucket": "b-1", "Key": "k/x"}, 403, "AccessDenied",
             "s3:GetObject", '"arn:aws:s3:::b-1/k/x"'),
            ("s3", "list_objects_v2", {"Bucket": "b-1"}, 403, "AccessDenied",
             "s3:ListBucket", '"arn:aws:s3:::b-1"'),
            ("fsx", "create_file_system",
             {"FileSystemType": "LUSTRE", "StorageCapacity": 1200,
              "SubnetIds": ["subnet-12345678"]},
             400, "AccessDeniedException", "fsx:CreateFileSystem",
             f"arn:aws:fsx:{REGION}:{ACCOUNT}:file-system/*"),
            ("eks", "describe_cluster", {"name": "c1"}, 403, "AccessDeniedException",
             "eks:DescribeCluster", f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/c1"),
            ("sagemaker", "list_clusters", {}, 400, "AccessDeniedException",
             "sagemaker:ListClusters", "*"),
            ("logs", "create_log_group", {"logGroupName": "/a/b"}, 400, "AccessDeniedException",
             "logs:CreateLogGroup", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/a/b:log-stream:"),
            ("iam", "create_role", {"RoleName": "r", "Path": "/p/",
              "AssumeRolePolicyDocument": "{}"},
             403, "AccessDenied", "iam:CreateRole", f"arn:aws:iam::{ACCOUNT}:role/p/r"),
            ("cloudformation", "describe_stacks", {"StackName": "s"}, 403, "AccessDenied",
             "cloudformation:DescribeStacks",
             f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/s/*"),
            ("sns", "create_topic", {"Name": "t"}, 403, "AuthorizationError", "sns:CreateTopic",
             f"arn:aws:sns:{REGION}:{ACCOUNT}:t"),
            ("service-quotas", "list_services", {}, 400, "AccessDeniedException",
             "servicequotas:ListServices", "*"),
            ("amp", "list_workspaces", {}, 403, "AccessDeniedException", "aps:ListWorkspaces",
             "*"),
            ("ssm", "get_parameter", {"Name": "/a/b"}, 400, "AccessDeniedException",
             "ssm:GetParameter", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/a/b"),
            ("rds", "delete_db_instance", {"DBInstanceIdentifier": "d"}, 403, "AccessDenied",
             "rds:DeleteDBInstance", f"arn:aws:rds:{REGION}:{ACCOUNT}:db:d"),
        ],
    )  # fmt: skip
    def test_denial_message_of_each_service(
        self, service: str, operation: str, parameters: dict[str, Any], status: int, code: str,
        action: str, resource: str,
    ) -> None:  # fmt: skip
        found = refused(getattr(user("ann")(service), operation), **parameters)
        assert found[:2] == (status, code)
        sentence = (
            f"User: arn:aws:iam::{ACCOUNT}:user/ann is not authorized to perform: {action} on "
            f"resource: {resource} {BECAUSE} {action} action"
        )
        prefix = "You are not authorized to perform this operation. " if service == "ec2" else ""
        assert found[2] == prefix + sentence

    def test_denial_message_of_an_explicit_deny(self) -> None:
        ann = user("ann", allow("s3:*"), deny("s3:DeleteBucket"))
        ann("s3").create_bucket(Bucket="anns-bucket")
        found = refused(ann("s3").delete_bucket, Bucket="anns-bucket")
        assert found[2].endswith("with an explicit deny in an identity-based policy")
