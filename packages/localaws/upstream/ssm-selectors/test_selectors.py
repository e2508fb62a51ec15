import boto3

from moto import mock_aws


@mock_aws
def test_parameters_of_a_version_have_a_selector() -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    client.put_parameter(Name="name", Value="value", Type="String")
    client.label_parameter_version(Name="name", Labels=["label"])
    arn = client.get_parameter(Name="name")["Parameter"]["ARN"]

    assert client.get_parameter(Name="name:1")["Parameter"]["Selector"] == ":1"
    assert client.get_parameter(Name="name:label")["Parameter"]["Selector"] == ":label"
    assert client.get_parameter(Name=f"{arn}:1")["Parameter"]["Selector"] == ":1"
    assert "Selector" not in client.get_parameter(Name="name")["Parameter"]
    assert "Selector" not in client.get_parameter(Name=arn)["Parameter"]


@mock_aws
def test_get_parameters_returns_the_selector_of_each() -> None:
    client = boto3.client("ssm", region_name="us-east-1")
    for name in ("one", "two"):
        client.put_parameter(Name=name, Value="value", Type="String")
    found = client.get_parameters(Names=["one:1", "two"])["Parameters"]
    selectors = {parameter["Name"]: parameter.get("Selector") for parameter in found}
    assert selectors == {"one": ":1", "two": None}
