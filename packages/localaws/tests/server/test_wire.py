"""Requests and answers in the protocols of AWS's APIs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from moto.core.request import Request

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.server import wire
from packages.localaws.tests.http_requests import request
from packages.localaws.tests.parts import client, refusal

JSON = "application/x-amz-json-1.1"


def read(service: str, operation: str, of: Request) -> dict[str, Any]:
    return wire.parse(service, operation, of, wire.operation_of(service, of)[1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("awslambda", "lambda"),
        ("servicequotas", "service-quotas"),
        ("ec2", "ec2"),
        ("nothing", None),
    ],
)
def test_botocores_name_of_a_service(name: str, expected: str | None) -> None:
    assert wire.botocore_name(name) == expected


class TestRequests:
    def test_json(self) -> None:
        found = request(
            body='{"ClusterName": "c"}',
            content_type=JSON,
            X_Amz_Target="SageMaker.DescribeCluster",
        )
        assert wire.operation_of("sagemaker", found) == ("DescribeCluster", {})
        assert read("sagemaker", "DescribeCluster", found) == {"ClusterName": "c"}

    def test_query(self) -> None:
        found = request(
            body="Action=GetRole&Version=2010-05-08&RoleName=r",
            content_type="application/x-www-form-urlencoded",
        )
        assert wire.operation_of("iam", found)[0] == "GetRole"
        assert read("iam", "GetRole", found) == {"RoleName": "r"}

    def test_rest_json_with_parameters_in_path_and_query(self) -> None:
        found = request("GET", "/clusters/c/node-groups?maxResults=2")
        assert wire.operation_of("eks", found)[0] == "ListNodegroups"
        assert read("eks", "ListNodegroups", found) == {"clusterName": "c", "maxResults": 2}

    def test_a_path_that_is_no_operation(self) -> None:
        assert wire.operation_of("eks", request("GET", "/nothing/of/this")) == (None, {})

    @pytest.mark.parametrize(
        ("service", "operation", "body", "code"),
        [
            ("sagemaker", "DescribeCluster", "{", "SerializationException"),
            ("sagemaker", "DescribeCluster", "[1]", "SerializationException"),
            ("sagemaker", "AddTags", '{"Tags": {}}', "SerializationException"),
            ("sagemaker", "AddTags", '{"Tags": [[]]}', "SerializationException"),
            ("sagemaker", "CreateCluster", '{"VpcConfig": []}', "SerializationException"),
        ],
    )
    def test_what_cannot_be_read(self, service: str, operation: str, body: str, code: str) -> None:
        found = request(body=body, content_type=JSON, X_Amz_Target=f"SageMaker.{operation}")
        with pytest.raises(AwsError, match="the request cannot be read") as caught:
            read(service, operation, found)
        assert caught.value.code == code

    def test_another_content_type_is_read_as_the_json_that_the_service_has(self) -> None:
        found = request(body='{"Namespace": "N"}', X_Amz_Target="x.ListMetrics")
        assert read("cloudwatch", "ListMetrics", found) == {"Namespace": "N"}


class TestAnswers:
    def test_what_is_written_is_read_again(self) -> None:
        found = request(body="{}", content_type=JSON, X_Amz_Target="SageMaker.CreateCluster")
        answered = wire.answer("sagemaker", "CreateCluster", found, {"ClusterArn": "arn:x"})
        assert answered[0] == 200
        assert wire.read_answer("sagemaker", "CreateCluster", answered)["ClusterArn"] == "arn:x"

    @pytest.mark.parametrize(
        ("service", "operation", "content_type"),
        [
            ("sagemaker", "CreateCluster", JSON),
            ("iam", "GetRole", "application/x-www-form-urlencoded"),
            ("ec2", "DescribeVpcs", "application/x-www-form-urlencoded"),
            ("s3", "GetBucketPolicy", ""),
        ],
    )
    def test_an_error_has_its_code_and_status_in_each_protocol(
        self, service: str, operation: str, content_type: str
    ) -> None:
        found = request(content_type=content_type)
        answered = wire.answer(service, operation, found, AwsError("OddCode", "why", 418))
        assert answered[0] == 418
        assert wire.error_code(service, operation, found, answered) == "OddCode"

    def test_an_error_without_a_message_has_no_member_for_it(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-09-19: SetAlarmState of no alarm."""
        asked = request(content_type="application/x-www-form-urlencoded")
        error = AwsError("ResourceNotFound", "", 404)
        body = wire.answer("cloudwatch", "SetAlarmState", asked, error)[2]
        assert b"Message" not in (body if isinstance(body, bytes) else body.encode())

    def test_the_message_of_an_error_has_the_name_in_the_model(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2022-09-28: Secrets Manager's is `Message`."""

        def named(service: str, code: str, **members: str) -> Any:
            body = json.dumps({"__type": code, **members})
            return json.loads(wire.with_modelled_message(service, (400, {}, body))[2])

        missing = "ResourceNotFoundException"
        found = named("secretsmanager", missing, message="no")
        assert found == {"__type": missing, "Message": "no"}
        assert named("kms", "NotFoundException", Message="no")["message"] == "no"
        assert named("kms", "OddException", Message="no")["Message"] == "no"
        assert named("kms", "NotFoundException") == {"__type": "NotFoundException"}
        body = json.dumps({"__type": missing, "message": "no"})
        sized = (400, {"content-length": "1"}, body)
        assert wire.with_modelled_message("secretsmanager", sized)[1] == {}

    def test_an_answer_that_no_parser_reads_has_no_code(self) -> None:
        found = request(content_type=JSON)
        assert wire.error_code("iam", "GetRole", found, (200, {}, "not XML")) is None


class TestWithoutAModel:
    def test_json(self) -> None:
        found = request(content_type=JSON, X_Amz_Target="Nothing.List")
        status, headers, body = wire.no_service("nothing", found)
        assert (status, headers["x-amzn-ErrorType"]) == (400, "UnknownOperationException")
        assert json.loads(body)["message"] == "the local AWS does not have the service nothing"

    def test_xml_is_escaped(self) -> None:
        _, headers, body = wire.plain_error(request(), "Code", "a < b", 404)
        assert headers == {"Content-Type": "text/xml"}
        assert "<Message>a &lt; b</Message>" in str(body)


def test_ids_of_requests_to_s3() -> None:
    answered = (200, {"x-amzn-RequestId": "one", "ETag": "two"}, b"")
    _, headers, _ = wire.with_ids_of_s3(answered)
    assert headers.pop("x-amz-id-2")
    assert headers == {"x-amz-request-id": "one", "ETag": "two"}
    _, headers, _ = wire.with_ids_of_s3((404, {}, b""))
    assert headers["x-amz-request-id"]


def test_bodies_of_reads_of_s3_are_ignored() -> None:
    of = request("GET", "/bucket/key", b"no XML")
    assert read("s3", "GetObject", of) == {"Bucket": "bucket", "Key": "key"}


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("filters", [(201, 1), (1, 201), (3, 67)])
def test_more_values_than_ec2_takes_are_refused(filters: tuple[int, int]) -> None:
    count, values = filters
    given = [{"Name": "tag:x", "Values": ["y"] * values}] * count
    error = refusal(client("ec2").describe_vpcs, Filters=given)
    assert "FilterLimitExceeded" in str(error)
    assert "The maximum number of filter values specified on a single call is 200" in str(error)


@pytest.mark.usefixtures("aws")
def test_as_many_values_as_ec2_takes() -> None:
    given = [{"Name": "vpc-id", "Values": ["vpc-1"] * 100}] * 2
    assert client("ec2").describe_vpcs(Filters=given)["Vpcs"] == []
