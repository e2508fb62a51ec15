"""Tests of services.s3.signatures: URLs and forms that botocore signs, and changes to them."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from botocore.config import Config
from moto.core.request import Request

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.signatures import check_form_signature, check_signed_url
from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import REGION, client

pytestmark = pytest.mark.usefixtures("aws")
KEY = "a/b c+d=é"
VERSIONS = pytest.mark.parametrize("version", ["s3", "s3v4"])


def issued() -> dict[str, str]:
    iam = client("iam")
    iam.create_user(UserName="signer")
    found = iam.create_access_key(UserName="signer")["AccessKey"]
    return {
        "aws_access_key_id": found["AccessKeyId"],
        "aws_secret_access_key": found["SecretAccessKey"],
    }


def signer(version: str, keys: dict[str, str], style: str = "path") -> Any:
    config = Config(signature_version=version, s3={"addressing_style": style})
    address = "http://localhost:5555"
    return boto3.client("s3", REGION, endpoint_url=address, config=config, **keys)


def put_url(version: str, keys: dict[str, str], style: str = "path", **more: Any) -> str:
    s3 = signer(version, keys, style)
    return str(s3.generate_presigned_url("put_object", {"Bucket": "bucket", "Key": KEY, **more}))


def check(method: str, url: str, **headers: str) -> None:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request.from_primitives(method, url, given)
    request.environ["RAW_URI"] = url.split("5555", 1)[1]
    check_signed_url(request, "bucket")


def refused(method: str, url: str, **headers: str) -> dict[str, Any]:
    with pytest.raises(AwsError) as found:
        check(method, url, **headers)
    return vars(found.value)


@VERSIONS
@pytest.mark.parametrize("style", ["path", "virtual"])
def test_urls_as_they_were_signed(version: str, style: str) -> None:
    keys = issued()
    check("PUT", put_url(version, keys, style))
    check(
        "PUT", put_url(version, keys, style, ContentType="text/plain"), Content_Type="text/plain"
    )
    read = {"Bucket": "bucket", "Key": KEY, "ResponseContentType": "text/plain; a=b"}
    check("GET", signer(version, keys, style).generate_presigned_url("get_object", read))
    text = "a  b"
    url = put_url(version, keys, style, Metadata={"foo": text})
    check("PUT", url, x_amz_meta_foo=text)


@VERSIONS
@pytest.mark.parametrize("style", ["path", "virtual"])
@pytest.mark.parametrize("operation", ["list_objects_v2", "head_bucket"])
def test_urls_of_buckets(version: str, style: str, operation: str) -> None:
    """Of these version 2 signs a path with a slash at the end, which the URL has not."""
    s3 = signer(version, issued(), style)
    method = "HEAD" if operation == "head_bucket" else "GET"
    url = s3.generate_presigned_url(operation, {"Bucket": "bucket"})
    check(method, url)
    assert refused("PUT", url)["code"] == "SignatureDoesNotMatch"


@VERSIONS
def test_urls_that_were_changed(version: str) -> None:
    keys = issued()
    url = put_url(version, keys, ContentType="text/plain")
    for method, changed, kind in (
        ("GET", url, "text/plain"),
        ("PUT", url.replace("bucket/a", "bucket/b"), "text/plain"),
        ("PUT", url, "text/html"),
        ("PUT", url.replace("ignature=", "ignature=0"), "text/plain"),
    ):
        found = refused(method, changed, Content_Type=kind)
        assert (found["code"], found["status"]) == ("SignatureDoesNotMatch", 403)
        assert found["AWSAccessKeyId"] == keys["aws_access_key_id"]
        shown = bytes.fromhex(found["StringToSignBytes"]).decode()
        assert shown == found["StringToSign"]
        assert ("CanonicalRequest" in found) == (version == "s3v4")
    assert found["SignatureProvided"].startswith("0")


@VERSIONS
def test_secrets_that_are_not_known(version: str) -> None:
    other = {"aws_access_key_id": "test", "aws_secret_access_key": "any"}
    check("GET", put_url(version, other))
    wrong = {**issued(), "aws_secret_access_key": "any"}
    assert refused("PUT", put_url(version, wrong))["code"] == "SignatureDoesNotMatch"


@VERSIONS
def test_sessions_of_roles(version: str) -> None:
    document = json.dumps(trust("ec2.amazonaws.com"))
    iam = client("iam")
    role = iam.create_role(RoleName="signer", AssumeRolePolicyDocument=document)["Role"]
    found = client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="one")["Credentials"]
    keys = {
        "aws_access_key_id": found["AccessKeyId"],
        "aws_secret_access_key": found["SecretAccessKey"],
        "aws_session_token": found["SessionToken"],
    }
    url = put_url(version, keys)
    check("PUT", url)
    assert refused("GET", url)["code"] == "SignatureDoesNotMatch"


def test_headers_that_version_4_did_not_sign() -> None:
    other = {"aws_access_key_id": "test", "aws_secret_access_key": "any"}
    for keys in (issued(), other):
        url = put_url("s3v4", keys)
        check("PUT", url, x_amz_content_sha256="UNSIGNED-PAYLOAD", Content_Type="text/plain")
        found = refused("PUT", url, x_amz_meta_b="1", X_Amz_Date="2", Content_MD5="a")
        assert (found["code"], found["status"]) == ("AccessDenied", 403)
        assert found["HeadersNotSigned"] == "x-amz-date, x-amz-meta-b"


def test_signed_headers_that_are_in_the_query() -> None:
    """As the SDKs for JavaScript put them there."""
    keys = issued()
    s3 = signer("s3v4", keys)

    def move(request: Any, **_: Any) -> None:
        request.url += "?x-amz-server-side-encryption=AES256"

    s3.meta.events.register("before-sign.s3.PutObject", move)
    parameters = {"Bucket": "bucket", "Key": KEY, "ServerSideEncryption": "AES256"}
    url = s3.generate_presigned_url("put_object", parameters)
    check("PUT", url)
    check("PUT", url, x_amz_server_side_encryption="AES256")
    changed = refused("PUT", url, x_amz_server_side_encryption="aws:kms")
    assert changed["code"] == "SignatureDoesNotMatch"


def test_credentials_that_are_malformed() -> None:
    url = put_url("s3v4", issued()).replace("%2F", "%252F")
    found = refused("PUT", url)
    assert (found["code"], found["status"]) == ("AuthorizationQueryParametersError", 400)


@VERSIONS
def test_forms(version: str) -> None:
    keys = issued()
    form = signer(version, keys).generate_presigned_post("bucket", "a")
    fields = {name.lower(): value for name, value in form["fields"].items()}
    check_form_signature(fields)
    changed = {**fields, "policy": fields["policy"][:-4]}
    with pytest.raises(AwsError) as found:
        check_form_signature(changed)
    assert found.value.code == "SignatureDoesNotMatch"
    assert vars(found.value)["StringToSign"] == changed["policy"]
    name = "x-amz-credential" if version == "s3v4" else "awsaccesskeyid"
    check_form_signature({**changed, name: changed[name].replace(keys["aws_access_key_id"], "k")})


def test_urls_without_signatures() -> None:
    check("GET", "http://localhost:5555/bucket/a?prefix=a")
