import boto3
import pytest

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize("name", ["point", "a-name-of-19-letters-and-more"])
def test_alias_of_access_point_has_63_characters(name: str) -> None:
    client = boto3.client("s3control", region_name="us-east-1")
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="bucket")
    point = client.create_access_point(
        AccountId="123456789012", Name=name, Bucket="bucket"
    )
    assert len(point["Alias"]) == 63
    assert point["Alias"].startswith(name[:19])
    assert point["Alias"].endswith("-s3alias")
