"""Topics, their policies and subscriptions."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    policy_text,
    retag,
    text_attributes,
)

_TOPIC_ATTRIBUTES = (
    "ContentBasedDeduplication",
    "DisplayName",
    "FifoTopic",
    "KmsMasterKeyId",
    "SignatureVersion",
    "TracingConfig",
)
_SUBSCRIPTION_ATTRIBUTES = (
    "DeliveryPolicy",
    "FilterPolicy",
    "FilterPolicyScope",
    "RawMessageDelivery",
    "RedrivePolicy",
    "SubscriptionRoleArn",
)


class Topic(Handler):
    type_name = "AWS::SNS::Topic"
    supported_properties = frozenset({*_TOPIC_ATTRIBUTES, "Subscription", "Tags", "TopicName"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        sns = ctx.client("sns")
        fifo = properties.get("FifoTopic", False)
        name = properties.get("TopicName") or (
            ctx.generated_name(max_length=251) + (".fifo" if fifo else "")
        )
        arn = sns.create_topic(
            Name=name,
            Attributes=text_attributes(properties, _TOPIC_ATTRIBUTES),
            **ctx.tagging(properties),
        )["TopicArn"]
        ctx.identify(arn)
        for item in properties.get("Subscription", []):
            sns.subscribe(TopicArn=arn, Protocol=item["Protocol"], Endpoint=item["Endpoint"])
        return self._created(arn)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        sns = ctx.client("sns")
        before, after = (text_attributes(item, _TOPIC_ATTRIBUTES) for item in (old, new))
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name) and name != "FifoTopic":
                sns.set_topic_attributes(
                    TopicArn=physical_id,
                    AttributeName=name,
                    AttributeValue=after.get(name, ""),
                )
        self._resubscribe(sns, physical_id, old, new)
        retag(ctx, "sns", old, new, ResourceArn=physical_id)
        return self._created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("sns").delete_topic(TopicArn=physical_id)

    def _resubscribe(self, sns: Any, arn: str, old: Properties, new: Properties) -> None:
        if not changed(old, new, "Subscription"):
            return
        requested = [(item["Protocol"], item["Endpoint"]) for item in new.get("Subscription", [])]
        had = [(item["Protocol"], item["Endpoint"]) for item in old.get("Subscription", [])]
        for page in sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=arn):
            for subscription in page["Subscriptions"]:
                key = (subscription["Protocol"], subscription["Endpoint"])
                pending = subscription["SubscriptionArn"] == "PendingConfirmation"
                if key in had and key not in requested and not pending:
                    sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])
        for protocol, endpoint in requested:
            if (protocol, endpoint) not in had:
                sns.subscribe(TopicArn=arn, Protocol=protocol, Endpoint=endpoint)

    def _created(self, arn: str) -> Created:
        return Created(arn, {"TopicArn": arn, "TopicName": arn.rsplit(":", 1)[-1]})


class TopicPolicy(Handler):
    type_name = "AWS::SNS::TopicPolicy"

    def create(self, ctx: Context, properties: Properties) -> Created:
        physical_id = ctx.generated_name()
        ctx.identify(physical_id)
        self._put(ctx, properties)
        return Created(physical_id, {"Id": physical_id})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        gone = [topic for topic in old["Topics"] if topic not in new["Topics"]]
        self._put(ctx, new)
        self._reset(ctx, gone)
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        self._reset(ctx, properties["Topics"])

    def _put(self, ctx: Context, properties: Properties) -> None:
        for arn in properties["Topics"]:
            ctx.client("sns").set_topic_attributes(
                TopicArn=arn,
                AttributeName="Policy",
                AttributeValue=policy_text(properties["PolicyDocument"]),
            )

    def _reset(self, ctx: Context, topics: list[str]) -> None:
        """Reset the policy of topics to the default, which allows everything to the owner."""
        from botocore.exceptions import ClientError

        for arn in topics:
            default = {
                "Version": "2008-10-17",
                "Id": "__default_policy_ID",
                "Statement": [
                    {
                        "Sid": "__default_statement_ID",
                        "Effect": "Allow",
                        "Principal": {"AWS": "*"},
                        "Action": [
                            "SNS:GetTopicAttributes",
                            "SNS:SetTopicAttributes",
                            "SNS:AddPermission",
                            "SNS:RemovePermission",
                            "SNS:DeleteTopic",
                            "SNS:Subscribe",
                            "SNS:ListSubscriptionsByTopic",
                            "SNS:Publish",
                        ],
                        "Resource": arn,
                        "Condition": {"StringEquals": {"AWS:SourceOwner": ctx.account}},
                    }
                ],
            }
            try:
                ctx.client("sns").set_topic_attributes(
                    TopicArn=arn, AttributeName="Policy", AttributeValue=json.dumps(default)
                )
            except ClientError as error:
                if "NotFound" not in error.response["Error"]["Code"]:
                    raise


class Subscription(Handler):
    type_name = "AWS::SNS::Subscription"
    supported_properties = frozenset(
        {*_SUBSCRIPTION_ATTRIBUTES, "Endpoint", "Protocol", "Region", "TopicArn"}
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        sns = ctx.client("sns", region=properties.get("Region"))
        arn = sns.subscribe(
            TopicArn=properties["TopicArn"],
            Protocol=properties["Protocol"],
            Endpoint=properties.get("Endpoint", ""),
            Attributes=text_attributes(properties, _SUBSCRIPTION_ATTRIBUTES),
            ReturnSubscriptionArn=True,
        )["SubscriptionArn"]
        return Created(arn, {"Arn": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        sns = ctx.client("sns", region=new.get("Region"))
        before, after = (text_attributes(item, _SUBSCRIPTION_ATTRIBUTES) for item in (old, new))
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name):
                sns.set_subscription_attributes(
                    SubscriptionArn=physical_id,
                    AttributeName=name,
                    AttributeValue=after.get(name, "{}"),
                )
        return Created(physical_id, {"Arn": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("sns", region=properties.get("Region")).unsubscribe(SubscriptionArn=physical_id)
