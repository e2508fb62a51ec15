"""moto's SetQueueAttributes deletes the queue's policy unless the call sets it again."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SQS: SetQueueAttributes without a policy keeps the queue's policy"
REPRODUCTION = """\
import json

sqs = boto3.client("sqs")
url = sqs.create_queue(QueueName="q")["QueueUrl"]
statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage"}
policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "5"})
found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
assert found.get("Policy") == policy
"""


def apply() -> None:
    from moto.sqs.models import Queue

    set_in_moto = Queue._set_attributes

    def set_attributes(self: Any, attributes: dict[str, Any], now: float | None = None) -> None:
        # A new queue has no policy yet, and moto's own code sets it.
        if "Policy" not in attributes and getattr(self, "policy", None):
            attributes = {**attributes, "Policy": self.policy}
        set_in_moto(self, attributes, now)

    Queue._set_attributes = set_attributes  # type: ignore[method-assign]
