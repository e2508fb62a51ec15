"""Access of FSx to a linked bucket, with the service-linked role of the file system.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-service-linked-roles.html
https://docs.aws.amazon.com/fsx/latest/LustreGuide/s3-server-side-encryption-support.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.evaluation import Policies, Request, evaluate
from clusterwright_localaws.iam.policy import Policy, read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.resource_policies import resource_of
from clusterwright_localaws.services.ec2.zones import partition_of
from clusterwright_localaws.services.fsx.state import Association
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_KEY_ACTIONS = ("kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey")
_OWN_RIGHTS = read_policy(
    {
        "Version": "2012-10-17",
        "Statement": {
            "Effect": "Allow",
            "Action": [
                "s3:AbortMultipartUpload",
                "s3:DeleteObject",
                "s3:Get*",
                "s3:List*",
                "s3:PutBucketNotification",
                "s3:PutObject",
            ],
            "Resource": "*",
        },
    }
)


def refusal(association: Association) -> str | None:
    """Return why the role of the file system cannot use the bucket, or None."""
    found = next(_refusals(association), None)
    if found is None:
        return _overlap(association)
    action, resource = found
    return (
        f"Amazon FSx is not authorized to perform {action} on {resource}: check the policies of "
        "the bucket and of its key."
    )


def _overlap(association: Association) -> str | None:
    """Return the notification of the bucket that needs the events of automatic import, or None.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/dra-lifecycles.html
    """
    parts = urlsplit(association.request["DataRepositoryPath"])
    bucket = find_bucket(parts.netloc)
    there = bucket.notification_configuration if bucket is not None else None
    if there is None:
        return None
    settings = association.request.get("S3") or {}
    imported = (settings.get("AutoImportPolicy") or {}).get("Events") or ()
    wanted = {_EVENTS[event] for event in imported}
    prefix = parts.path.strip("/")
    for one in (*there.topic, *there.queue, *there.cloud_function):
        rules = (one.filters.get("S3Key") or {}).get("FilterRule") or ()
        other = next((r["Value"] for r in rules if r["Name"].lower() == "prefix"), "")
        same = any(event.startswith(tuple(wanted)) for event in one.events) if wanted else False
        if same and (other.startswith(prefix) or prefix.startswith(other)):
            return (
                f"The S3 bucket {parts.netloc} has an event notification, {one.id}, that overlaps "
                "with the event types of Amazon FSx."
            )
    return None


_EVENTS = {
    "NEW": "s3:ObjectCreated:",
    "CHANGED": "s3:ObjectCreated:",
    "DELETED": "s3:ObjectRemoved:",
}


def _refusals(association: Association) -> Iterator[tuple[str, str]]:
    caller = _role(association)
    partition = partition_of(association.file_system.region)
    parts = urlsplit(association.request["DataRepositoryPath"])
    bucket = f"arn:{partition}:s3:::{parts.netloc}"
    prefix = parts.path.strip("/")
    objects = f"{bucket}/{prefix}/file" if prefix else f"{bucket}/file"
    known = {"aws:SecureTransport": "true", "aws:RequestedRegion": association.file_system.region}
    for action, resource in _wanted(association.request.get("S3") or {}, bucket, objects):
        parameters = Policies(identity=(_OWN_RIGHTS,), resource=_policy_of(resource, action))
        if not _allows(caller, action, resource, known, parameters):
            yield action, resource
    key = _key_of(parts.netloc)
    if key is None:
        return
    arn, bucket_key = key
    known = {
        "kms:CallerAccount": caller.account,
        "kms:ViaService": f"s3.{association.file_system.region}.{_suffix(partition)}",
        "kms:EncryptionContext:aws:s3:arn": bucket if bucket_key else objects,
    }
    for action in _KEY_ACTIONS:
        parameters = Policies(resource=_policy_of(arn, action), resource_must_allow=True)
        if not _allows(caller, action, arn, known, parameters):
            yield action, arn


def _wanted(settings: Mapping[str, Any], bucket: str, objects: str) -> Iterator[tuple[str, str]]:
    yield "s3:ListBucket", bucket
    yield "s3:GetObject", objects
    if (settings.get("AutoImportPolicy") or {}).get("Events"):
        yield "s3:PutBucketNotification", bucket
    exported = (settings.get("AutoExportPolicy") or {}).get("Events") or ()
    if exported:
        yield "s3:PutObject", objects
    if "DELETED" in exported:
        yield "s3:DeleteObject", objects


def _role(association: Association) -> Caller:
    owner = association.file_system
    name = f"AWSServiceRoleForFSxS3Access_{owner.id}"
    path = f"aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/{name}"
    partition = partition_of(owner.region)
    return Caller(
        "role",
        owner.account,
        f"arn:{partition}:sts::{owner.account}:assumed-role/{name}/fsx",
        f"arn:{partition}:iam::{owner.account}:role/{path}",
    )


def _allows(
    caller: Caller, action: str, resource: str, known: Mapping[str, str], policies: Policies
) -> bool:
    context = RequestContext(
        {
            "aws:PrincipalArn": caller.principal_arn,
            "aws:PrincipalAccount": caller.account,
            "aws:PrincipalIsAWSService": "false",
            "aws:PrincipalType": "AssumedRole",
            **known,
        }
    )
    owner = resource_of(resource, action).account
    return evaluate(Request(caller, action, resource, context, owner), policies).allowed


def _policy_of(resource: str, action: str) -> Policy | None:
    return resource_of(resource, action).policy


def _key_of(bucket: str) -> tuple[str, bool] | None:
    """Return the customer managed key of a bucket, and whether it uses a bucket key."""
    found = find_bucket(bucket)
    rule = ((found.encryption or {}) if found is not None else {}).get("Rule") or {}
    rule = rule[0] if isinstance(rule, list) else rule
    arn = str((rule.get("ApplyServerSideEncryptionByDefault") or {}).get("KMSMasterKeyID") or "")
    # Unknown keys are not checked; AWS managed keys allow the account.
    if not arn.startswith("arn:") or resource_of(arn, "kms:Decrypt").policy is None:
        return None
    return arn, str(rule.get("BucketKeyEnabled")).lower() == "true"


def _suffix(partition: str) -> str:
    return "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
