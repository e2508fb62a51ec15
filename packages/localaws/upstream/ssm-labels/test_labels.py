import boto3
import pytest

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize("reserved", ["AWS-one", "Ssm.two", "aWs"])
def test_labels_with_reserved_prefix_in_any_case(reserved: str) -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    client.put_parameter(Name="name", Value="value", Type="String")
    answer = client.label_parameter_version(Name="name", Labels=["one", reserved])
    assert answer["InvalidLabels"] == [reserved]

    history = client.get_parameter_history(Name="name")["Parameters"]
    assert history[0]["Labels"] == ["one"]
