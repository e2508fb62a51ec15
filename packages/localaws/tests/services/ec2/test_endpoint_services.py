"""Tests of services.ec2.endpoint_services."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.ec2 import endpoint_services as services

IN_REGION = "com.amazonaws.us-east-1."


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"{IN_REGION}s3", True),
        (f"{IN_REGION}sts-fips", True),
        (f"{IN_REGION}ecr.dkr", True),
        (f"{IN_REGION}none", False),
        (f"{IN_REGION}secretmanager", False),
        ("com.amazonaws.none", False),
        ("com.amazonaws.us-west-2.s3", False),
        (f"{IN_REGION}pcs", None),
        (f"{IN_REGION}bedrock-agentcore.gateway", None),
        (f"{IN_REGION}q", None),
        ("com.amazonaws.iam", None),
        ("com.amazonaws.s3-global.accesspoint", None),
        ("aws.sagemaker.us-east-1.notebook", None),
        ("com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0", None),
        ("com.amazonaws.vpce.us-west-2.vpce-svc-0123456789abcdef0", False),
    ],
)
def test_existence(name: str, expected: bool | None) -> None:
    assert services.exists(name, "us-east-1") is expected


def test_service_of_another_region() -> None:
    assert services.exists("com.amazonaws.us-west-2.s3", "us-east-1", "us-west-2") is True


def test_types() -> None:
    assert services.types_of(f"{IN_REGION}s3", "us-east-1") == ("Gateway", "Interface")
    assert services.types_of(f"{IN_REGION}s3express", "us-east-1") == ("Gateway",)
    assert services.types_of(f"{IN_REGION}logs", "us-east-1") == ("Interface",)
    assert services.types_of(f"{IN_REGION}pcs", "us-east-1") == ()


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        (f"{IN_REGION}ecr.api", "api.ecr.us-east-1.amazonaws.com"),
        ("com.example", "com.example"),
    ],
)
def test_domain(name: str, domain: str) -> None:
    assert services.domain_of(name) == domain
