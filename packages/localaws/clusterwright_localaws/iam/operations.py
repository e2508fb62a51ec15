"""The actions that an operation requires, if they differ from its name.

S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
Lambda: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.iam import actions

# Nobody needs a permission for these:
# https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
# https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_control-access_getsessiontoken.html
FREE = frozenset({("sts", "GetCallerIdentity"), ("sts", "GetSessionToken")})

# Unsigned: the token in the request authenticates the caller.
UNSIGNED = frozenset({("sts", "AssumeRoleWithWebIdentity"), ("sts", "AssumeRoleWithSAML")})
# Also unsigned: whoever has a message may visit the SubscribeURL or the UnsubscribeURL in it. What
# such a visit may end, SNS decides.
# https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
# https://docs.aws.amazon.com/sns/latest/api/API_Unsubscribe.html
VISITED = frozenset({("sns", "ConfirmSubscription"), ("sns", "Unsubscribe")})

_S3 = {
    "CompleteMultipartUpload": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "UploadPartCopy": "PutObject",
    "CopyObject": "PutObject",
    "DeleteObjects": "DeleteObject",
    "HeadObject": "GetObject",
    "SelectObjectContent": "GetObject",
    "HeadBucket": "ListBucket",
    "ListObjects": "ListBucket",
    "ListObjectsV2": "ListBucket",
    "ListObjectVersions": "ListBucketVersions",
    "ListMultipartUploads": "ListBucketMultipartUploads",
    "ListParts": "ListMultipartUploadParts",
    "ListBuckets": "ListAllMyBuckets",
    "GetBucketAccelerateConfiguration": "GetAccelerateConfiguration",
    "PutBucketAccelerateConfiguration": "PutAccelerateConfiguration",
    "GetBucketAnalyticsConfiguration": "GetAnalyticsConfiguration",
    "ListBucketAnalyticsConfigurations": "GetAnalyticsConfiguration",
    "PutBucketAnalyticsConfiguration": "PutAnalyticsConfiguration",
    "DeleteBucketAnalyticsConfiguration": "PutAnalyticsConfiguration",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "PutBucketEncryption": "PutEncryptionConfiguration",
    "DeleteBucketEncryption": "PutEncryptionConfiguration",
    "GetBucketIntelligentTieringConfiguration": "GetIntelligentTieringConfiguration",
    "ListBucketIntelligentTieringConfigurations": "GetIntelligentTieringConfiguration",
    "PutBucketIntelligentTieringConfiguration": "PutIntelligentTieringConfiguration",
    "DeleteBucketIntelligentTieringConfiguration": "PutIntelligentTieringConfiguration",
    "GetBucketInventoryConfiguration": "GetInventoryConfiguration",
    "ListBucketInventoryConfigurations": "GetInventoryConfiguration",
    "PutBucketInventoryConfiguration": "PutInventoryConfiguration",
    "DeleteBucketInventoryConfiguration": "PutInventoryConfiguration",
    "GetBucketLifecycle": "GetLifecycleConfiguration",
    "GetBucketLifecycleConfiguration": "GetLifecycleConfiguration",
    "PutBucketLifecycle": "PutLifecycleConfiguration",
    "PutBucketLifecycleConfiguration": "PutLifecycleConfiguration",
    "DeleteBucketLifecycle": "PutLifecycleConfiguration",
    "GetBucketMetricsConfiguration": "GetMetricsConfiguration",
    "ListBucketMetricsConfigurations": "GetMetricsConfiguration",
    "PutBucketMetricsConfiguration": "PutMetricsConfiguration",
    "DeleteBucketMetricsConfiguration": "PutMetricsConfiguration",
    "GetBucketNotificationConfiguration": "GetBucketNotification",
    "PutBucketNotificationConfiguration": "PutBucketNotification",
    "GetBucketReplication": "GetReplicationConfiguration",
    "PutBucketReplication": "PutReplicationConfiguration",
    "DeleteBucketReplication": "PutReplicationConfiguration",
    "GetObjectLockConfiguration": "GetBucketObjectLockConfiguration",
    "PutObjectLockConfiguration": "PutBucketObjectLockConfiguration",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "PutPublicAccessBlock": "PutBucketPublicAccessBlock",
    "DeletePublicAccessBlock": "PutBucketPublicAccessBlock",
    "DeleteBucketCors": "PutBucketCORS",
    "DeleteBucketTagging": "PutBucketTagging",
    "DeleteBucketOwnershipControls": "PutBucketOwnershipControls",
}
# With ?versionId= these are actions of their own.
_S3_VERSIONS = {
    "GetObject": "GetObjectVersion",
    "DeleteObject": "DeleteObjectVersion",
    "GetObjectAcl": "GetObjectVersionAcl",
    "PutObjectAcl": "PutObjectVersionAcl",
    "GetObjectTagging": "GetObjectVersionTagging",
    "PutObjectTagging": "PutObjectVersionTagging",
    "DeleteObjectTagging": "DeleteObjectVersionTagging",
}
_OTHERS: dict[tuple[str, str], str] = {
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListDirectoryBuckets.html
    ("s3", "ListDirectoryBuckets"): "s3express:ListAllMyDirectoryBuckets",
    ("lambda", "Invoke"): "lambda:InvokeFunction",
    ("lambda", "InvokeWithResponseStream"): "lambda:InvokeFunction",
    ("lambda", "GetLayerVersionByArn"): "lambda:GetLayerVersion",
    ("sns", "PublishBatch"): "sns:Publish",
    ("sqs", "SendMessageBatch"): "sqs:SendMessage",
    ("sqs", "DeleteMessageBatch"): "sqs:DeleteMessage",
    ("sqs", "ChangeMessageVisibilityBatch"): "sqs:ChangeMessageVisibility",
    ("dynamodb", "TransactGetItems"): "dynamodb:GetItem",
    ("dynamodb", "TransactWriteItems"): "dynamodb:PutItem",
}


def action_names(service: str, operation: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the actions that an operation itself needs, as `prefix:Name`."""
    if service == "s3" and (service, operation) not in _OTHERS:
        name = _S3.get(operation, operation)
        if parameters.get("VersionId") and name in _S3_VERSIONS:
            name = _S3_VERSIONS[name]
        return [f"s3:{name}"]
    if service == "budgets":
        # https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsbudgetservice.html
        reads = operation.startswith(("Describe", "List", "Get"))
        if actions.action_of(f"budgets:{operation}") is None:
            return ["budgets:ViewBudget" if reads else "budgets:ModifyBudget"]
    if (service, operation) == ("kms", "ReEncrypt"):
        return ["kms:ReEncryptFrom", "kms:ReEncryptTo"]
    if (service, operation) in _OTHERS:
        return [_OTHERS[service, operation]]
    return [f"{actions.prefix_of(service)}:{operation}"]
