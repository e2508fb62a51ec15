"""moto keeps no role of a scalable target that was registered without one.

AWS uses the service-linked role of the namespace:
https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-service-linked-roles.html
"""

from __future__ import annotations

from typing import Any, Final

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Application Auto Scaling: targets without a role have the service-linked one"
REPRODUCTION = """\
scaling = boto3.client("application-autoscaling")
target = {
    "ServiceNamespace": "dynamodb",
    "ResourceId": "table/one",
    "ScalableDimension": "dynamodb:table:ReadCapacityUnits",
}
scaling.register_scalable_target(**target, MinCapacity=1, MaxCapacity=2)
(found,) = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
assert found["RoleARN"].endswith("/AWSServiceRoleForApplicationAutoScaling_DynamoDBTable")
"""
# The part of the role's name after `AWSServiceRoleForApplicationAutoScaling_`, and the start of
# the service's principal, by namespace.
_ROLES: Final = {
    "appstream": ("AppStreamFleet", "appstream"),
    "cassandra": ("CassandraTable", "cassandra"),
    "comprehend": ("ComprehendEndpoint", "comprehend"),
    "custom-resource": ("CustomResource", "custom-resource"),
    "dynamodb": ("DynamoDBTable", "dynamodb"),
    "ec2": ("EC2SpotFleetRequest", "ec2"),
    "ecs": ("ECSService", "ecs"),
    "elasticache": ("ElastiCacheRG", "elasticache"),
    "elasticmapreduce": ("EMRContainer", "elasticmapreduce"),
    "kafka": ("KafkaCluster", "kafka"),
    "lambda": ("LambdaConcurrency", "lambda"),
    "neptune": ("NeptuneCluster", "neptune"),
    "rds": ("RDSCluster", "rds"),
    "sagemaker": ("SageMakerEndpoint", "sagemaker"),
}


def apply() -> None:
    from moto.applicationautoscaling.models import FakeScalableTarget

    initialise = FakeScalableTarget.__init__

    def __init__(self: Any, backend: Any, namespace: str, *rest: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, backend, namespace, *rest, **named)
        known = _ROLES.get(namespace)
        if not self.role_arn and known is not None:
            name, principal = known
            self.role_arn = (
                f"arn:{backend.partition}:iam::{backend.account_id}:role/aws-service-role/"
                f"{principal}.application-autoscaling.amazonaws.com/"
                f"AWSServiceRoleForApplicationAutoScaling_{name}"
            )

    FakeScalableTarget.__init__ = __init__  # type: ignore[method-assign,assignment]
