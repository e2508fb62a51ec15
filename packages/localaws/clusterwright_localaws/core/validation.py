"""Checking parameters and answers against botocore's API models.

Requests are refused as AWS's front end refuses them: ``1 validation error detected: Value '0' at
'instanceGroups.1.member.instanceCount' failed to satisfy constraint: ...``. The constraints are
those of botocore's model: required, type, enum, range, length, pattern.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from clusterwright_localaws.core import patterns

_INTEGERS = frozenset({"integer", "long", "short", "byte"})
_NUMBERS = frozenset({"float", "double"})
# Values that AWS answers although its model lacks them, by shape: a stack's states in its events,
# the source of a statement in IAM's policy simulator, names of S3's filters of notifications, and
# types of a document's parameters (Systems Manager User Guide, "Data elements and parameters").
BEYOND_MODEL = {
    "BucketLogsPermission": frozenset({"READ_ACP"}),
    "DocumentParameterType": frozenset({"Integer", "Boolean", "MapList", "StringMap"}),
    "FilterRuleName": frozenset({"Prefix", "Suffix"}),
    # https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachedPermissionsBoundary.html
    "PermissionsBoundaryAttachmentType": frozenset({"Policy"}),
    # The API model lists STANDARD only.
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
    "ObjectVersionStorageClass": frozenset(
        {
            *("DEEP_ARCHIVE", "EXPRESS_ONEZONE", "FSX_ONTAP", "FSX_OPENZFS", "GLACIER"),
            *("GLACIER_IR", "INTELLIGENT_TIERING", "ONEZONE_IA", "OUTPOSTS"),
            *("REDUCED_REDUNDANCY", "SNOW", "STANDARD_IA"),
        }
    ),
    "PolicySourceType": frozenset({"IAM Policy"}),
    "ResourceStatus": frozenset(
        {
            "REVIEW_IN_PROGRESS",
            "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        }
    ),
}
# Values that AWS accepts although its model lacks them:
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl;
# and EC2 takes the words of Spot Fleet for a fleet, as recorded on AWS.
_TAKEN_BEYOND_MODEL = {
    "DocumentParameterType": frozenset({"Integer", "Boolean", "MapList", "StringMap"}),
    "BucketCannedACL": frozenset({"log-delivery-write"}),
    # Recorded on AWS: docs/reference/probes.md, source `localstack`.
    "BucketLogsPermission": frozenset({"READ_ACP"}),
    "ChecksumMode": frozenset({"enabled"}),
    "SpotAllocationStrategy": frozenset(
        {
            "lowestPrice",
            "capacityOptimized",
            "capacityOptimizedPrioritized",
            "priceCapacityOptimized",
        }
    ),
}
# The order in which AWS's message lists the values, where it was recorded; it follows from nothing
# that the models have.
_RECORDED_ORDER = {
    "MacAlgorithmSpec": ("HMAC_SHA_384", "HMAC_SHA_256", "HMAC_SHA_224", "HMAC_SHA_512"),
    "Select": (
        "SPECIFIC_ATTRIBUTES",
        "COUNT",
        "ALL_ATTRIBUTES",
        "ALL_PROJECTED_ATTRIBUTES",
    ),
    "OutputFormat": ("w3c", "raw", "json", "plain", "parquet"),
    "StateValue": ("INSUFFICIENT_DATA", "ALARM", "OK"),
}
# Shapes whose values the service checks itself, with errors of their own.
_CHECKED_LATER = frozenset({"BucketLocationConstraint", "FilterRuleName", "ObjectLockMode"})
# Patterns that AWS does not enforce, as recorded on AWS: ARNs of buckets have no Region, and the
# namespace of a metric filter may have a colon. The times of a command's invocation are empty
# before it starts (Systems Manager's API reference, GetCommandInvocation).
NOT_ENFORCED = frozenset({"CopySource", "MetricNamespace", "S3ResourceArn", "StringDateTime"})
# A beginning after something else, as in EC2's PlacementGroupArn: it refuses every value.
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")
_NEVER_MET = re.compile(r"[\w/:.}-]\^")
# The value in a message; it may have quotes of its own.
_VALUE = re.compile(r"\AValue '.*' at (?='[^']*' failed to satisfy constraint: )", re.DOTALL)


def violations(shape: Any, value: Any, *, answers: bool = False) -> list[str]:
    """Return every violation of `shape` in `value`, with AWS's messages.

    Parameters
    ----------
    shape:
        A botocore shape; its members are walked.
    value:
        Python values as botocore has them (dict, list, str, int, float, bool, datetime, bytes).
    answers:
        For our answers: a member that the model lacks is also a violation, and the length, range
        and pattern constraints, which AWS's answers violate too, are not checked.
    """
    return list(_walk(shape, value, "", answers))


def request_message(found: Sequence[str], *, with_values: bool = True) -> str:
    """Return the message of the ValidationException for these violations.

    Some services do not repeat the refused value: ``Value at 'name' failed ...``.
    """
    noun = "error" if len(found) == 1 else "errors"
    shown = found if with_values else [_VALUE.sub("Value at ", one, count=1) for one in found]
    return f"{len(found)} validation {noun} detected: " + "; ".join(shown)


def _walk(shape: Any, value: Any, path: str, answers: bool) -> Iterator[str]:
    kind = shape.type_name
    if kind == "structure":
        yield from _structure(shape, value, path, answers)
    elif kind == "list":
        if not isinstance(value, (list, tuple)):
            yield _type(path, value, "a list")
            return
        if not answers:
            yield from _length(shape, value, path)
        # A list that is too long is refused; what its other members violate adds nothing.
        most = None if answers else shape.metadata.get("max")
        for index, item in enumerate(itertools.islice(value, most), 1):
            yield from _walk(shape.member, item, f"{path}.{index}.member", answers)
    elif kind == "map":
        if not isinstance(value, Mapping):
            yield _type(path, value, "a map")
            return
        if not answers:
            yield from _length(shape, value, path)
        for key, item in value.items():
            yield from _walk(shape.key, key, f"{path}.{key}.key", answers)
            yield from _walk(shape.value, item, f"{path}.{key}.value", answers)
    else:
        yield from _scalar(shape, kind, value, path, answers)


def _structure(shape: Any, value: Any, path: str, answers: bool) -> Iterator[str]:
    if getattr(shape, "is_document_type", False):
        return
    if not isinstance(value, Mapping):
        yield _type(path, value, "a structure")
        return
    members = shape.members
    for name in shape.metadata.get("required", ()):
        if value.get(name) is None and not members[name].serialization.get("hostLabel"):
            yield (
                f"Value null at '{_join(path, name)}' failed to satisfy constraint: "
                "Member must not be null"
            )
    for name, item in value.items():
        if name not in members:
            if answers:
                yield f"'{_join(path, name)}' is not a member of {shape.name}"
        elif item is not None:
            yield from _walk(members[name], item, _join(path, name), answers)


def _scalar(shape: Any, kind: str, value: Any, path: str, answers: bool) -> Iterator[str]:
    if kind in _INTEGERS or kind in _NUMBERS:
        whole = kind in _INTEGERS
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            yield _type(path, value, "an integer" if whole else "a number")
        elif not answers:
            yield from _range(shape, value, path)
    elif kind == "boolean" and not isinstance(value, bool):
        yield _type(path, value, "a boolean")
    elif kind == "timestamp" and not isinstance(value, (datetime, int, float, str)):
        yield _type(path, value, "a timestamp")
    elif kind == "string":
        yield from _string(shape, value, path, answers)


def _string(shape: Any, value: Any, path: str, answers: bool) -> Iterator[str]:
    if not isinstance(value, str):
        yield _type(path, value, "a string")
        return
    enum = shape.metadata.get("enum")
    known = BEYOND_MODEL if answers else _TAKEN_BEYOND_MODEL
    beyond = known.get(shape.name, frozenset())
    later = not answers and shape.name in _CHECKED_LATER
    if enum and value not in enum and value not in beyond and not later:
        order = _RECORDED_ORDER.get(shape.name, ())
        listed = ", ".join(order if {*order} == {*enum} else enum)
        yield _constraint(path, value, f"Member must satisfy enum value set: [{listed}]")
    if answers:
        return
    yield from _length(shape, value, path)
    pattern = shape.metadata.get("pattern")
    if pattern and shape.name not in NOT_ENFORCED and not matches(pattern, value):
        yield _constraint(
            path, value, f"Member must satisfy regular expression pattern: {pattern}"
        )


def _length(shape: Any, value: Any, path: str) -> Iterator[str]:
    shown = value if isinstance(value, str) else f"[{len(value)} members]"
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")
    if minimum is not None and len(value) < minimum:
        yield _constraint(
            path, shown, f"Member must have length greater than or equal to {minimum}"
        )
    if maximum is not None and len(value) > maximum:
        yield _constraint(path, shown, f"Member must have length less than or equal to {maximum}")


def _range(shape: Any, value: float, path: str) -> Iterator[str]:
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")
    if minimum is not None and value < minimum:
        yield _constraint(
            path, value, f"Member must have value greater than or equal to {minimum}"
        )
    if maximum is not None and value > maximum:
        yield _constraint(path, value, f"Member must have value less than or equal to {maximum}")


def matches(pattern: str, value: str) -> bool:
    """Return whether a model's pattern, in Java's syntax, matches the whole of `value`."""
    # The models' patterns are Java's; one that Python does not read, or that takes too long, is
    # not enforced.
    if not _can_be_met(pattern):
        return True
    try:
        return patterns.matches(pattern, value, whole=True)
    except patterns.PatternError:
        return True


@functools.lru_cache(maxsize=4096)
def _can_be_met(pattern: str) -> bool:
    return _NEVER_MET.search(_CLASS.sub("", pattern)) is None


def _constraint(path: str, value: object, rule: str) -> str:
    return f"Value '{value}' at '{path}' failed to satisfy constraint: {rule}"


def _type(path: str, value: object, requested: str) -> str:
    return f"Value '{value}' at '{path}' failed to satisfy constraint: Member must be {requested}"


def _join(path: str, name: str) -> str:
    # AWS's front end names members in lower camel case.
    first = name[:1].lower() + name[1:]
    return f"{path}.{first}" if path else first
