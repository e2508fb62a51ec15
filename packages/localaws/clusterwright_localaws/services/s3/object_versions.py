"""What S3 refuses of requests that name a version of an object, and moto accepts.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.fixes.version_ids import is_version_id
from clusterwright_localaws.services.s3.world_buckets import find_bucket, find_version


@operation("s3", "DeleteObject", "DeleteObjects")
def delete(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    bypass = "BypassGovernanceRetention"
    if bucket is not None:
        if bypass in call.parameters and not bucket.object_lock_enabled:
            header = "x-amz-bypass-governance-retention"
            raise AwsError(
                "InvalidArgument",
                f"{header} is only applicable to Object Lock enabled buckets.",
                400,
                ArgumentName=header,
            )
        check_version(call.parameters)
    raise ForwardToMoto


def check_version(request: Mapping[str, Any], *, of_a_head: bool = False) -> None:
    """Refuse a version id that S3 cannot have issued.

    Raises
    ------
    AwsError
        InvalidArgument, or 400 for a HEAD, whose answer has no text.
    """
    version = request.get("VersionId")
    if version is not None and not is_version_id(version):
        if of_a_head:
            raise AwsError("400", "Bad Request", 400)
        raise AwsError(
            "InvalidArgument",
            "Invalid version id specified",
            400,
            ArgumentName="versionId",
            ArgumentValue=version,
        )


def existing_version(bucket: Any, request: Mapping[str, Any], method: str) -> Any:
    """Return the version that a request of the HTTP method names.

    Raises
    ------
    AwsError
        InvalidArgument, NoSuchKey, NoSuchVersion, or MethodNotAllowed for a delete marker.
    """
    check_version(request)
    version = request.get("VersionId")
    found = find_version(bucket, request["Key"], version)
    if found is None and version is None:
        raise AwsError("NoSuchKey", "The specified key does not exist.", 404, Key=request["Key"])
    if found is None:
        text = "The specified version does not exist."
        raise AwsError("NoSuchVersion", text, 404, Key=request["Key"], VersionId=version)
    if not hasattr(found, "etag"):
        raise AwsError(
            "MethodNotAllowed",
            "The specified method is not allowed against this resource.",
            405,
            Method=method,
            ResourceType="DeleteMarker",
        )
    return found
