import boto3

from moto import mock_aws


@mock_aws
def test_state_of_new_and_of_changed_alarm() -> None:
    client = boto3.client("cloudwatch", region_name="us-east-1")
    alarm = {
        "AlarmName": "a",
        "Namespace": "N",
        "MetricName": "m",
        "Statistic": "Average",
        "Period": 60,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    client.put_metric_alarm(**alarm, Threshold=1.0)
    (found,) = client.describe_alarms(AlarmNames=["a"])["MetricAlarms"]
    assert found["StateValue"] == "INSUFFICIENT_DATA"

    client.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="test")
    client.put_metric_alarm(**alarm, Threshold=2.0)
    (found,) = client.describe_alarms(AlarmNames=["a"])["MetricAlarms"]
    assert found["StateValue"] == "ALARM"
