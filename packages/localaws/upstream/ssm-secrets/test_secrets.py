import boto3

from moto import mock_aws


@mock_aws
def test_secret_read_as_parameter_has_the_requested_name() -> None:
    secretsmanager = boto3.client("secretsmanager", region_name="us-east-1")
    secretsmanager.create_secret(Name="database/password", SecretString="value")
    client = boto3.client("ssm", region_name="us-east-1")
    name = "/aws/reference/secretsmanager/database/password"
    parameter = client.get_parameter(Name=name, WithDecryption=True)["Parameter"]
    assert parameter["Name"] == name
    assert parameter["Value"] == "value"
