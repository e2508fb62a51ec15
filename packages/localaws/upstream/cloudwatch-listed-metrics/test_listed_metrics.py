import boto3

from moto import mock_aws


@mock_aws
def test_metric_is_listed_once_whatever_its_dimensions() -> None:
    client = boto3.client("cloudwatch", region_name="us-east-1")
    dimensions = [{"Name": "a", "Value": "1"}, {"Name": "b", "Value": "2"}]
    for listed in (dimensions, dimensions[::-1], [], []):
        client.put_metric_data(
            Namespace="N",
            MetricData=[{"MetricName": "m", "Value": 1, "Dimensions": listed}],
        )
    found = client.list_metrics(Namespace="N")["Metrics"]
    assert [len(metric["Dimensions"]) for metric in found] == [2, 0]
