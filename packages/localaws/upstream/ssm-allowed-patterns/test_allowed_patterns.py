import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("^[0-9]+$", "ParameterPatternMismatchException"),
        ("(", "InvalidAllowedPatternException"),
    ],
)
def test_put_parameter_with_allowed_pattern(pattern: str, code: str) -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.put_parameter(
            Name="/name", Type="String", Value="letters", AllowedPattern=pattern
        )
    assert exc.value.response["Error"]["Code"] == code
    assert client.describe_parameters()["Parameters"] == []
