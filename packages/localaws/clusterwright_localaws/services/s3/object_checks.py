"""What S3 refuses of reads of objects, and moto answers wrongly: parts and versions.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.fixes.object_parts import completed_parts
from clusterwright_localaws.services.s3.kms_keys import check_key_of_object
from clusterwright_localaws.services.s3.missing_objects import check_listing
from clusterwright_localaws.services.s3.object_versions import check_version
from clusterwright_localaws.services.s3.world_buckets import find_bucket, find_version

# Headers of the answer that a read may give. Recorded: docs/reference/probes.md, `localstack`.
_OVERRIDES: Final = (
    "ResponseCacheControl",
    "ResponseContentDisposition",
    "ResponseContentEncoding",
    "ResponseContentLanguage",
    "ResponseContentType",
)
_LATIN_1: Final = 0xFF


@operation("s3", "GetObject", "HeadObject")
def get_part(call: Call) -> Mapping[str, Any]:
    """Refuse a part that the object does not have; an object in one piece has part 1."""
    request = call.parameters
    _check_overrides(request)
    number = request.get("PartNumber")
    bucket = find_bucket(request["Bucket"])
    if bucket is not None:
        check_listing(call, bucket)
        check_version(request, of_a_head=call.operation == "HeadObject")
        if call.operation == "GetObject":
            found = find_version(bucket, request["Key"], request.get("VersionId"))
            check_key_of_object(bucket, found)
    if number is None or bucket is None or "VersionId" in request:
        raise ForwardToMoto
    if request.get("Range"):
        text = "Cannot specify both Range header and partNumber query parameter"
        raise AwsError("InvalidRequest", text, 400)
    found = bucket.keys.get(request["Key"])
    if found is not None and hasattr(found, "multipart"):
        parts = len(completed_parts(found)) if found.multipart else 1
        if not 1 <= number <= parts:
            if call.operation == "HeadObject":
                raise AwsError("416", "Requested Range Not Satisfiable", 416)
            raise AwsError(
                "InvalidPartNumber",
                "The requested partnumber is not satisfiable",
                416,
                ActualPartCount=parts,
                PartNumberRequested=number,
            )
    raise ForwardToMoto


def _check_overrides(request: Mapping[str, Any]) -> None:
    """Refuse headers of the answer that the request gives and HTTP cannot have."""
    for member in _OVERRIDES:
        given = request.get(member)
        if isinstance(given, str) and any(ord(one) > _LATIN_1 for one in given):
            raise AwsError(
                "InvalidArgument",
                "Header value cannot be represented using ISO-8859-1.",
                400,
                ArgumentName=re.sub("(?<=[a-z])(?=[A-Z])", "-", member).lower(),
                ArgumentValue=given,
            )
