import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_operations_on_an_upload_that_does_not_exist() -> None:
    client = boto3.client("s3", region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="source", Body=b"data")
    upload = {"Bucket": "bucket", "Key": "key", "UploadId": "unknown"}
    parts = {"Parts": [{"ETag": "e", "PartNumber": 1}]}
    for call, parameters in (
        (client.upload_part, {"PartNumber": 1, "Body": b"data"}),
        (client.upload_part_copy, {"PartNumber": 1, "CopySource": "bucket/source"}),
        (client.complete_multipart_upload, {"MultipartUpload": parts}),
    ):
        with pytest.raises(ClientError) as exc:
            call(**upload, **parameters)
        assert exc.value.response["Error"]["Code"] == "NoSuchUpload"
