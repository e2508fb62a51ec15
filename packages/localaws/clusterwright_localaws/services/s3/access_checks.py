"""Access control lists and bucket policies that S3 refuses, and moto accepts.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
Messages as users quote them: torchbox/buckup#18 (a public policy),
aws-samples/lambdaedge-openidconnect-samples#57 (a new bucket with an ACL).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.acl_documents import check_document, check_grantees
from clusterwright_localaws.services.s3.bucket_policies import check_bucket_policy
from clusterwright_localaws.services.s3.copy_sources import check_source
from clusterwright_localaws.services.s3.kms_keys import check_key_of_write
from clusterwright_localaws.services.s3.object_acls import put_object_acl
from clusterwright_localaws.services.s3.object_locks import check_new_lock
from clusterwright_localaws.services.s3.refusals import invalid_storage_class
from clusterwright_localaws.services.s3.tags import check_tags
from clusterwright_localaws.services.s3.uploads import check_new_upload
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_ENFORCED: Final = "BucketOwnerEnforced"
_PUBLIC_ACLS: Final = frozenset({"public-read", "public-read-write", "authenticated-read"})
_PUBLIC_GROUPS: Final = ("/groups/global/AllUsers", "/groups/global/AuthenticatedUsers")
_GRANTS: Final = ("GrantFullControl", "GrantRead", "GrantReadACP", "GrantWrite", "GrantWriteACP")
# With fixed values of these keys a statement for everybody is not public.
_NARROWING: Final = frozenset(
    {
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principalorgid",
        "aws:principalorgpaths",
        "aws:sourceaccount",
        "aws:sourcearn",
        "aws:sourceip",
        "aws:sourceorgid",
        "aws:sourceorgpaths",
        "aws:sourceowner",
        "aws:sourcevpc",
        "aws:sourcevpce",
        "aws:userid",
        "s3:dataaccesspointaccount",
        "s3:dataaccesspointarn",
        "s3:x-amz-server-side-encryption-aws-kms-key-id",
    }
)
_WIDEST_PREFIX: Final = 8
# Storage classes of S3 on Outposts and on Snowball, which no bucket of a Region has.
_WRITES: Final = ("PutObject", "CopyObject", "CreateMultipartUpload")
_NOT_IN_REGIONS: Final = frozenset({"OUTPOSTS", "SNOW"})


def check_new_bucket(request: Mapping[str, Any]) -> None:
    """Refuse an ACL of a new bucket whose owner owns every object, which is the default.

    Raises
    ------
    AwsError
        InvalidBucketAclWithObjectOwnership, or InvalidArgument for a malformed list of grantees.
    """
    _check_grantees(request)
    ownership = request.get("ObjectOwnership") or _ENFORCED
    other = request.get("ACL") not in (None, "private") or _grants(request)
    if ownership == _ENFORCED and other:
        raise AwsError(
            "InvalidBucketAclWithObjectOwnership",
            "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
            400,
        )


@operation("s3", "PutBucketAcl", "PutObjectAcl", *_WRITES)
def put_acl(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    _check_grantees(request)
    given = request.get("ACL") or request.get("AccessControlPolicy") or _grants(request)
    if call.operation in ("PutBucketAcl", "PutObjectAcl"):
        check_document(request)
        if not given:
            # S3 User Guide, list of error codes; moto fails at the empty body.
            text = "Your request was missing a required header"
            more = {"MissingHeaderName": "x-amz-acl"}
            raise AwsError("MissingSecurityHeader", text, 400, **more)
    bucket = find_bucket(request["Bucket"])
    if bucket is not None and not request["Bucket"].endswith("--x-s3"):
        _check_acl(bucket, request, of_an_object=call.operation != "PutBucketAcl")
        if call.operation == "PutObjectAcl":
            return put_object_acl(call, bucket)
    check_new_lock(request)
    if request.get("StorageClass") in _NOT_IN_REGIONS:
        raise invalid_storage_class(request["StorageClass"])
    if request.get("Tagging"):
        check_tags(str(request["Tagging"]))
    if call.operation == "CopyObject":
        check_source(request)
    if call.operation == "CreateMultipartUpload":
        check_new_upload(request)
    if bucket is not None and call.operation in _WRITES:
        check_key_of_write(bucket, request)
    raise ForwardToMoto


@operation("s3", "PutBucketPolicy")
def put_policy(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    check_bucket_policy(bucket, call.parameters["Policy"])
    statements = _listed(json.loads(call.parameters["Policy"])["Statement"])
    block = bucket.public_access_block
    if block is not None and _is_set(block.block_public_policy) and any(map(_public, statements)):
        raise AwsError("AccessDenied", "Access Denied", 403)
    raise ForwardToMoto


def _check_grantees(request: Mapping[str, Any]) -> None:
    """Refuse grants that are not `type=value, type=value`; moto fails at them."""
    for name in _GRANTS:
        if request.get(name):
            check_grantees(name, str(request[name]))
    if request.get("ACL") and _grants(request):
        text = "Specifying both Canned ACLs and Header Grants is not allowed"
        raise AwsError("InvalidRequest", text, 400)


def _grants(request: Mapping[str, Any]) -> list[str]:
    return [str(request[name]) for name in _GRANTS if request.get(name)]


def _check_acl(bucket: Any, request: Mapping[str, Any], *, of_an_object: bool) -> None:
    canned = request.get("ACL")
    grants = _grants(request)
    listed = (request.get("AccessControlPolicy") or {}).get("Grants") or []
    if not canned and not grants and not listed:
        return
    if bucket.ownership_rule == _ENFORCED:
        if canned == "bucket-owner-full-control" or _only_the_owner(bucket, grants, listed):
            return
        if canned == "private" and not of_an_object:
            return
        raise AwsError("AccessControlListNotSupported", "The bucket does not allow ACLs", 400)
    block = bucket.public_access_block
    if block is not None and _is_set(block.block_public_acls):
        named = [*grants, *(str((one.get("Grantee") or {}).get("URI")) for one in listed)]
        to_groups = any(group in text for text in named for group in _PUBLIC_GROUPS)
        if canned in _PUBLIC_ACLS or to_groups:
            raise AwsError("AccessDenied", "Access Denied", 403)


def _only_the_owner(bucket: Any, grants: list[str], listed: list[Mapping[str, Any]]) -> bool:
    """Whether grants are the ACL that every bucket and object has: all to the owner."""
    return (
        not grants
        and bool(listed)
        and all(
            one.get("Permission") == "FULL_CONTROL"
            and (one.get("Grantee") or {}).get("Type") == "CanonicalUser"
            for one in listed
        )
    )


def _public(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal")
    everybody = principal == "*" or (
        isinstance(principal, Mapping) and "*" in _listed(principal.get("AWS"))
    )
    if statement.get("Effect") != "Allow" or not everybody:
        return False
    for operator, keys in (statement.get("Condition") or {}).items():
        if operator.lower().startswith(("null", "stringnot", "arnnot", "notip")):
            continue
        for key, values in keys.items():
            if key.lower() in _NARROWING and all(map(_fixed, _listed(values))):
                return False
    return True


def _fixed(value: Any) -> bool:
    """Whether a condition's value is one value and not nearly everything."""
    text = str(value)
    prefix = text.rpartition("/")[2] if "." in text or ":" in text else ""
    if prefix.isdigit() and text.count("/") == 1 and text[0].isdigit():
        return int(prefix) >= _WIDEST_PREFIX
    return text.strip("*") != "" and "*" not in text.split("/", 1)[0]


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _is_set(value: Any) -> bool:
    return str(value).lower() == "true"
