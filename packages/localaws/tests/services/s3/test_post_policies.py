"""Tests of services.s3.post_policies and of forms (services.s3.fixes.form_posts)."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.post_policies import check_form
from packages.localaws.tests.parts import client

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SIGNED = {"awsaccesskeyid": "key", "signature": "0"}


def form(*conditions: Any, expires: datetime = NOW + timedelta(hours=1), **fields: str) -> Any:
    policy = {"expiration": expires.strftime("%Y-%m-%dT%H:%M:%SZ"), "conditions": conditions}
    text = base64.b64encode(json.dumps(policy).encode()).decode()
    return {**SIGNED, "policy": text, "bucket": "one", **fields}


def refused(fields: dict[str, str], size: int = 4) -> AwsError:
    with pytest.raises(AwsError) as found:
        check_form(fields, size, NOW)
    return found.value


def test_forms_that_are_accepted() -> None:
    check_form({"key": "a"}, 4, NOW)
    check_form(
        form(
            {"bucket": "one"},
            ["eq", "$key", "a"],
            ["starts-with", "$Content-Type", "text/"],
            ["starts-with", "$x-amz-meta-any", ""],
            ["content-length-range", 4, 4],
            **{"key": "a", "content-type": "text/plain"},
        ),
        4,
        NOW,
    )


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        (["eq", "$key", "b"], '["eq", "$key", "b"]'),
        (["eq", "$key", "A"], '["eq", "$key", "A"]'),
        (["eq", "key", "a"], '["eq", "key", "a"]'),
        ({"key": "b"}, '["eq", "$key", "b"]'),
        (["starts-with", "$key", "b"], '["starts-with", "$key", "b"]'),
        (["content-length-range", "test", 10], '["content-length-range", "test", "10"]'),
    ],
)
def test_conditions_that_fail(condition: Any, shown: str) -> None:
    error = refused(form(condition, key="a"))
    assert (error.code, error.status) == ("AccessDenied", 403)
    assert error.message == f"Invalid according to Policy: Policy Condition failed: {shown}"


def test_other_refusals() -> None:
    error = refused(form(expires=NOW - timedelta(seconds=1)))
    assert error.message == "Invalid according to Policy: Policy expired."
    error = refused(form({"key": "a", "bucket": "one"}))
    assert error.code == "InvalidPolicyDocument"
    assert refused({**SIGNED, "policy": "?"}).message == "Invalid Policy: Invalid JSON."
    error = refused(form(["content-length-range", 0, 3]))
    assert (error.code, vars(error)["MaxSizeAllowed"]) == ("EntityTooLarge", 3)
    error = refused(form(["content-length-range", 5, 9]))
    assert (error.code, vars(error)["MinSizeAllowed"]) == ("EntityTooSmall", 5)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"signature": "0"}, "AWSAccessKeyId"),
        ({"awsaccesskeyid": "key"}, "Signature"),
        ({"x-amz-date": "0", "x-amz-signature": "0"}, "X-Amz-Algorithm"),
    ],
)
def test_missing_fields(given: dict[str, str], missing: str) -> None:
    error = refused({"policy": "e30=", **given})
    assert vars(error)["ArgumentName"] == missing
    assert refused({"policy": "e30="}).code == "AccessDenied"


def send(fields: dict[str, str], body: str = "text") -> Any:
    """Send a form to the bucket `one`; returns the answer."""
    import requests

    made = client("s3").generate_presigned_post(
        Bucket="one",
        Key=fields.pop("key", "a"),
        Fields=fields,
        Conditions=[{name: value} for name, value in fields.items()],
    )
    return requests.post(
        made["url"],
        data=made["fields"],
        files={"file": ("name.txt", body)},
        allow_redirects=False,
        timeout=60,
    )


@pytest.mark.usefixtures("aws")
def test_fields_of_forms() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    answer = send({"key": "dir/${filename}", "success_action_status": "201"})
    assert answer.status_code == 201
    assert "<Key>dir/name.txt</Key>" in answer.text
    assert answer.headers["ETag"] == s3.head_object(Bucket="one", Key="dir/name.txt")["ETag"]
    assert answer.headers["x-amz-checksum-type"] == "FULL_OBJECT"
    tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
    answer = send({"tagging": tags, "x-amz-storage-class": "STANDARD_IA"})
    assert answer.status_code == 204
    assert s3.head_object(Bucket="one", Key="a")["StorageClass"] == "STANDARD_IA"
    found = s3.get_object_tagging(Bucket="one", Key="a")["TagSet"]
    assert found == [{"Key": "k", "Value": "v"}]
    assert "MalformedXML" in send({"tagging": "no XML"}).text
    assert "StorageClassRequested" in send({"x-amz-storage-class": "Fake"}).text
    assert send({"success_action_redirect": "/relative"}).status_code == 204
    redirected = send({"success_action_redirect": "http://localhost/done"})
    assert redirected.status_code == 303
    assert "etag=" in redirected.headers["Location"]
