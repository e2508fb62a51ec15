"""Buckets."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clusterwright.aws.errors import (
    AwsUnavailable,
    is_not_found,
    none_if_not_found,
    unavailable,
)
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value

REQUESTER: Final = "requester"
"""S3's name of who pays for a request that has this value in its `x-amz-request-payer`."""


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


def charges_requesters(session: AwsSession, name: str) -> bool | None:
    """Return whether a bucket answers this identity only if it pays for the requests itself.

    None if there is no such bucket. S3 denies other requests to a Requester Pays bucket, except
    those of the account that owns it (S3 user guide, "Using Requester Pays general purpose
    buckets"). If HeadBucket is denied, one object is listed at the requester's cost: the price of
    one LIST request.

    Raises
    ------
    AwsUnavailable
        The bucket is not accessible for another reason.
    """
    try:
        return None if bucket(session, name) is None else False
    except AwsUnavailable as error:
        if error.reason != "denied":
            raise
        pages = session.pages(
            "s3", "ListObjectsV2", Bucket=name, MaxKeys=1, RequestPayer=REQUESTER
        )
        try:
            first = next(iter(pages), {})
        except AwsUnavailable:
            raise error from None
        if first.get("RequestCharged") != REQUESTER:
            raise
        return True


def bucket_names(session: AwsSession) -> tuple[str, ...]:
    """Return the names of all buckets of the account, in every region."""
    return tuple(found["Name"] for found in session.items("s3", "ListBuckets", "Buckets"))


def holds_objects(session: AwsSession, name: str) -> bool:
    """Return whether a bucket has an object, also in an older version; such a bucket cannot be
    deleted.
    """
    pages = session.pages("s3", "ListObjectVersions", Bucket=name)
    first = next(iter(pages), {})
    return bool(first.get("Versions") or first.get("DeleteMarkers"))


@dataclass(frozen=True)
class BucketEncryption:
    """The encryption of new objects of a bucket.

    `kms_key` is an ARN, an id, an alias, or None for SSE-S3 or the AWS managed key.
    """

    kms: bool
    kms_key: str | None
    bucket_key: bool


@none_if_not_found()
def has_objects(session: AwsSession, name: str, prefix: str) -> bool | None:
    """Return whether an object's key begins with a prefix; None if there is no such bucket."""
    pages = session.pages("s3", "ListObjectsV2", Bucket=name, Prefix=prefix, MaxKeys=1)
    return any(one["Key"].startswith(prefix) for page in pages for one in page.get("Contents", ()))


def written_at(session: AwsSession, name: str, prefix: str) -> Iterator[tuple[str, dt.datetime]]:
    """The key of each object whose key begins with a prefix, and when it was written last."""
    for page in session.pages("s3", "ListObjectsV2", Bucket=name, Prefix=prefix):
        # S3 omits the list where it is empty.
        for found in page.get("Contents", ()):
            yield found["Key"], found["LastModified"]


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


@dataclass(frozen=True)
class BucketNotification:
    """Messages about events in a bucket, to a topic, a queue or a function."""

    id: str
    target: str
    """ARN."""

    events: tuple[str, ...]
    """`s3:ObjectCreated:*`, `s3:ObjectRemoved:Delete`, ..."""

    prefix: str
    """Beginning of the keys; empty for every object."""


@dataclass(frozen=True)
class LifecycleRule:
    """An enabled lifecycle rule about current versions of objects without tags.

    Attributes
    ----------
    expires:
        When objects are deleted: days after their creation, or a date as text; None if never.
    archives:
        Days or date of the first transition to Glacier Flexible Retrieval or Deep Archive, from
        which objects have to be restored before they can be read; None without one.
    """

    id: str
    prefix: str
    expires: int | str | None
    archives: int | str | None


_TARGETS: Final = {
    "TopicConfigurations": "TopicArn",
    "QueueConfigurations": "QueueArn",
    "LambdaFunctionConfigurations": "LambdaFunctionArn",
}
_ARCHIVES: Final = frozenset({"GLACIER", "DEEP_ARCHIVE"})


