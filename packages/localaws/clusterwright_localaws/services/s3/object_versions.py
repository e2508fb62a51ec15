"""What S3 refuses of requests that name a version of an object, and moto accepts.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.fixes.version_ids import is_version_id
from clusterwright_localaws.services.s3.world_buckets import find_bucket


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
