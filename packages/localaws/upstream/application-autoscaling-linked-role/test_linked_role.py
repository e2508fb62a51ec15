import boto3

from moto import mock_aws


@mock_aws
def test_scalable_target_without_role_has_the_service_linked_role() -> None:
    client = boto3.client("application-autoscaling", region_name="us-east-1")
    role = "arn:aws:iam::123456789012:role/mine"
    for resource, more in (("table/one", {}), ("table/two", {"RoleARN": role})):
        client.register_scalable_target(
            ServiceNamespace="dynamodb",
            ResourceId=resource,
            ScalableDimension="dynamodb:table:ReadCapacityUnits",
            MinCapacity=1,
            MaxCapacity=2,
            **more,
        )
    targets = client.describe_scalable_targets(ServiceNamespace="dynamodb")
    roles = {
        target["ResourceId"]: target["RoleARN"] for target in targets["ScalableTargets"]
    }
    assert roles == {
        "table/one": (
            "arn:aws:iam::123456789012:role/aws-service-role/"
            "dynamodb.application-autoscaling.amazonaws.com/"
            "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
        ),
        "table/two": role,
    }
