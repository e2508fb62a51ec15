"""moto fails where parts or a completion name an upload that does not exist.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a part or a completion of an upload that does not exist is NoSuchUpload"
REPRODUCTION = """\
s3 = boto3.client("s3")
s3.create_bucket(Bucket="bucket")
try:
    s3.upload_part(Bucket="bucket", Key="k", UploadId="unknown", PartNumber=1, Body=b"data")
except s3.exceptions.ClientError as refused:
    assert refused.response["Error"]["Code"] == "NoSuchUpload"
"""
_OPERATIONS = ("upload_part", "upload_part_copy", "complete_multipart_upload")


def apply() -> None:
    from moto.s3.models import S3Backend

    for name in _OPERATIONS:
        setattr(S3Backend, name, _checked(getattr(S3Backend, name)))


def _checked(in_moto: Any) -> Any:
    def _operation(self: Any, bucket_name: str, upload: str, *more: Any, **named: Any) -> Any:
        from moto.s3.exceptions import NoSuchUpload

        try:
            return in_moto(self, bucket_name, upload, *more, **named)
        except KeyError:
            if not runtime().active or upload in self.get_bucket(bucket_name).multiparts:
                raise
            raise NoSuchUpload(upload_id=upload) from None

    return _operation
