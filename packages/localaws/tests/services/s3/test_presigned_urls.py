"""Tests of services.s3.presigned_urls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.presigned_urls import check_url

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
