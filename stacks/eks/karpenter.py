"""AWS resources that Karpenter needs on plain EKS: two roles, an interruption queue, outputs.

The controller itself is a Helm chart, and its pools are manifests: `clusterwright render
kubernetes`. After aws/karpenter-provider-aws, v1.14,
website/content/en/v1.14/getting-started/getting-started-with-karpenter/cloudformation.yaml.
"""

from __future__ import annotations

from typing import Final

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs

from clusterwright.platforms.kubernetes import karpenter
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import ClusterStack
from stacks.base.tls_only import tls_only
from stacks.eks.karpenter_permissions import controller_role
from stacks.eks.node_groups import node_role
from stacks.foundation import Foundation
from stacks.kubernetes.control_plane import ControlPlaneStack

WARNINGS: Final = {
    "ScheduledChanges": ("aws.health", "AWS Health Event"),
    "SpotInterruptions": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "Rebalances": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "StateChanges": ("aws.ec2", "EC2 Instance State-change Notification"),
    "ReservationInterruptions": (
        "aws.ec2",
        "EC2 Capacity Reservation Instance Interruption Warning",
    ),
}
"""EventBridge rules, each with the source and detail type of its events (the same template)."""

RETENTION_SECONDS: Final = 300
"""A Spot interruption notice is two minutes ahead: after five the node is gone."""


class KarpenterStack(ClusterStack):
    """Not stateful. Its deletion does not delete nodes: delete them first (see the guide)."""

    NAME_SUFFIX = "karpenter"

    def __init__(self, base: Foundation, kubernetes: ControlPlaneStack) -> None:
        cluster, attachments, key_arn = base.cluster, base.attachments, base.identity.key_arn
        super().__init__(
            base.scope, cluster, description="Karpenter's roles and its interruption queue"
        )
        # Not the role of the node groups: EKS creates the access entry of that role itself and
        # refuses a second one, and the controller may pass this role only.
        nodes = node_role(self, cluster, key_arn)
        profile = iam.CfnInstanceProfile(self, "NodeProfile", roles=[nodes.role_name])
        eks.CfnAccessEntry(
            self,
            "NodeAccess",
            cluster_name=kubernetes.name,
            principal_arn=nodes.role_arn,
            type="EC2_LINUX",
        )
        queue = self._queue()
        controller = controller_role(
            self,
            base,
            node_role_arn=nodes.role_arn,
            profile_arn=profile.attr_arn,
            queue_arn=queue.attr_arn,
        )
        eks.CfnPodIdentityAssociation(
            self,
            "ControllerIdentity",
            cluster_name=kubernetes.name,
            namespace=karpenter.NAMESPACE,
            service_account=karpenter.SERVICE_ACCOUNT,
            role_arn=controller.role_arn,
        )
        outputs = {
            karpenter.INSTANCE_PROFILE: profile.ref,
            karpenter.SUBNETS: ",".join(attachments.node_subnet_ids),
            karpenter.SECURITY_GROUPS: ",".join(attachments.node_security_group_ids),
            karpenter.KEY: key_arn,
        }
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)

    def _queue(self) -> sqs.CfnQueue:
        """The queue of EC2's notices, which Karpenter reads and deletes; only EventBridge
        writes.
        """
        queue = sqs.CfnQueue(
            self,
            "Warnings",
            queue_name=karpenter.queue_name(self.cluster),
            message_retention_period=RETENTION_SECONDS,
            sqs_managed_sse_enabled=True,
        )
        acknowledge(
            queue,
            "AwsSolutions-SQS3",
            "a notice that was not read within five minutes is about a node that is gone",
        )
        rules = [self._rule(name, *of, queue=queue) for name, of in WARNINGS.items()]
        sqs.CfnQueuePolicy(
            self,
            "WarningsPolicy",
            queues=[queue.ref],
            policy_document=iam.PolicyDocument(
                statements=[
                    iam.PolicyStatement(
                        sid="RulesOfThisStack",
                        principals=[iam.ServicePrincipal("events.amazonaws.com")],
                        actions=["sqs:SendMessage"],
                        resources=[queue.attr_arn],
                        conditions={"ArnEquals": {"aws:SourceArn": [r.attr_arn for r in rules]}},
                    ),
                    tls_only("sqs:*", queue.attr_arn),
                ]
            ),
        )
        return queue

    def _rule(self, name: str, source: str, kind: str, *, queue: sqs.CfnQueue) -> events.CfnRule:
        return events.CfnRule(
            self,
            name,
            description=f"{self.cluster.environment}: {kind}, for Karpenter",
            event_pattern={"source": [source], "detail-type": [kind]},
            targets=[events.CfnRule.TargetProperty(arn=queue.attr_arn, id="Karpenter")],
        )
