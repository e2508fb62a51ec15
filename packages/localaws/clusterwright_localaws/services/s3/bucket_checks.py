"""What S3 refuses of buckets and their settings, and moto accepts.

Names: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
Locations: as recorded on AWS by the maintainers of moto (tests marked as verified).
Lifecycle: https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleExpiration.html and
https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.service_models import loader
from clusterwright_localaws.core.timestamps import with_milliseconds
from clusterwright_localaws.services.s3.access_checks import check_new_bucket
from clusterwright_localaws.services.s3.fixes.expirations import keep_rules, kept_rules
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.tags import check_new_bucket_tags
from clusterwright_localaws.services.s3.world_buckets import find_bucket

US_EAST_1: Final = "us-east-1"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]")
_PREFIXES: Final = ("xn--", "sthree-", "amzn-s3-demo-")
_SUFFIXES: Final = ("-s3alias", "--ol-s3", ".mrap", "--table-s3")
_DIRECTORY: Final = "--x-s3"
_INFREQUENT: Final = frozenset({"STANDARD_IA", "ONEZONE_IA"})
_INFREQUENT_DAYS: Final = 30
_LONGEST_ID: Final = 255
_SMALLEST: Final = "TransitionDefaultMinimumObjectSize"
_MIDNIGHT: Final = (0, 0, 0, 0)
_ALL_CLASSES: Final = "all_storage_classes_128K"


@operation("s3", "CreateBucket")
def create_bucket(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if not request["Bucket"].endswith(_DIRECTORY):
        _check_name(request["Bucket"])
        configuration = request.get("CreateBucketConfiguration") or {}
        _check_location(call.region, configuration.get("LocationConstraint"))
        check_new_bucket(request)
        _check_tags(call, configuration.get("Tags"))
    raise ForwardToMoto


@operation("s3", "PutBucketLifecycleConfiguration", "PutBucketLifecycle")
def put_lifecycle(call: Call) -> Mapping[str, Any]:
    configuration = call.parameters.get("LifecycleConfiguration")
    if not configuration:
        # "Request body is empty": S3 User Guide, list of error codes.
        raise AwsError("MissingRequestBodyError", "Request Body is empty", 400)
    rules = configuration.get("Rules") or []
    names = [rule["ID"] for rule in rules if rule.get("ID")]
    for name in names:
        if len(name) > _LONGEST_ID:
            raise _invalid(f"ID length should not exceed allowed limit of {_LONGEST_ID}")
        if names.count(name) > 1:
            raise _invalid(f"Rule ID must be unique. Found same ID for more than one rule: {name}")
    for rule in rules:
        _check_form(rule)
        for problem in _lifecycle_problems(rule):
            raise _invalid(problem)
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is not None:
        keep_rules(bucket, rules, call.parameters.get(_SMALLEST) or _ALL_CLASSES)
    raise ForwardToMoto


@operation("s3", "GetBucketLifecycleConfiguration")
def get_lifecycle(call: Call) -> Mapping[str, Any]:
    """Answer the rules as they were put; moto keeps few of their filters."""
    bucket = find_bucket(call.parameters["Bucket"])
    kept = kept_rules(bucket) if bucket is not None else None
    if kept is None:
        raise ForwardToMoto
    rules, smallest = kept
    return {"Rules": rules, _SMALLEST: smallest}


def _check_name(name: str) -> None:
    try:
        ipaddress.IPv4Address(name)
        is_address = True
    except ValueError:
        is_address = False
    if (
        is_address
        or not _NAME.fullmatch(name)
        or ".." in name
        or name.startswith(_PREFIXES)
        or name.endswith(_SUFFIXES)
    ):
        raise AwsError(
            "InvalidBucketName", "The specified bucket is not valid.", 400, BucketName=name
        )


def _check_location(region: str, given: str | None) -> None:
    """Refuse a location that the endpoint cannot use; us-east-1's reaches every region."""
    if region == US_EAST_1:
        if given and given != "EU" and (given == region or given not in locations()):
            raise AwsError(
                "InvalidLocationConstraint",
                "The specified location-constraint is not valid",
                400,
                LocationConstraint=given,
            )
    elif given != region:
        raise AwsError(
            "IllegalLocationConstraintException",
            f"The {given or 'unspecified'} location constraint is incompatible for the region "
            "specific endpoint this request was sent to.",
            400,
        )


def _check_tags(call: Call, tags: Any) -> None:
    """Check the tags of a new bucket; one that exists is not created again with tags."""
    if not tags:
        return
    name = call.parameters["Bucket"]
    existing = find_bucket(name)
    if existing is not None and existing.account_id == call.account:
        raise AwsError(
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            409,
            BucketName=name,
        )
    check_new_bucket_tags(tags)


def locations() -> frozenset[str]:
    """Return the regions that a bucket's location may name."""
    model = loader().load_service_model("s3", "service-2")
    return frozenset(model["shapes"]["BucketLocationConstraint"]["enum"])


def _check_form(rule: Mapping[str, Any]) -> None:
    """Refuse what S3's schema refuses, and conditions that contradict each other.

    Recorded on AWS: docs/reference/probes.md, source `localstack`.
    """
    expiration, conditions = rule.get("Expiration") or {}, rule.get("Filter") or {}
    empty = rule.get("NoncurrentVersionExpiration", "none") in ({}, None)
    marker = "ExpiredObjectDeleteMarker" in expiration and len(expiration) > 1
    if empty or marker or len(conditions) > 1:
        raise malformed()
    tags = [tag["Key"] for tag in (conditions.get("And") or {}).get("Tags") or []]
    if len({*tags}) < len(tags):
        raise AwsError("InvalidRequest", "Duplicate Tag Keys are not allowed.", 400)
    date = expiration.get("Date")
    if date is not None and (date.hour, date.minute, date.second, date.microsecond) != _MIDNIGHT:
        raise AwsError(
            "InvalidArgument",
            "'Date' must be at midnight GMT",
            400,
            ArgumentName="Date",
            ArgumentValue=with_milliseconds(date),
        )


def _lifecycle_problems(rule: Mapping[str, Any]) -> Iterator[str]:
    expiration = rule.get("Expiration") or {}
    yield from _not_positive(expiration, "Days", "'Days' for Expiration action")
    noncurrent = rule.get("NoncurrentVersionExpiration") or {}
    yield from _not_positive(
        noncurrent, "NoncurrentDays", "'NoncurrentDays' for NoncurrentVersionExpiration action"
    )
    abort = rule.get("AbortIncompleteMultipartUpload") or {}
    yield from _not_positive(
        abort,
        "DaysAfterInitiation",
        "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action",
    )
    for kind, member in (
        ("Transition", "Days"),
        ("NoncurrentVersionTransition", "NoncurrentDays"),
    ):
        for each in rule.get(f"{kind}s") or []:
            days, storage = each.get(member), each.get("StorageClass")
            if days is None:
                continue
            if days < 0:
                yield f"'{member}' in {kind} action must be nonnegative"
            if storage in _INFREQUENT and days < _INFREQUENT_DAYS:
                yield (
                    f"'{member}' in {kind} action must be greater than or equal to "
                    f"{_INFREQUENT_DAYS} for storageClass '{storage}'"
                )


def _not_positive(action: Mapping[str, Any], member: str, what: str) -> Iterator[str]:
    days = action.get(member)
    if days is not None and days <= 0:
        yield f"{what} must be a positive integer"


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400)
