"""Request metrics of buckets: configurations that moto does not keep.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_PAGE: Final = 100  # ListBucketMetricsConfigurations: 100 in one page
_MOST: Final = 1000  # PutBucketMetricsConfiguration: TooManyConfigurations beyond


@operation("s3", "PutBucketMetricsConfiguration")
def put_metrics(call: Call) -> Mapping[str, Any]:
    found = _configurations(call)
    name = call.parameters["Id"]
    if name not in found and len(found) >= _MOST:
        raise AwsError(
            "TooManyConfigurations",
            "You are attempting to create a new configuration but have already reached the "
            "1,000-configuration limit.",
            400,
        )
    found[name] = dict(call.parameters["MetricsConfiguration"])
    return {}


@operation("s3", "GetBucketMetricsConfiguration")
def get_metrics(call: Call) -> Mapping[str, Any]:
    found = _configurations(call).get(call.parameters["Id"])
    if found is None:
        raise _missing()
    return {"MetricsConfiguration": found}


@operation("s3", "DeleteBucketMetricsConfiguration")
def delete_metrics(call: Call) -> Mapping[str, Any]:
    if _configurations(call).pop(call.parameters["Id"], None) is None:
        raise _missing()
    return {}


@operation("s3", "ListBucketMetricsConfigurations")
def list_metrics(call: Call) -> Mapping[str, Any]:
    found = _configurations(call)
    token = call.parameters.get("ContinuationToken")
    names = sorted(name for name in found if token is None or name > _name_in(token))
    page = names[:_PAGE]
    answer: dict[str, Any] = {
        "IsTruncated": len(names) > _PAGE,
        "MetricsConfigurationList": [found[name] for name in page],
    }
    if token is not None:
        answer["ContinuationToken"] = token
    if answer["IsTruncated"]:
        answer["NextContinuationToken"] = page[-1].encode().hex()
    return answer


def _configurations(call: Call) -> dict[str, dict[str, Any]]:
    """The configurations of the bucket, by name; they end with the bucket."""
    name = call.parameters["Bucket"]
    bucket = find_bucket(name)
    if bucket is None:
        raise AwsError("NoSuchBucket", "The specified bucket does not exist", 404, BucketName=name)
    found: dict[str, dict[str, Any]] = vars(bucket).setdefault("metrics_configurations", {})
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
