"""Which lifecycle configurations of buckets S3 refuses, and the rules as they were put.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleExpiration.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleConfiguration.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
Recorded on AWS: docs/reference/probes.md, sources `localstack` and `lifecycle-messages`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.timestamps import with_milliseconds
from clusterwright_localaws.services.s3.fixes.expirations import keep_rules, kept_rules
from clusterwright_localaws.services.s3.lifecycle_times import check_times
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_LONGEST_ID: Final = 255
_MOST_RULES: Final = 1000
_SMALLEST: Final = "TransitionDefaultMinimumObjectSize"
_MIDNIGHT: Final = (0, 0, 0, 0)
_ALL_CLASSES: Final = "all_storage_classes_128K"
_LARGEST_SIZE: Final = 1_099_511_627_776_000
_ACTIONS: Final = (
    "Expiration",
    "Transitions",
    "NoncurrentVersionExpiration",
    "NoncurrentVersionTransitions",
    "AbortIncompleteMultipartUpload",
)
_SIZES: Final = ("ObjectSizeGreaterThan", "ObjectSizeLessThan")


@operation("s3", "PutBucketLifecycleConfiguration", "PutBucketLifecycle")
def put_lifecycle(call: Call) -> Mapping[str, Any]:
    configuration = call.parameters.get("LifecycleConfiguration")
    if not configuration:
        # "Request body is empty": S3 User Guide, list of error codes.
        raise AwsError("MissingRequestBodyError", "Request Body is empty", 400)
    rules = configuration.get("Rules") or []
    if not 1 <= len(rules) <= _MOST_RULES:
        raise malformed()
    _check_ids(rules)
    for rule in rules:
        _check_form(rule)
        _check_filter(rule)
        check_times(rule)
    _check_prefixes(rules)
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


def _check_ids(rules: Sequence[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for name in (rule["ID"] for rule in rules if rule.get("ID")):
        if len(name) > _LONGEST_ID:
            text = f"ID length should not exceed allowed limit of {_LONGEST_ID}"
            raise AwsError("InvalidArgument", text, 400)
        if name in seen:
            text = f"Rule ID must be unique. Found same ID for more than one rule: {name}"
            raise AwsError("InvalidArgument", text, 400)
        seen.add(name)


def _check_form(rule: Mapping[str, Any]) -> None:
    """Refuse what S3's schema refuses: a choice of members of which there are none or two."""
    expiration = rule.get("Expiration") or {}
    noncurrent = rule.get("NoncurrentVersionExpiration", "none")
    no_days = noncurrent != "none" and "NoncurrentDays" not in (noncurrent or {})
    choices = [expiration, *(rule.get("Transitions") or [])]
    both = any("Days" in one and "Date" in one for one in choices)
    marker = "ExpiredObjectDeleteMarker" in expiration and len(expiration) > 1
    if no_days or both or marker or ("Filter" not in rule and "Prefix" not in rule):
        raise malformed()
    if not any(name in rule for name in _ACTIONS):
        text = "At least one action needs to be specified in a rule"
        raise _invalid_request(text)
    date = expiration.get("Date")
    if date is not None and (date.hour, date.minute, date.second, date.microsecond) != _MIDNIGHT:
        raise AwsError(
            "InvalidArgument",
            "'Date' must be at midnight GMT",
            400,
            ArgumentName="Date",
            ArgumentValue=with_milliseconds(date),
        )


def _check_filter(rule: Mapping[str, Any]) -> None:
    """Refuse conditions that contradict each other, or an action."""
    conditions = rule.get("Filter") or {}
    both = conditions.get("And") or {}
    if len(conditions) > 1 or [*both] == ["Prefix"]:
        raise malformed()
    keys = [tag["Key"] for tag in both.get("Tags") or []]
    if len({*keys}) < len(keys):
        raise _invalid_request("Duplicate Tag Keys are not allowed.")
    found = {**conditions, **both}
    smallest, largest = (found.get(name) for name in _SIZES)
    if largest is not None and not 1 <= largest <= _LARGEST_SIZE:
        text = f"'ObjectSizeLessThan' should be between 1 and {_LARGEST_SIZE}."
        raise _invalid_request(text)
    if largest is not None and smallest is not None and largest <= smallest:
        text = "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'."
        raise _invalid_request(text)
    sized = any(name in found for name in _SIZES)
    if "AbortIncompleteMultipartUpload" in rule and ("Tag" in found or "Tags" in found):
        raise _invalid_request("AbortIncompleteMultipartUpload cannot be specified with Tags.")
    if "AbortIncompleteMultipartUpload" in rule and sized:
        text = "AbortIncompleteMultipartUpload cannot be specified with Object Size."
        raise _invalid_request(text)
    if "ExpiredObjectDeleteMarker" in (rule.get("Expiration") or {}) and sized:
        text = "ExpiredObjectDeleteMarker cannot be specified with Object Size."
        raise _invalid_request(text)


def _check_prefixes(rules: Sequence[Mapping[str, Any]]) -> None:
    """Refuse filters beside prefixes of the older form, whose rules have no filter."""
    forms = ["Filter" in rule for rule in rules]
    if all(forms) or not any(forms):
        return
    if forms[0]:
        raise _invalid_request(
            "Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the "
            "Filter."
        )
    raise _invalid_request("Filter element can only be used in Lifecycle V2.")


def _invalid_request(message: str) -> AwsError:
    return AwsError("InvalidRequest", message, 400)
