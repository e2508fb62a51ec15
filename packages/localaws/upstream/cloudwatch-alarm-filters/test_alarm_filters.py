import boto3

from moto import mock_aws

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


@mock_aws
def test_filters_of_alarms_are_combined() -> None:
    client = boto3.client("cloudwatch", region_name="us-east-1")
    for name, actions in (("one", []), ("other", [TOPIC])):
        client.put_metric_alarm(
            AlarmName=name,
            Namespace="N",
            MetricName="m",
            Statistic="Average",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1.0,
            ComparisonOperator="GreaterThanThreshold",
            OKActions=actions,
        )
    client.set_alarm_state(AlarmName="one", StateValue="ALARM", StateReason="test")

    def described(**filters) -> list[str]:  # type: ignore
        found = client.describe_alarms(**filters)["MetricAlarms"]
        return [alarm["AlarmName"] for alarm in found]

    assert described() == ["one", "other"]
    assert described(AlarmNames=["one", "other"], StateValue="ALARM") == ["one"]
    assert described(ActionPrefix="arn:aws:sns") == ["other"]
    assert described(AlarmTypes=["CompositeAlarm"]) == []
