import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_describe_option_groups_without_name() -> None:
    client = boto3.client("rds", region_name="us-east-1")
    assert client.describe_option_groups()["OptionGroupsList"] == []

    for name, engine, version in (("one", "mysql", "8.0"), ("two", "mariadb", "10.6")):
        client.create_option_group(
            OptionGroupName=name,
            EngineName=engine,
            MajorEngineVersion=version,
            OptionGroupDescription="description",
        )
    assert len(client.describe_option_groups()["OptionGroupsList"]) == 2
    found = client.describe_option_groups(EngineName="mariadb")["OptionGroupsList"]
    assert [group["OptionGroupName"] for group in found] == ["two"]
    found = client.describe_option_groups(EngineName="mysql", MajorEngineVersion="5.7")
    assert found["OptionGroupsList"] == []

    with pytest.raises(ClientError) as exc:
        client.describe_option_groups(OptionGroupName="none")
    assert exc.value.response["Error"]["Code"] == "OptionGroupNotFoundFault"
