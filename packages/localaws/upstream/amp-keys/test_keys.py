import boto3

from moto import mock_aws


@mock_aws
def test_workspace_has_the_kms_key_of_its_creation() -> None:
    client = boto3.client("amp", region_name="us-east-1")
    key = boto3.client("kms", region_name="us-east-1").create_key()["KeyMetadata"][
        "Arn"
    ]

    workspace = client.create_workspace(alias="encrypted", kmsKeyArn=key)
    assert workspace["kmsKeyArn"] == key

    workspace_id = workspace["workspaceId"]
    found = client.describe_workspace(workspaceId=workspace_id)["workspace"]
    assert found["kmsKeyArn"] == key

    other = client.create_workspace(alias="plain")["workspaceId"]
    assert "kmsKeyArn" not in client.describe_workspace(workspaceId=other)["workspace"]
