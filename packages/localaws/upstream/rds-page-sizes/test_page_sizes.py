import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize(
    "operation",
    [
        "describe_db_clusters",
        "describe_db_instances",
        "describe_db_parameter_groups",
        "describe_db_snapshots",
        "describe_db_subnet_groups",
    ],
)
@pytest.mark.parametrize("size", [19, 101])
def test_page_of_invalid_size(operation: str, size: int) -> None:
    client = boto3.client("rds", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        getattr(client, operation)(MaxRecords=size)
    assert exc.value.response["Error"]["Code"] == "InvalidParameterValue"
    assert exc.value.response["Error"]["Message"] == (
        f"Invalid value {size} for MaxRecords. Must be between 20 and 100"
    )
    getattr(client, operation)(MaxRecords=20)
