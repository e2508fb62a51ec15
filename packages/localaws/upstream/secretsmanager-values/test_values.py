import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_value_of_unknown_secret_has_status_400() -> None:
    client = boto3.client("secretsmanager", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.get_secret_value(SecretId="none")
    assert exc.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert exc.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@mock_aws
def test_value_of_unknown_stage_names_the_stage() -> None:
    client = boto3.client("secretsmanager", region_name="us-east-1")
    client.create_secret(Name="secret", SecretString="value")
    with pytest.raises(ClientError) as exc:
        client.get_secret_value(SecretId="secret", VersionStage="none")
    assert exc.value.response["Error"] == {
        "Code": "ResourceNotFoundException",
        "Message": "Secrets Manager can't find the specified secret value for "
        "staging label: none",
    }
    assert exc.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@mock_aws
def test_value_after_the_current_stage_was_moved() -> None:
    client = boto3.client("secretsmanager", region_name="us-east-1")
    first = client.create_secret(Name="secret", SecretString="first")["VersionId"]
    second = client.put_secret_value(SecretId="secret", SecretString="second")
    client.update_secret_version_stage(
        SecretId="secret",
        VersionStage="AWSCURRENT",
        RemoveFromVersionId=second["VersionId"],
        MoveToVersionId=first,
    )
    assert client.get_secret_value(SecretId="secret")["SecretString"] == "first"
