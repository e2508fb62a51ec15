import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_list_secret_version_ids() -> None:
    client = boto3.client("secretsmanager", region_name="us-east-1")
    secret = client.create_secret(Name="secret", SecretString="value")
    found = client.list_secret_version_ids(SecretId="secret")
    assert found["ARN"] == secret["ARN"]
    assert found["Versions"][0]["KmsKeyIds"] == ["DefaultEncryptionKey"]
    assert "NextToken" not in found


@mock_aws
def test_list_secret_version_ids_of_unknown_secret() -> None:
    client = boto3.client("secretsmanager", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.list_secret_version_ids(SecretId="none")
    assert exc.value.response["Error"]["Code"] == "ResourceNotFoundException"
