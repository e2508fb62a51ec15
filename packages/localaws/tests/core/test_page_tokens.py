"""Tests of core.page_tokens: every operation that has a token refuses what it did not issue."""

from __future__ import annotations

import random
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError
from moto import backend_index

from clusterwright_localaws import local_aws, services
from clusterwright_localaws.core import boto_clients
from clusterwright_localaws.core.page_tokens import Tokens, refusal, tokens_of
from clusterwright_localaws.server import wire
from packages.localaws.tests.generated_inputs import Pool, smallest
from packages.localaws.tests.parts import REGION, client
from packages.localaws.tests.parts import refusal as refused

ACCOUNT = "123456789012"
# botocore asks for a valid ARN to find the address.
STREAM = "arn:aws:kinesis:us-east-1:123456789012:stream/s"
# The address of the service is that of another service here, whose operation has no token.
ELSEWHERE = {("timestream-query", "ListTagsForResource")}


def _services() -> list[str]:
    of_moto = {wire.botocore_name(name) for name, _ in backend_index.backend_url_patterns}
    return sorted({one for one in of_moto if one} | set(services.own_services()))


@pytest.mark.parametrize("service", _services())
def test_a_token_that_was_not_issued_is_refused(service: str) -> None:
    model, pool, found = wire.service_model(service), Pool(), {}
    pool.add({"StreamARN": STREAM, "ResourceARN": STREAM})
    with local_aws():
        caller = _caller(service)
        for operation in model.operation_names:
            tokens = tokens_of(service, operation)
            if tokens is not None and (service, operation) not in ELSEWHERE:
                shape = model.operation_model(operation).input_shape
                parameters = smallest(shape, random.Random(3), pool)
                least = int(shape.members[tokens.given].metadata.get("min", 1))
                token = "nonsense" * (1 + least // 8)
                found[operation] = _outcome(caller, operation, parameters | {tokens.given: token})
    assert {name: said for name, said in found.items() if said != "refused"} == {}


def _caller(service: str) -> Any:
    """Return a client that sends requests which botocore itself would not send."""
    caller = boto_clients._build(service, ACCOUNT, REGION)
    caller.meta.config.parameter_validation = False
    caller._serializer = getattr(caller._serializer, "_serializer", caller._serializer)
    return caller


def _outcome(caller: Any, operation: str, parameters: dict[str, Any]) -> str:
    try:
        getattr(caller, xform_name(operation))(**parameters)
    except ClientError as error:
        said = error.response["Error"]
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        is_ours = said["Code"] in ("InternalFailure", "InternalError")
        return "refused" if 400 <= status < 500 and not is_ours else f"{status} {said}"
    return "accepted"


@pytest.mark.parametrize(
    ("service", "operation", "code"),
    [
        ("iam", "ListRoles", "ValidationError"),
        ("iam", "GetAccountAuthorizationDetails", "ValidationError"),
        ("ec2", "DescribeInstances", "InvalidNextToken"),
        ("ec2", "DescribeVpcs", "InvalidNextToken"),
        ("secretsmanager", "ListSecrets", "InvalidNextTokenException"),
        ("ssm", "DescribeParameters", "InvalidNextToken"),
        ("sns", "ListTopics", "InvalidParameter"),
        ("rds", "DescribeDBInstances", "InvalidParameterValue"),
        ("logs", "DescribeDestinations", "InvalidParameterException"),
        ("kms", "ListKeys", "InvalidMarkerException"),
    ],
)
def test_the_code_is_that_of_the_service(service: str, operation: str, code: str) -> None:
    tokens = tokens_of(service, operation)
    assert tokens is not None
    said = refusal(service, operation)
    assert (said.code, said.message) == (code, f"The {tokens.given} is not valid")
    with local_aws():
        call = getattr(client(service), xform_name(operation))
        assert refused(call, **{tokens.given: "nonsense"})[0] == code


@pytest.mark.usefixtures("aws")
def test_a_token_belongs_to_its_operation_and_region() -> None:
    secrets = client("secretsmanager")
    for number in range(3):
        secrets.create_secret(Name=f"s{number}", SecretString="v")
    token = secrets.list_secrets(MaxResults=1)["NextToken"]
    assert secrets.list_secrets(MaxResults=1, NextToken=token)["SecretList"]
    elsewhere = client("secretsmanager", "eu-west-1").list_secrets
    for call in (elsewhere, secrets.batch_get_secret_value):
        assert refused(call, NextToken=token)[0] == "InvalidNextTokenException"


@pytest.mark.usefixtures("aws")
def test_client_tokens_are_no_tokens_of_pages() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    assert ec2.create_route_table(VpcId=vpc, ClientToken="mine")["RouteTable"]


@pytest.mark.parametrize(
    ("service", "operation", "expected"),
    [
        ("iam", "ListRoles", Tokens("Marker", "Marker")),
        ("lambda", "ListFunctions", Tokens("Marker", "NextMarker")),
        ("rds", "DescribeEngineDefaultParameters", Tokens("Marker", "EngineDefaults.Marker")),
        # Tokens of another kind, names, and a structure.
        ("ec2", "CreateRouteTable", None),
        ("ec2", "CreateNetworkInterface", None),
        ("wafv2", "UpdateWebACL", None),
        ("logs", "PutLogEvents", None),
        ("route53", "ListHostedZones", None),
        ("s3", "ListObjects", None),
        ("dynamodb", "Scan", None),
    ],
)
def test_names_of_tokens(service: str, operation: str, expected: Tokens | None) -> None:
    assert tokens_of(service, operation) == expected
