import json

import boto3

from moto import mock_aws


@mock_aws
def test_platform_types_are_values_of_the_model() -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    content = {"schemaVersion": "1.0", "sessionType": "Standard_Stream", "inputs": {}}
    client.create_document(
        Name="document", DocumentType="Session", Content=json.dumps(content)
    )
    found = client.describe_document(Name="document")["Document"]
    assert found["PlatformTypes"] == ["Windows", "Linux", "MacOS"]
