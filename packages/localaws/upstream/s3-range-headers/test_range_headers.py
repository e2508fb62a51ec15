import boto3

from moto import mock_aws


@mock_aws
def test_range_that_is_not_of_bytes_is_ignored() -> None:
    client = boto3.client("s3", region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="key", Body=b"data")
    for range_header in ("0-1", "lines=0-1"):
        found = client.get_object(Bucket="bucket", Key="key", Range=range_header)
        assert found["Body"].read() == b"data"
