"""Buckets."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from clusterwright.aws.errors import AwsUnavailable, is_not_found, none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Bucket:
    """An accessible bucket. `region` is None if S3 does not return it."""

    name: str
    region: str | None


def bucket(session: AwsSession, name: str) -> Bucket | None:
    """Return a bucket from HeadBucket; None if there is none of that name.

    Raises
    ------
    AwsUnavailable
        Also if the bucket exists and this identity may not access it (403): whether the cluster
        may is then unknown.
    """
    try:
        answer = session.call("s3", "HeadBucket", Bucket=name)
    except AwsUnavailable as error:
        if is_not_found(error):
            return None
        if error.code in ("301", "PermanentRedirect", "400", "BadRequest"):
            return Bucket(name, _location(session, name))
        raise
    return Bucket(name, answer.get("BucketRegion"))


def _location(session: AwsSession, name: str) -> str | None:
    # GetBucketLocation answers from any region; us-east-1 is an empty answer, EU is eu-west-1.
    found = session.call("s3", "GetBucketLocation", Bucket=name).get("LocationConstraint")
    return {None: "us-east-1", "": "us-east-1", "EU": "eu-west-1"}.get(found, found)


@dataclass(frozen=True)
class BucketEncryption:
    """The encryption of new objects of a bucket.

    `kms_key` is an ARN, an id, an alias, or None for SSE-S3 or the AWS managed key.
    """

    kms: bool
    kms_key: str | None
    bucket_key: bool


@none_if_not_found("NoSuchBucketPolicy")
def bucket_policy(session: AwsSession, name: str) -> str | None:
    """Return the policy of a bucket; None if it has none, or there is no such bucket."""
    return str(session.call("s3", "GetBucketPolicy", Bucket=name)["Policy"])


@none_if_not_found("ServerSideEncryptionConfigurationNotFoundError")
def bucket_encryption(session: AwsSession, name: str) -> BucketEncryption | None:
    """Return the encryption of a bucket; None without configuration, or without such a bucket."""
    answer = session.call("s3", "GetBucketEncryption", Bucket=name)
    for rule in answer["ServerSideEncryptionConfiguration"]["Rules"]:
        default = rule.get("ApplyServerSideEncryptionByDefault") or {}
        return BucketEncryption(
            kms=str(default.get("SSEAlgorithm", "")).startswith("aws:kms"),
            kms_key=default.get("KMSMasterKeyID") or None,
            bucket_key=bool(rule.get("BucketKeyEnabled")),
        )
    return None


@none_if_not_found()
def object_size_bytes(session: AwsSession, bucket_name: str, key: str) -> int | None:
    """Return the size of an object; None if there is none of that name.

    Raises
    ------
    AwsUnavailable
        The bucket is not accessible.
    """
    answer = session.call("s3", "HeadObject", Bucket=bucket_name, Key=key)
    return int(answer["ContentLength"])


def put_file(session: AwsSession, bucket_name: str, key: str, path: Path, sha256: str) -> None:
    """Upload a file; S3 verifies it with the SHA-256, given in hexadecimal digits.

    Raises
    ------
    AwsUnavailable
        The upload failed.
    """
    with path.open("rb") as body:
        session.call(
            "s3",
            "PutObject",
            Bucket=bucket_name,
            Key=key,
            Body=body,
            ChecksumSHA256=base64.b64encode(bytes.fromhex(sha256)).decode(),
        )
