import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_describe_unknown_db_parameter_group() -> None:
    client = boto3.client("rds", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.describe_db_parameter_groups(DBParameterGroupName="none")
    assert exc.value.response["Error"]["Code"] == "DBParameterGroupNotFound"

    client.create_db_parameter_group(
        DBParameterGroupName="mine",
        DBParameterGroupFamily="mysql8.0",
        Description="mine",
    )
    found = client.describe_db_parameter_groups(DBParameterGroupName="mine")
    assert len(found["DBParameterGroups"]) == 1
