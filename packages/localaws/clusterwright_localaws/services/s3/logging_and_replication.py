"""Configurations of server access logs and replication of buckets; nothing is written or copied.

moto asks for permissions that S3 does not check when logging is configured, keeps few members of
replication rules, and does not look at the destination.
Errors recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_US_EAST_1: Final = "us-east-1"
_ENABLED: Final = "Enabled"
_ARN: Final = ":::"
_ID_LETTERS: Final = 48


@operation("s3", "PutBucketLogging")
def put_logging(call: Call) -> Mapping[str, Any]:
    bucket = _existing(call)
    given = call.parameters["BucketLoggingStatus"].get("LoggingEnabled")
    if not given:
        bucket.logging = {}
        return {}
    target = find_bucket(given["TargetBucket"])
    if target is None or target.account_id != bucket.account_id:
        raise AwsError(
            "InvalidTargetBucketForLogging",
            "The target bucket for logging does not exist",
            400,
            TargetBucket=given["TargetBucket"],
        )
    if target.region_name != bucket.region_name:
        source = {"SourceBucketLocation": bucket.region_name}
        raise AwsError(
            "CrossLocationLoggingProhibitted",  # as S3 writes it
            "Cross S3 location logging not allowed. ",
            403,
            **({} if bucket.region_name == _US_EAST_1 else source),
            TargetBucketLocation=target.region_name,
        )
    bucket.logging = {"TargetPrefix": "", **given}
    return {}


@operation("s3", "GetBucketLogging")
def get_logging(call: Call) -> Mapping[str, Any]:
    kept = _existing(call).logging
    return {"LoggingEnabled": kept} if kept else {}


@operation("s3", "PutBucketReplication")
def put_replication(call: Call) -> Mapping[str, Any]:
    bucket = _existing(call)
    given = call.parameters["ReplicationConfiguration"]
    if not given.get("Rules"):
        raise malformed()
    if bucket.versioning_status != _ENABLED:
        raise _invalid(
            "Versioning must be 'Enabled' on the bucket to apply a replication configuration"
        )
    rules = []
    for rule in given["Rules"]:
        target = find_bucket(rule["Destination"]["Bucket"].rpartition(_ARN)[2])
        if target is None or target.versioning_status != _ENABLED:
            raise _invalid("Destination bucket must have versioning enabled.")
        rules.append({"ID": _new_id(), **rule})
    bucket.replication = {**given, "Rules": rules}
    return {}


@operation("s3", "GetBucketReplication")
def get_replication(call: Call) -> Mapping[str, Any]:
    kept = getattr(_existing(call), "replication", None)
    if not kept:
        raise ForwardToMoto
    return {"ReplicationConfiguration": kept}


def _existing(call: Call) -> Any:
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    return bucket


def _new_id() -> str:
    letters = string.ascii_letters + string.digits
    return "".join(secrets.choice(letters) for _ in range(_ID_LETTERS))


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidRequest", message, 400)
