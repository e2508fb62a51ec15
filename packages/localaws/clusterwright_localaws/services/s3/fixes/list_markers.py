"""moto lists from markers and regions that S3 refuses.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.bucket_checks import US_EAST_1, locations
from clusterwright_localaws.services.s3.fixes.list_members import bucket_before

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: lists refuse a version without a key, an upload of another key, a token of no list and "
    "an unknown region"
)


def apply() -> None:
    from moto.s3.responses import S3Response

    for name, check in _CHECKS.items():
        setattr(S3Response, name, _checked(getattr(S3Response, name), check))


def _checked(in_moto: Any, check: Callable[[Any, Mapping[str, str]], None]) -> Any:
    def _operation(self: Any) -> Any:
        if runtime().active:
            check(self, {name: values[0] for name, values in self.querystring.items() if values})
        return in_moto(self)

    return _operation


def _versions(response: Any, asked: Mapping[str, str]) -> None:
    del response
    name = "version-id-marker"
    if asked.get(name) and not asked.get("key-marker"):
        text = "A version-id marker cannot be specified without a key marker."
        raise _invalid(text, name, ArgumentValue=asked[name])


def _objects(response: Any, asked: Mapping[str, str]) -> None:
    response.backend.get_bucket(response.bucket_name)
    token = asked.get("continuation-token")
    if token is not None and token not in response.backend._pagination_tokens:
        raise _incorrect_token()


def _uploads(response: Any, asked: Mapping[str, str]) -> None:
    key, upload_id = asked.get("key-marker"), asked.get("upload-id-marker")
    if key and upload_id:
        upload = response.backend.get_bucket(response.bucket_name).multiparts.get(upload_id)
        if upload is None or upload.key_name != key:
            raise _invalid("Invalid uploadId marker", "upload-id-marker", ArgumentValue=upload_id)


def _buckets(response: Any, asked: Mapping[str, str]) -> None:
    del response
    name = "bucket-region"
    region = asked.get(name)
    if region and region != US_EAST_1 and region not in locations():
        raise _invalid(f"Argument value {region} is not a valid AWS Region", name)
    try:
        bucket_before(asked.get("continuation-token", ""))
    except ValueError:
        raise _incorrect_token() from None


def _incorrect_token() -> AwsError:
    return _invalid("The continuation token provided is incorrect", "continuation-token")


def _invalid(message: str, name: str, **more: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=name, **more)


_CHECKS: Final = {
    "list_object_versions": _versions,
    "list_objects_v2": _objects,
    "list_multipart_uploads": _uploads,
    "all_buckets": _buckets,
}
