"""Tests of services.s3.presigned_urls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.presigned_urls import check_url, take_headers
from packages.localaws.tests.http_requests import request

BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VERSION_4 = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": "key/20260102/us-east-1/s3/aws4_request",
    "X-Amz-Signature": "0",
    "X-Amz-Date": "20260102T030405Z",
    "X-Amz-SignedHeaders": "host",
    "X-Amz-Expires": "60",
}
VERSION_2 = {
    "Signature": "0",
    "AWSAccessKeyId": "key",
    "Expires": str(int(BEGAN.timestamp()) + 60),
}


@pytest.mark.parametrize("query", [VERSION_4, VERSION_2])
def test_expired_urls(query: dict[str, str]) -> None:
    check_url(query, BEGAN + timedelta(seconds=59))
    with pytest.raises(AwsError) as refused:
        check_url(query, BEGAN + timedelta(seconds=61))
    assert (refused.value.code, refused.value.status) == ("AccessDenied", 403)
    assert vars(refused.value)["Expires"] == "2026-01-02T03:05:05Z"
    assert vars(refused.value)["ServerTime"] == "2026-01-02T03:05:06Z"
    assert vars(refused.value).get("X-Amz-Expires") == query.get("X-Amz-Expires")


@pytest.mark.parametrize(
    ("query", "missing", "code"),
    [
        (VERSION_4, "X-Amz-Date", "AuthorizationQueryParametersError"),
        (VERSION_4, "X-Amz-Expires", "AuthorizationQueryParametersError"),
        (VERSION_2, "Expires", "AccessDenied"),
    ],
)
def test_missing_parameters(query: dict[str, str], missing: str, code: str) -> None:
    with pytest.raises(AwsError) as refused:
        check_url({name: query[name] for name in query if name != missing}, BEGAN)
    assert refused.value.code == code


def test_urls_that_were_not_signed() -> None:
    check_url({"prefix": "a", "Expires": "0"}, BEGAN)


def test_headers_in_signed_urls() -> None:
    query = "X-Amz-Signature=0&X-Amz-Date=0&If-None-Match=*&x-amz-acl=private&prefix=a"
    query += "&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-tagging=a%3D1"
    of = request("PUT", f"/bucket/key?{query}", X_Amz_Tagging="a=2")
    before = dict(of.headers)
    take_headers(of)
    added = {"If-None-Match": "*", "X-Amz-Acl": "private"}
    assert dict(of.headers) == {**before, **added}
    signed = request("PUT", f"/bucket/key?{query}&X-Amz-SignedHeaders=host;x-amz-checksum-crc32")
    take_headers(signed)
    assert signed.headers["X-Amz-Checksum-Crc32"] == "AAAAAA=="
    plain = request("PUT", "/bucket/key?x-amz-acl=private")
    take_headers(plain)
    assert "X-Amz-Acl" not in plain.headers
