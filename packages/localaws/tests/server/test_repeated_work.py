"""Tests of server.repeated_work."""

from __future__ import annotations

import pytest
from moto.core import responses
from moto.core.utils import method_names_from_class
from moto.ec2.responses import EC2Response
from moto.s3.models import s3_backends

from clusterwright_localaws.core.runtime import Runtime

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
