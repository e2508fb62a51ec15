"""Configurations of buckets that have names, which moto keeps in part or not at all.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/analytics-storage-class.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-intelligent-tiering.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
Refusals of other names recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_PAGE: Final = 100  # the lists' pages: API reference, ListBucket...Configurations
_MOST: Final = 1000  # PutBucket...Configuration: TooManyConfigurations beyond
_KINDS: Final = ("Analytics", "IntelligentTiering", "Inventory", "Metrics")
_BUCKET_ARN: Final = "arn:"


def _operations(verb: str, end: str = "Configuration") -> list[str]:
    return [f"{verb}Bucket{kind}{end}" for kind in _KINDS]


@operation("s3", *_operations("Put"))
def put_configuration(call: Call) -> Mapping[str, Any]:
    found = _configurations(call)
    name = call.parameters["Id"]
    given = dict(call.parameters[_member(call)])
    if given.get("Id") != name:
        if _kind(call) == "Inventory":
            text = "Document ID does not match the specified configuration ID."
            raise AwsError("IdMismatch", text, 400)
        raise malformed()
    if _kind(call) == "Inventory":
        destination = given["Destination"]["S3BucketDestination"]["Bucket"]
        if not destination.startswith(_BUCKET_ARN):
            raise AwsError("InvalidS3DestinationBucket", "Invalid bucket ARN.", 400)
    if name not in found and len(found) >= _MOST:
        raise AwsError(
            "TooManyConfigurations",
            "You are attempting to create a new configuration but have already reached the "
            "1,000-configuration limit.",
            400,
        )
    found[name] = given
    return {}


@operation("s3", *_operations("Get"))
def get_configuration(call: Call) -> Mapping[str, Any]:
    found = _configurations(call).get(call.parameters["Id"])
    if found is None:
        raise _missing()
    return {_member(call): found}


@operation("s3", *_operations("Delete"))
def delete_configuration(call: Call) -> Mapping[str, Any]:
    if _configurations(call).pop(call.parameters["Id"], None) is None:
        raise _missing()
    return {}


@operation("s3", *_operations("List", "Configurations"))
def list_configurations(call: Call) -> Mapping[str, Any]:
    found = _configurations(call)
    token = call.parameters.get("ContinuationToken")
    names = sorted(name for name in found if token is None or name > _name_in(token))
    page = names[:_PAGE]
    answer: dict[str, Any] = {
        "IsTruncated": len(names) > _PAGE,
        f"{_member(call)}List": [found[name] for name in page],
    }
    if token is not None:
        answer["ContinuationToken"] = token
    if answer["IsTruncated"]:
        answer["NextContinuationToken"] = page[-1].encode().hex()
    return answer


def _kind(call: Call) -> str:
    return next(kind for kind in _KINDS if kind in call.operation)


def _member(call: Call) -> str:
    return f"{_kind(call)}Configuration"


def _configurations(call: Call) -> dict[str, dict[str, Any]]:
    """The configurations of the kind, by name; they end with the bucket."""
    name = call.parameters["Bucket"]
    bucket = find_bucket(name)
    if bucket is None:
        raise AwsError("NoSuchBucket", "The specified bucket does not exist", 404, BucketName=name)
    kept = vars(bucket).setdefault("named_configurations", {})
    found: dict[str, dict[str, Any]] = kept.setdefault(_kind(call), {})
    return found


def _name_in(token: str) -> str:
    try:
        return bytes.fromhex(token).decode()
    except ValueError:
        raise AwsError(
            "InvalidArgument", "The continuation token provided is incorrect", 400
        ) from None


def _missing() -> AwsError:
    return AwsError("NoSuchConfiguration", "The specified configuration does not exist.", 404)
