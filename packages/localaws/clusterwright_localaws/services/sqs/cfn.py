"""Queues and their policies."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    policy_text,
    retag,
    text_attributes,
)

_ATTRIBUTES = (
    "ContentBasedDeduplication",
    "DeduplicationScope",
    "DelaySeconds",
    "FifoQueue",
    "FifoThroughputLimit",
    "KmsDataKeyReusePeriodSeconds",
    "KmsMasterKeyId",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds",
    "RedriveAllowPolicy",
    "RedrivePolicy",
    "SqsManagedSseEnabled",
    "VisibilityTimeout",
)
_DEFAULTS = {
    "ContentBasedDeduplication": "false",
    "DelaySeconds": "0",
    "KmsDataKeyReusePeriodSeconds": "300",
    "KmsMasterKeyId": "",
    "MaximumMessageSize": "262144",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "RedriveAllowPolicy": "",
    "RedrivePolicy": "",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
"""Default attributes of a queue (SQS API, SetQueueAttributes)."""


class Queue(Handler):
    """``Ref`` is the queue's URL."""

    type_name = "AWS::SQS::Queue"

    def create(self, ctx: Context, properties: Properties) -> Created:
        sqs = ctx.client("sqs")
        fifo = bool(properties.get("FifoQueue"))
        name = properties.get("QueueName") or (
            ctx.generated_name(max_length=75 if fifo else 80) + (".fifo" if fifo else "")
        )
        url = sqs.create_queue(
            QueueName=name,
            Attributes=text_attributes(properties, _ATTRIBUTES),
            **ctx.tagging(properties, "tags", as_map=True),
        )["QueueUrl"]
        ctx.identify(url)
        return _created(sqs, url)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        sqs = ctx.client("sqs")
        before, after = (text_attributes(each, _ATTRIBUTES) for each in (old, new))
        changes = {
            name: after.get(name, _DEFAULTS.get(name, ""))
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)
        }
        if changes:
            sqs.set_queue_attributes(QueueUrl=physical_id, Attributes=changes)
        retag(ctx, "sqs", old, new, calls=("tag_queue", "untag_queue"), QueueUrl=physical_id)
        return _created(sqs, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("sqs").delete_queue(QueueUrl=physical_id)


class QueuePolicy(Handler):
    type_name = "AWS::SQS::QueuePolicy"

    def create(self, ctx: Context, properties: Properties) -> Created:
        physical_id = ctx.generated_name()
        ctx.identify(physical_id)
        _put(ctx, properties["Queues"], policy_text(properties["PolicyDocument"]))
        return Created(physical_id, {"Id": physical_id})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        _put(ctx, new["Queues"], policy_text(new["PolicyDocument"]))
        _put(ctx, [queue for queue in old["Queues"] if queue not in new["Queues"]], "")
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        _put(ctx, properties["Queues"], "")


def _put(ctx: Context, urls: list[str], policy: str) -> None:
    """Set the policy of queues; an empty policy is set only on queues that still exist."""
    from botocore.exceptions import ClientError

    for url in urls:
        try:
            ctx.client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
        except ClientError as error:
            if policy or "NonExistentQueue" not in error.response["Error"]["Code"]:
                raise


def _created(sqs: Any, url: str) -> Created:
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    arn = attributes["QueueArn"]
    return Created(url, {"Arn": arn, "QueueName": arn.rsplit(":", 1)[-1], "QueueUrl": url})
