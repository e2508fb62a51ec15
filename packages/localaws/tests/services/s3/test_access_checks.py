"""Tests of services.s3.access_checks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
NO_ACLS = ("AccessControlListNotSupported", "The bucket does not allow ACLs")
DENIED = ("AccessDenied", "Access Denied")


@pytest.fixture
def bucket() -> str:
    client("s3").create_bucket(Bucket="one")
    client("s3").put_object(Bucket="one", Key="a", Body=b"x")
    return "one"


def allow_acls(bucket: str, *, blocked: bool = False) -> None:
    s3 = client("s3")
    rules = {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}
    s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls=rules)
    if not blocked:
        s3.delete_public_access_block(Bucket=bucket)


def test_an_acl_that_is_not_given(bucket: str) -> None:
    s3 = client("s3")
    missing = ("MissingSecurityHeader", "Your request was missing a required header")
    assert refusal(s3.put_bucket_acl, Bucket=bucket) == missing
    assert refusal(s3.put_object_acl, Bucket=bucket, Key="a") == missing


@pytest.mark.parametrize("grantees", ["a", "id", "id=1,b", '="x"', 'id=""'])
def test_what_is_not_a_list_of_grantees(bucket: str, grantees: str) -> None:
    allow_acls(bucket)
    s3 = client("s3")
    put = refusal(s3.put_object, Bucket=bucket, Key="b", GrantRead=grantees)
    new = refusal(
        s3.create_bucket, Bucket="two", ObjectOwnership="ObjectWriter", GrantRead=grantees
    )
    assert put == new == ("InvalidArgument", "Argument format not recognized")


@pytest.mark.parametrize("acl", ["public-read", "authenticated-read", "log-delivery-write"])
def test_a_new_bucket_with_an_acl_needs_another_ownership(acl: str) -> None:
    s3 = client("s3")
    assert refusal(s3.create_bucket, Bucket="one", ACL=acl) == (
        "InvalidBucketAclWithObjectOwnership",
        "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
    )
    s3.create_bucket(Bucket="one", ACL=acl, ObjectOwnership="ObjectWriter")
    s3.create_bucket(Bucket="two", ACL="private")


def test_acls_are_not_supported_by_default(bucket: str) -> None:
    s3 = client("s3")
    assert refusal(s3.put_bucket_acl, Bucket=bucket, ACL="public-read") == NO_ACLS
    assert refusal(s3.put_object, Bucket=bucket, Key="b", ACL="public-read") == NO_ACLS
    assert refusal(s3.put_object_acl, Bucket=bucket, Key="a", ACL="private") == NO_ACLS
    grant = {"GrantRead": "uri=http://acs.amazonaws.com/groups/global/AllUsers"}
    assert refusal(s3.put_object, Bucket=bucket, Key="b", **grant) == NO_ACLS
    assert "Contents" in s3.list_objects_v2(Bucket=bucket)
    assert [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["a"]
    s3.put_object(Bucket=bucket, Key="c", ACL="bucket-owner-full-control")


def test_public_acls_are_blocked_by_default(bucket: str) -> None:
    s3 = client("s3")
    allow_acls(bucket, blocked=True)
    assert refusal(s3.put_bucket_acl, Bucket=bucket, ACL="public-read") == DENIED
    assert refusal(s3.put_object, Bucket=bucket, Key="b", ACL="public-read-write") == DENIED
    s3.put_object(Bucket=bucket, Key="b", ACL="private")
    allow_acls(bucket)
    s3.put_bucket_acl(Bucket=bucket, ACL="public-read")


def statement(**changes: Any) -> dict[str, Any]:
    full = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::one/*",
        **changes,
    }
    return {name: value for name, value in full.items() if value is not None}


def put_policy(bucket: str, *statements: Any) -> Any:
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    return refusal(client("s3").put_bucket_policy, Bucket=bucket, Policy=json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "Policies must be valid JSON and the first byte must be '{'"),
        ("[]", "Policies must be valid JSON and the first byte must be '{'"),
        ('{"Statement": [', "This policy contains invalid Json"),
        ('{"Version": "2012-10-17"}', "Missing required field Statement"),
    ],
)
def test_what_is_no_policy(bucket: str, text: str, message: str) -> None:
    found = refusal(client("s3").put_bucket_policy, Bucket=bucket, Policy=text)
    assert found == ("MalformedPolicy", message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Effect": "Maybe"}, "Invalid effect: Maybe"),
        ({"Principal": None}, "Missing required field Principal"),
        ({"Action": None}, "Missing required field Action"),
        ({"Resource": None}, "Missing required field Resource"),
        ({"Resource": "arn:aws:s3:::other/*"}, "Policy has invalid resource"),
        ({"Resource": "one"}, "Policy has invalid resource"),
    ],
)
def test_statements_that_no_bucket_has(bucket: str, changes: dict[str, Any], message: str) -> None:
    assert put_policy(bucket, statement(**changes)) == ("MalformedPolicy", message)


@pytest.mark.parametrize(
    "condition",
    [
        None,
        {"NumericGreaterThan": {"s3:TlsVersion": "1.2"}},
        {"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}},
        {"StringLike": {"aws:PrincipalOrgID": "*"}},
        {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}},
    ],
)
@pytest.mark.parametrize("principal", ["*", {"AWS": "*"}, {"AWS": ["*"]}])
def test_public_policies_are_blocked_by_default(
    bucket: str, principal: Any, condition: Any
) -> None:
    assert put_policy(bucket, statement(Principal=principal, Condition=condition)) == DENIED
    s3 = client("s3")
    s3.delete_public_access_block(Bucket=bucket)
    document = json.dumps({"Statement": [statement(Principal=principal, Condition=condition)]})
    s3.put_bucket_policy(Bucket=bucket, Policy=document)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"Effect": "Deny", "Principal": "*"},
        {"Principal": "*", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3"}}},
        {"Principal": "*", "Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}},
        {"Principal": "*", "Condition": {"StringEquals": {"aws:SourceVpce": "vpce-1"}}},
        {"Principal": "*", "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:sns:r:1:a"}}},
    ],
)
def test_policies_that_are_not_public(bucket: str, changes: dict[str, Any]) -> None:
    document = json.dumps({"Statement": [statement(**changes)]})
    client("s3").put_bucket_policy(Bucket=bucket, Policy=document)
    assert json.loads(client("s3").get_bucket_policy(Bucket=bucket)["Policy"])
