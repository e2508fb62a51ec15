import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_get_object_of_delete_marker_by_its_version() -> None:
    client = boto3.client("s3", region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    client.put_bucket_versioning(
        Bucket="bucket", VersioningConfiguration={"Status": "Enabled"}
    )
    version = client.put_object(Bucket="bucket", Key="key", Body=b"text")["VersionId"]
    marker = client.delete_object(Bucket="bucket", Key="key")["VersionId"]
    with pytest.raises(ClientError) as exc:
        client.get_object(Bucket="bucket", Key="key", VersionId=marker)
    assert exc.value.response["Error"]["Code"] == "MethodNotAllowed"

    found = client.get_object(Bucket="bucket", Key="key", VersionId=version)
    assert found["Body"].read() == b"text"
