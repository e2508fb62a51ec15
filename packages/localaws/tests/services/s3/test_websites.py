"""Tests of services.s3.websites."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.websites import refuse_websites
from packages.localaws.tests.parts import client, refusal

INDEX = {"IndexDocument": {"Suffix": "index.html"}}


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


@pytest.mark.parametrize(
    ("configuration", "code", "begins"),
    [
        ({"IndexDocument": {"Suffix": "/index.html"}}, "InvalidArgument", "The IndexDocument"),
        ({"IndexDocument": {"Suffix": ""}}, "InvalidArgument", "The IndexDocument"),
        (
            {"RedirectAllRequestsTo": {"HostName": "test"}, **INDEX},
            "InvalidArgument",
            "RedirectAllRequestsTo cannot",
        ),
        ({"ErrorDocument": {"Key": "error.html"}}, "InvalidArgument", "A value for IndexDocument"),
        (
            {**INDEX, "RoutingRules": [{"Redirect": {"Protocol": "ftp"}}]},
            "InvalidRequest",
            "Invalid protocol",
        ),
        (
            {
                **INDEX,
                "RoutingRules": [
                    {"Redirect": {"ReplaceKeyPrefixWith": "a", "ReplaceKeyWith": "b"}}
                ],
            },
            "InvalidRequest",
            "You can only define",
        ),
        (
            {**INDEX, "RoutingRules": [{"Redirect": {"HostName": "a"}, "Condition": {}}]},
            "InvalidRequest",
            "Condition cannot be empty",
        ),
        ({**INDEX, "RoutingRules": []}, "MalformedXML", "The XML"),
    ],
)
def test_configurations_that_are_refused(
    aws: Any, configuration: dict[str, Any], code: str, begins: str
) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    found = refusal(s3.put_bucket_website, Bucket="one", WebsiteConfiguration=configuration)
    assert found[0] == code
    assert found[1].startswith(begins)


def test_configurations_that_are_taken(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    rules = [{"Redirect": {"HostName": "a", "Protocol": "https"}}]
    for given in ({**INDEX, "RoutingRules": rules}, {"RedirectAllRequestsTo": {"HostName": "a"}}):
        s3.put_bucket_website(Bucket="one", WebsiteConfiguration=given)
