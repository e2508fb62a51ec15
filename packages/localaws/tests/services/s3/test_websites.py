"""Tests of services.s3.websites."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.websites import refuse_websites


def request(host: str) -> Any:
    return SimpleNamespace(headers={"Host": host})


@pytest.mark.parametrize(
    "host", ["b.s3-website-us-east-1.amazonaws.com", "b.s3-website.localhost:4566"]
)
def test_websites_are_refused(host: str) -> None:
    with pytest.raises(AwsError) as refused:
        refuse_websites(request(host), "us-east-1")
    assert (refused.value.code, refused.value.status) == ("NotImplemented", 501)


def test_the_api_is_not_refused() -> None:
    for host in ("b.s3.amazonaws.com", "localhost:4566", ""):
        assert refuse_websites(request(host), "us-east-1") is None
