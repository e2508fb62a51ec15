import json

import boto3

from moto import mock_aws


@mock_aws
def test_set_queue_attributes_keeps_the_policy() -> None:
    client = boto3.client("sqs", region_name="us-east-1")
    url = client.create_queue(QueueName="queue")["QueueUrl"]
    statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    client.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
    client.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "5"})

    found = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
    assert found["Attributes"]["Policy"] == policy
    assert found["Attributes"]["DelaySeconds"] == "5"
