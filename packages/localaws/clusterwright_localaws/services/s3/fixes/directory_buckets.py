"""moto lacks S3 Express directory buckets: it treats their location as malformed."""

from __future__ import annotations

import re
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.zones import zone_name

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: CreateBucket creates directory buckets. Their names must end in their zone, "
    "`--use1-az6--x-s3`, and the zone must be one of the region"
)
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*[a-z0-9]?--(?P<zone>[a-z0-9-]+-az\d+)--x-s3")
_SUFFIX = "--x-s3"


def apply() -> None:
    from moto.s3.responses import S3Response

    put_in_moto = S3Response._bucket_response_put

    def _bucket_response_put(
        self: Any, request: Any, bucket_name: str, querystring: dict[str, Any]
    ) -> Any:
        plain = not querystring or set(querystring) <= {"x-id"}
        if not runtime().active or not plain or not _asks_for_directory(self.body, bucket_name):
            return put_in_moto(self, request, bucket_name, querystring)
        return _create(self, bucket_name)

    S3Response._bucket_response_put = _bucket_response_put  # type: ignore[method-assign]


def _asks_for_directory(body: Any, bucket_name: str) -> bool:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body or "")
    return "<Type>Directory</Type>" in text or bucket_name.endswith(_SUFFIX)


def _create(response: Any, bucket_name: str) -> Any:
    import xmltodict  # type: ignore[import-untyped]
    from moto.core.responses import ActionResult
    from moto.s3.exceptions import BucketAlreadyExists, InvalidBucketName, MalformedXML

    try:
        configuration = xmltodict.parse(response.body)["CreateBucketConfiguration"]
        zone = configuration["Location"]["Name"]
        kind = configuration["Bucket"]["Type"]
    except (KeyError, TypeError, xmltodict.expat.ExpatError):
        raise MalformedXML() from None
    match = _NAME.fullmatch(bucket_name)
    if kind != "Directory" or match is None or match.group("zone") != zone:
        raise InvalidBucketName()
    if zone_name(response.region, zone) is None:
        raise InvalidBucketName()
    if bucket_name in response.backend.buckets:
        raise BucketAlreadyExists(bucket=bucket_name)
    response.backend.create_bucket(bucket_name, response.region)
    response.data["Action"] = "CreateBucket"
    return response.serialized(ActionResult({"Location": f"/{bucket_name}"}))
