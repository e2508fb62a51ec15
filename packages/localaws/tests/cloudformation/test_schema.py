from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation.evaluate import UNKNOWN
from clusterwright_localaws.cloudformation.schema import (
    ResourceSchema,
    resource_schema,
)


def schema(kind: str) -> ResourceSchema:
    found = resource_schema(kind, "us-east-1")
    assert found is not None
    return found


def refused(kind: str, properties: object) -> list[str]:
    return [str(item) for item in schema(kind).validate(properties)[1]]


@pytest.mark.parametrize(
    ("kind", "properties", "message"),
    [
        (
            "AWS::EC2::VPC",
            {"Nope": 1, "CidrBlock": "10.0.0.0/16"},
            "#: extraneous key [Nope] is not permitted",
        ),
        ("AWS::EC2::Subnet", {"CidrBlock": "10.0.0.0/24"}, "#: required key [VpcId] not found"),
        (
            "AWS::EC2::Subnet",
            {"VpcId": ["v"], "CidrBlock": "x"},
            "#/VpcId: expected type: String, found: JSONArray",
        ),
        (
            "AWS::S3::Bucket",
            {"Tags": {"a": "b"}},
            "#/Tags: expected type: JSONArray, found: JSONObject",
        ),
        ("AWS::S3::Bucket", {"Tags": [{"Key": "a"}]}, "#/Tags/0: required key [Value] not found"),
        (
            "AWS::Logs::LogGroup",
            {"RetentionInDays": 8},
            "#/RetentionInDays: failed validation constraint for keyword [enum]",
        ),
        (
            "AWS::Logs::LogGroup",
            {"RetentionInDays": "soon"},
            "#/RetentionInDays: expected type: Integer, found: String",
        ),
        ("AWS::S3::Bucket", {"Arn": "x"}, "#: Encountered unsupported property Arn"),
        (
            "AWS::SageMaker::Cluster",
            {"ClusterName": "x" * 70, "InstanceGroups": []},
            "#/ClusterName: expected maxLength: 63, actual: 70",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"ClusterName": "a b"},
            "#/ClusterName: failed validation constraint for keyword [pattern]",
        ),
        (
            "AWS::SageMaker::Cluster",
            {"VpcConfig": {"Subnets": [], "SecurityGroupIds": ["sg-1"]}},
            "#/VpcConfig/Subnets: expected minimum item count: 1, found: 0",
        ),
    ],
)
def test_schema_violations_are_refused(kind: str, properties: object, message: str) -> None:
    assert message in refused(kind, properties)


def test_scalars_are_accepted_as_text() -> None:
    coerced, wrong = schema("AWS::EC2::Subnet").validate(
        {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24", "MapPublicIpOnLaunch": "true"}
    )
    assert (coerced["MapPublicIpOnLaunch"], wrong) == (True, [])
    coerced, wrong = schema("AWS::Logs::LogGroup").validate({"RetentionInDays": "30"})
    assert (coerced["RetentionInDays"], wrong) == (30, [])
    coerced, wrong = schema("AWS::SSM::Parameter").validate({"Type": "String", "Value": 33})
    assert (coerced["Value"], wrong) == ("33", [])


def test_unknown_values_are_accepted() -> None:
    _, wrong = schema("AWS::EC2::Subnet").validate({"VpcId": UNKNOWN, "CidrBlock": UNKNOWN})
    assert wrong == []
    _, wrong = schema("AWS::EC2::VPCEndpoint").validate(
        {"VpcId": UNKNOWN, "ServiceName": UNKNOWN, "SubnetIds": [UNKNOWN, UNKNOWN]}
    )
    assert wrong == []


def test_length_of_a_dynamic_reference_is_not_checked() -> None:
    long = "{{resolve:secretsmanager:" + "x" * 200 + ":SecretString:username}}"
    assert refused("AWS::RDS::DBInstance", {"MasterUsername": long}) == []


def test_attributes_of_a_type_are_listed() -> None:
    database = schema("AWS::RDS::DBCluster")
    assert database.knows_attribute("Endpoint.Address")
    assert database.knows_attribute("DBClusterArn")
    assert not database.knows_attribute("Endpoint.Nope")


def test_create_only_properties_are_listed() -> None:
    cluster = schema("AWS::SageMaker::Cluster")
    assert ("Orchestrator", "Eks") in cluster.create_only
    assert ("ClusterName",) in cluster.create_only
    assert schema("AWS::EC2::SubnetRouteTableAssociation").deletes_first


def test_type_that_a_region_lacks_is_not_found() -> None:
    assert resource_schema("AWS::SageMaker::Cluster", "us-east-1") is not None
    assert resource_schema("AWS::SageMaker::Cluster", "ap-east-1") is None
    assert resource_schema("AWS::Nobody::Knows", "us-east-1") is None
