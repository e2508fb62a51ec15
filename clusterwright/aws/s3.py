"""Buckets."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from clusterwright.aws.errors import AwsUnavailable, is_not_found, none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Bucket:
    """A bucket that answers. `region` is None where S3 does not name it."""

    name: str
    region: str | None


def bucket(session: AwsSession, name: str) -> Bucket | None:
    """A bucket as HeadBucket sees it; None where there is none of that name.

    Raises
    ------
    AwsUnavailable
        Also where the bucket exists and this identity may not see it (403): whether the cluster
        may is then not known.
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
    """How S3 encrypts new objects of a bucket.

    `kms_key` is an ARN, an id, an alias, or None: S3's own key, or AWS's key for S3.
    """

    kms: bool
    kms_key: str | None
    bucket_key: bool


@none_if_not_found("NoSuchBucketPolicy")
def bucket_policy(session: AwsSession, name: str) -> str | None:
    """The policy of a bucket; None where it has none, or there is no such bucket."""
    return str(session.call("s3", "GetBucketPolicy", Bucket=name)["Policy"])


@none_if_not_found("ServerSideEncryptionConfigurationNotFoundError")
def bucket_encryption(session: AwsSession, name: str) -> BucketEncryption | None:
    """How a bucket encrypts; None where it says nothing, or there is no such bucket."""
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
    """The size of an object; None where there is none of that name.

    Raises
    ------
    AwsUnavailable
        The bucket does not answer, or does not let this identity ask.
    """
    answer = session.call("s3", "HeadObject", Bucket=bucket_name, Key=key)
    return int(answer["ContentLength"])


def put_file(session: AwsSession, bucket_name: str, key: str, path: Path, sha256: str) -> None:
    """Uploads a file; S3 holds what arrives against the SHA-256, given in hexadecimal digits.

    Raises
    ------
    AwsUnavailable
        It was not taken.
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
