"""Reads of objects that do not exist, by callers who may not list the bucket.

"If you don't have the s3:ListBucket permission, Amazon S3 returns an HTTP status code 403":
https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.iam import denials
from clusterwright_localaws.iam.enforcement import decide
from clusterwright_localaws.iam.inside import acting
from clusterwright_localaws.iam.requirements import Need
from clusterwright_localaws.services.s3.world_buckets import find_version

_ACTION = "s3:ListBucket"


def check_listing(call: Call, bucket: Any) -> None:
    """Refuse to say that an object does not exist to a caller who may not list the bucket.

    Raises
    ------
    AwsError
        AccessDenied.
    """
    request, caller = call.parameters, acting()
    if call.world.iam != "enforced" or caller is None or request.get("VersionId"):
        return
    if find_version(bucket, str(request["Key"]), None) is not None:
        return
    need = Need(_ACTION, f"arn:{call.partition}:s3:::{bucket.name}")
    decision = decide(call.runtime, caller, need, call.region)
    if not decision.allowed:
        raise denials.refusal("s3", caller, _ACTION, need.resource, decision)
