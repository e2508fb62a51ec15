"""moto answers a GET of a delete marker by its version as if there were no such version.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: GetObject of a delete marker by its version is MethodNotAllowed; a refusal names the "
    "marker in its headers, and a missing version in its members"
)
_HEADERS = "marker_headers"
REPRODUCTION = """\
s3 = boto3.client("s3", region_name="us-east-1")
s3.create_bucket(Bucket="bucket")
s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
s3.put_object(Bucket="bucket", Key="key")
marker = s3.delete_object(Bucket="bucket", Key="key")["VersionId"]
try:
    s3.get_object(Bucket="bucket", Key="key", VersionId=marker)
except s3.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "MethodNotAllowed", error
"""


def apply() -> None:
    from moto.s3.exceptions import MissingVersion, S3ClientError
    from moto.s3.responses import S3Response

    get_key = S3Response._get_key
    serialized = S3Response.serialized

    def _get_key(self: Any, validate_storage_class: bool = True) -> Any:
        version = self.querystring.get("versionId", [None])[0]
        if runtime().active:
            _refuse_marker(self, version)
        try:
            return get_key(self, validate_storage_class)
        except MissingVersion:
            if not runtime().active:
                raise
            raise MissingVersion(key=self.parse_key_name(), version_id=version) from None

    def _serialized(self: Any, action_result: Any) -> Any:
        status, headers, body = serialized(self, action_result)
        refusal: Any = action_result.result
        if isinstance(refusal, S3ClientError):
            headers.update(getattr(refusal, _HEADERS, {}))
        return status, headers, body

    S3Response._get_key = _get_key  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]


def _refuse_marker(response: Any, version: str | None) -> None:
    from moto.s3.exceptions import MethodNotAllowed, MissingKey
    from moto.s3.models import FakeDeleteMarker

    found = response.backend.get_object(
        response.bucket_name,
        response.parse_key_name(),
        version_id=version,
        return_delete_marker=True,
    )
    if isinstance(found, FakeDeleteMarker):
        headers = {"x-amz-delete-marker": "true", "x-amz-version-id": found.version_id}
        refusal: Any = MissingKey(key=found.name)
        if version is not None:
            refusal = MethodNotAllowed(method="GET", resource_type="DeleteMarker")
            headers["allow"] = "DELETE"
        setattr(refusal, _HEADERS, headers)
        raise refusal