def bucket_notifications(session: AwsSession, name: str) -> tuple[BucketNotification, ...]:
    """Return the event notifications of a bucket; empty if it has none, or does not exist."""
    try:
        answer = session.call("s3", "GetBucketNotificationConfiguration", Bucket=name)
    except AwsUnavailable as error:
        if is_not_found(error):
            return ()
        raise
    return tuple(
        BucketNotification(
            str(one.get("Id") or ""),
            str(one[target]),
            tuple(
                known_value(
                    session,
                    str(event),
                    service="s3",
                    operation="GetBucketNotificationConfiguration",
                    shape="Event",
                )
                for event in one["Events"]
            ),
            _key_prefix(one),
        )
        for kind, target in _TARGETS.items()
        for one in answer.get(kind) or ()
    )


def lifecycle_rules(session: AwsSession, name: str) -> tuple[LifecycleRule, ...]:
    """Return the rules that delete or archive objects; empty without any or without a bucket."""
    try:
        answer = session.call("s3", "GetBucketLifecycleConfiguration", Bucket=name)
    except AwsUnavailable as error:
        if is_not_found(error) or error.code == "NoSuchLifecycleConfiguration":
            return ()
        raise
    found = tuple(_lifecycle_rule(session, rule) for rule in answer["Rules"])
    return tuple(rule for rule in found if rule is not None)


def _lifecycle_rule(session: AwsSession, rule: Mapping[str, Any]) -> LifecycleRule | None:
    """Return a rule that deletes or archives objects; None for others."""

    def known(value: str, shape: str) -> str:
        operation = "GetBucketLifecycleConfiguration"
        return known_value(session, value, service="s3", operation=operation, shape=shape)

    chosen = rule.get("Filter") or {}
    both = chosen.get("And") or {}
    enabled = known(str(rule["Status"]), "ExpirationStatus") == "Enabled"
    if not enabled or chosen.get("Tag") or both.get("Tags"):
        return None
    archives = [
        _when(one)
        for one in rule.get("Transitions") or ()
        if known(str(one["StorageClass"]), "TransitionStorageClass") in _ARCHIVES
    ]
    expires = _when(rule.get("Expiration") or {})
    archived = next((one for one in archives if one is not None), None)
    if expires is None and archived is None:
        return None
    prefix = chosen.get("Prefix") or both.get("Prefix") or rule.get("Prefix") or ""
    return LifecycleRule(str(rule.get("ID") or ""), str(prefix), expires, archived)


def _when(action: Mapping[str, Any]) -> int | str | None:
    days, date = action.get("Days"), action.get("Date")
    if days is not None:
        return int(days)
    return None if date is None else str(date)[:10]


def _key_prefix(notification: Mapping[str, Any]) -> str:
    rules = ((notification.get("Filter") or {}).get("Key") or {}).get("FilterRules") or ()
    return next(
        (str(r.get("Value") or "") for r in rules if str(r.get("Name")).lower() == "prefix"), ""
    )


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


@none_if_not_found()
def object_text(
    session: AwsSession, bucket_name: str, key: str, *, maximum_bytes: int
) -> str | None:
    """Return an object in UTF-8; None if there is none of that name.

    Without `s3:ListBucket` on the bucket, S3 answers 403 for an object that does not exist.

    Raises
    ------
    AwsUnavailable
        The object is not accessible, larger than `maximum_bytes`, or not UTF-8.
    """

    def refuse(detail: str) -> AwsUnavailable:
        return AwsUnavailable(
            service="s3",
            operation="GetObject",
            region=session.region,
            reason="other",
            detail=f"s3://{bucket_name}/{key} {detail}",
        )

    answer = session.call("s3", "GetObject", Bucket=bucket_name, Key=key)
    if int(answer["ContentLength"]) > maximum_bytes:
        raise refuse(f"has {int(answer['ContentLength']):,} bytes, more than {maximum_bytes:,}")
    try:
        return str(answer["Body"].read().decode())
    except UnicodeDecodeError:
        raise refuse("is not UTF-8") from None
    except Exception as error:
        raise unavailable(
            error, service="s3", operation="GetObject", region=session.region
        ) from error


def put_text(session: AwsSession, bucket_name: str, key: str, text: str) -> None:
    """Write an object in UTF-8.

    Raises
    ------
    AwsUnavailable
        S3 did not take it.
    """
    session.call(
        "s3",
        "PutObject",
        Bucket=bucket_name,
        Key=key,
        Body=text.encode(),
        ContentType="application/json",
    )


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
