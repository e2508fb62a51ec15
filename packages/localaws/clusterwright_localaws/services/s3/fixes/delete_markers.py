"""moto answers a GET of a delete marker by its version as if there were no such version.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: GetObject of a delete marker by its version is MethodNotAllowed"
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
    from moto.s3.responses import S3Response

    get_key = S3Response._get_key

    def _get_key(self: Any, validate_storage_class: bool = True) -> Any:
        version = self.querystring.get("versionId", [None])[0]
        if runtime().active and version is not None:
            _refuse_marker(self, version)
        return get_key(self, validate_storage_class)

    S3Response._get_key = _get_key  # type: ignore[method-assign]


def _refuse_marker(response: Any, version: str) -> None:
    from moto.s3.exceptions import MethodNotAllowed
    from moto.s3.models import FakeDeleteMarker

    found = response.backend.get_object(
        response.bucket_name,
        response.parse_key_name(),
        version_id=version,
        return_delete_marker=True,
    )
    if isinstance(found, FakeDeleteMarker):
        raise MethodNotAllowed(method="GET", resource_type="DeleteMarker")
