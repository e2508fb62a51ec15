import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
def test_get_parameters_by_path_without_slash() -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    client.put_parameter(Name="/path/one", Value="value", Type="String")
    with pytest.raises(ClientError) as exc:
        client.get_parameters_by_path(Path="path")
    assert exc.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": 'The parameter name must begin with a forward slash "/". All '
        'sub-paths, if specified, must use the forward slash symbol "/".',
    }

    found = client.get_parameters_by_path(Path="/path")["Parameters"]
    assert [parameter["Name"] for parameter in found] == ["/path/one"]
