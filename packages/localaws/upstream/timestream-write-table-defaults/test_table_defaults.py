import boto3

from moto import mock_aws


@mock_aws
def test_defaults_of_table() -> None:
    client = boto3.client("timestream-write", region_name="us-east-1")
    client.create_database(DatabaseName="database")
    client.create_table(DatabaseName="database", TableName="table")
    found = client.describe_table(DatabaseName="database", TableName="table")["Table"]
    assert found["MagneticStoreWriteProperties"] == {"EnableMagneticStoreWrites": False}
    assert found["Schema"]["CompositePartitionKey"] == [{"Type": "MEASURE"}]
