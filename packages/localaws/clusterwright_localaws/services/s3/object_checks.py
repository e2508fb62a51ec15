"""What S3 refuses of objects and moto accepts, or answers wrongly: tags, parts, copies.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.object_versions import check_version
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_MOST_TAGS: Final = 10
_LONGEST_KEY: Final = 128
_LONGEST_VALUE: Final = 256


def check_tags(header: str) -> None:
    """Check the tags of a new object, before it exists.

    Raises
    ------
    AwsError
        InvalidArgument, BadRequest, InvalidTag
    """
    pairs = parse_qsl(header, keep_blank_values=True)
    keys = [key for key, _ in pairs]
    if not pairs or len(set(keys)) != len(keys):
        raise AwsError(
            "InvalidArgument",
            "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query "
            "parameters without tag name duplicates.",
            400,
            ArgumentName="x-amz-tagging",
            ArgumentValue=header,
        )
    if len(pairs) > _MOST_TAGS:
        raise AwsError("BadRequest", "Object tags cannot be greater than 10", 400)
    for key, value in pairs:
        if not 1 <= len(key) <= _LONGEST_KEY:
            raise AwsError("InvalidTag", "The TagKey you have provided is invalid", 400)
        if len(value) > _LONGEST_VALUE:
            raise AwsError("InvalidTag", "The TagValue you have provided is invalid", 400)
        if key.startswith("aws:"):
            raise AwsError("InvalidTag", "Your TagKey cannot be prefixed with aws:", 400)


@operation("s3", "GetObject", "HeadObject")
def get_part(call: Call) -> Mapping[str, Any]:
    """Refuse a part that the object does not have; an object in one piece has part 1."""
    request = call.parameters
    number = request.get("PartNumber")
    bucket = find_bucket(request["Bucket"])
    if bucket is not None:
        check_version(request, of_a_head=call.operation == "HeadObject")
    if number is None or bucket is None or "VersionId" in request:
        raise ForwardToMoto
    found = bucket.keys.get(request["Key"])
    if found is not None and hasattr(found, "multipart"):
        parts = len(found.multipart.partlist) if found.multipart else 1
        if not 1 <= number <= parts:
            if call.operation == "HeadObject":
                raise AwsError("416", "Requested Range Not Satisfiable", 416)
            text = "The requested partnumber is not satisfiable"
            raise AwsError("InvalidPartNumber", text, 416)
    raise ForwardToMoto
