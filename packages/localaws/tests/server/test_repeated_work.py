"""Tests of server.repeated_work."""

from __future__ import annotations

import time

import pytest
from moto.core import responses
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.utils import method_names_from_class
from moto.ec2.responses import EC2Response
from moto.s3.models import s3_backends

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server import wire

ACCOUNT = "111122223333"


def test_names_are_those_of_the_methods(aws: Runtime) -> None:
    names = responses.method_names_from_class(EC2Response)
    expected = set(method_names_from_class(EC2Response))
    assert {name for name in dir(EC2Response) if name in names} == expected
    assert "describe_nothing" not in names


def test_urls_of_a_service_follow_its_custom_endpoints(
    aws: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = s3_backends[ACCOUNT]["aws"].urls
    assert s3_backends[ACCOUNT]["aws"].urls is urls
    monkeypatch.setenv("MOTO_S3_CUSTOM_ENDPOINTS", "https://storage.example")
    more = s3_backends[ACCOUNT]["aws"].urls
    assert set(urls) < set(more)
    assert all("storage.example" in url for url in set(more) - set(urls))


def test_members_of_long_lists_are_read_as_before() -> None:
    operation = wire.service_model("ec2").operation_model("CreateVpc")
    fields = {"CidrBlock": "10.0.0.0/16", "TagSpecification.1.ResourceType": "vpc"}
    for number in range(1, 12):
        fields |= {f"TagSpecification.1.Tag.{number}.{part}": "x" for part in ("Key", "Value")}
    fields |= {"TagSpecification.1.Tag.13.Key": "after a gap", "Unknown.a.b": "c"}
    found = PROTOCOL_PARSERS["ec2"](operation).parse({"values": fields})
    assert found == {
        "CidrBlock": "10.0.0.0/16",
        "TagSpecifications": [{"ResourceType": "vpc", "Tags": [{"Key": "x", "Value": "x"}] * 11}],
    }


@pytest.mark.parametrize(
    ("service", "name", "protocol", "form"),
    [
        ("ec2", "CreateTags", "ec2", "Tag.{}.Key"),
        ("sns", "CreateTopic", "query", "Tags.member.{}.Key"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_long_lists_take_linear_time(service: str, name: str, protocol: str, form: str) -> None:
    fields = {form.format(number): "x" for number in range(1, 30_001)}
    operation = wire.service_model(service).operation_model(name)
    started = time.monotonic()
    found = PROTOCOL_PARSERS[protocol](operation).parse({"values": fields})
    assert len(found["Tags"]) == 30_000
    assert time.monotonic() - started < 20


def test_very_deep_names_of_fields(aws: Runtime) -> None:
    operation = wire.service_model("ec2").operation_model("CreateTags")
    fields = {"Tag.1.Key": "x", "Tag.1" + ".a" * 200_000: "y"}
    assert PROTOCOL_PARSERS["ec2"](operation).parse({"values": fields}) == {"Tags": [{"Key": "x"}]}
