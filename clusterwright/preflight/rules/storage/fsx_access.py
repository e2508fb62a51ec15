"""Access that FSx needs to a bucket and its key, as requests to their policies.

FSx accesses a data repository bucket with a service-linked role per file system
(FSx for Lustre user guide, "Using service-linked roles for Amazon FSx" and "Working with
server-side encrypted Amazon S3 buckets").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.cluster_spec.models.storage import Repository
from clusterwright.preflight.rule import Context
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest

ROLE_PATH: Final = "aws-service-role/s3.data-source.lustre.fsx.amazonaws.com"
NEW_FILE_SYSTEM: Final = "fs-00000000000000000"
"""The id of a file system that does not exist yet: only patterns can match its role."""

KEY_ACTIONS: Final = ("kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey")


def dns_suffix(context: Context) -> str:
    """The DNS suffix of AWS's services."""
    return "amazonaws.com.cn" if context.cluster.partition == "aws-cn" else "amazonaws.com"


def role_arns(context: Context, file_system_ids: Iterable[str]) -> tuple[str, ...]:
    """The roles of existing file systems, or that of a new one."""
    cluster = context.cluster
    identities = tuple(file_system_ids) or (NEW_FILE_SYSTEM,)
    return tuple(
        f"arn:{cluster.partition}:iam::{cluster.account}:role/{ROLE_PATH}/"
        f"AWSServiceRoleForFSxS3Access_{identity}"
        for identity in identities
    )


def bucket_requests(
    context: Context, bucket: str, repositories: Iterable[Repository], role_arn: str
) -> list[PolicyRequest]:
    """The requests of the role in the bucket for these repositories."""
    cluster = context.cluster
    known = {
        "aws:PrincipalArn": role_arn,
        "aws:PrincipalAccount": cluster.account,
        "aws:PrincipalType": "AssumedRole",
        "aws:PrincipalIsAWSService": "false",
        "aws:SecureTransport": "true",
        "aws:RequestedRegion": cluster.region,
    }
    arn = f"arn:{cluster.partition}:s3:::{bucket}"
    asked = {("s3:ListBucket", arn)}
    for repository in repositories:
        prefix = repository.s3.removeprefix("s3://").partition("/")[2].strip("/")
        objects = f"{arn}/{prefix}/file" if prefix else f"{arn}/file"
        asked.add(("s3:GetObject", objects))
        if repository.import_events:
            asked.add(("s3:PutBucketNotification", arn))
        if repository.export_events:
            asked.add(("s3:PutObject", objects))
        if "DELETED" in repository.export_events:
            asked.add(("s3:DeleteObject", objects))
    return [
        PolicyRequest(action, resource, cluster.account, role_arn, context=known)
        for action, resource in sorted(asked)
    ]


def key_requests(
    context: Context, bucket: str, role_arn: str, *, bucket_key: bool
) -> list[PolicyRequest]:
    """The requests of the role for the key of the bucket, through S3."""
    cluster = context.cluster
    arn = f"arn:{cluster.partition}:s3:::{bucket}"
    known = {
        "aws:PrincipalArn": role_arn,
        "aws:PrincipalAccount": cluster.account,
        "aws:PrincipalType": "AssumedRole",
        "kms:CallerAccount": cluster.account,
        "kms:ViaService": f"s3.{cluster.region}.{dns_suffix(context)}",
        # With a bucket key the context is the bucket, else the object (a note in the guide).
        "kms:EncryptionContext:aws:s3:arn": arn if bucket_key else f"{arn}/file",
        "kms:GrantIsForAWSResource": "false",
    }
    return [
        PolicyRequest(action, "*", cluster.account, role_arn, context=known)
        for action in KEY_ACTIONS
    ]
