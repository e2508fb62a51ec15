"""Keys for encryption that customers send with their requests (SSE-C).

Nothing is encrypted here; what is kept of a key is its digest, as on AWS.
https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html
Errors and their order recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlparse

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.world_buckets import find_bucket, find_version

ALGORITHM: Final = "AES256"
_KEY_BYTES: Final = 32
_NAME: Final = "x-amz-server-side-encryption"
_MARK: Final = "customer_key_md5"
_READS: Final = frozenset({"GetObject", "GetObjectAttributes", "HeadObject"})
_INVALID: Final = "The secret key was invalid for the specified algorithm."


def keep(stored: Any, digest: str | None) -> None:
    """Keep the digest of the key with which an object or an upload of moto's is encrypted."""
    setattr(stored, _MARK, digest)


def kept(stored: Any) -> str | None:
    found: str | None = getattr(stored, _MARK, None)
    return found


def check_keys(operation: str, request: Mapping[str, Any]) -> None:
    """Check the keys of a request of any operation, and whether they are those of its object.

    Raises
    ------
    AwsError
        InvalidArgument, InvalidEncryptionAlgorithmError, InvalidRequest, AccessDenied
    """
    is_head = operation == "HeadObject"
    given = any(request.get(f"SSECustomer{name}") for name in ("Algorithm", "Key", "KeyMD5"))
    if given and request.get("ServerSideEncryption"):
        text = "Server Side Encryption with Customer provided key is incompatible with the "
        value = request["ServerSideEncryption"]
        raise _argument(f"{text}encryption method specified", ArgumentValue=value)
    reads = operation in _READS
    for prefix in ("", "CopySource"):
        _check_key(request, f"{prefix}SSECustomer", reads=reads, is_head=is_head)
    if reads:
        _check_read(_object(request), request, "SSECustomer", is_head=is_head)
    elif operation == "CopyObject":
        _check_read(_source(request), request, "CopySourceSSECustomer", is_head=False)
    elif operation == "UploadPart":
        _check_part(request)


def _check_key(request: Mapping[str, Any], prefix: str, *, reads: bool, is_head: bool) -> None:
    algorithm = request.get(f"{prefix}Algorithm")
    key, digest = request.get(f"{prefix}Key"), request.get(f"{prefix}KeyMD5")
    if not algorithm and not key and not digest:
        return
    if algorithm and algorithm != ALGORITHM:
        if is_head:
            raise AwsError("400", "Bad Request", 400)
        text = f"The Encryption request you specified is not valid. Supported value: {ALGORITHM}."
        more = {"ArgumentName": _NAME, "ArgumentValue": algorithm}
        raise AwsError("InvalidEncryptionAlgorithmError", text, 400, **more)
    subject = "Requests specifying Server Side Encryption with Customer provided keys must provide"
    if not algorithm:
        raise _argument(f"{subject} a valid encryption algorithm.")
    if not key:
        raise _argument(f"{subject} an appropriate secret key.")
    if not digest:
        raise _wrong_key(is_head=is_head) if reads else _argument(_INVALID)
    try:
        plain = base64.b64decode(key)
    except (binascii.Error, ValueError):
        plain = b""
    if len(plain) != _KEY_BYTES:
        raise _wrong_key(is_head=is_head) if reads else _argument(_INVALID)
    if checksums.checksum(plain, "MD5") != digest:
        raise _argument(
            "The calculated MD5 hash of the key did not match the hash that was provided."
        )


def _check_read(stored: Any, request: Mapping[str, Any], prefix: str, *, is_head: bool) -> None:
    if stored is None:
        return
    digest, needed = request.get(f"{prefix}KeyMD5"), kept(stored)
    if needed and not digest:
        if is_head:
            raise AwsError("400", "Bad Request", 400)
        text = "The object was stored using a form of Server Side Encryption. The correct "
        text += "parameters must be provided to retrieve the object."
        raise AwsError("InvalidRequest", text, 400)
    if needed and digest != needed:
        raise _wrong_key(is_head=is_head)


def _check_part(request: Mapping[str, Any]) -> None:
    bucket = find_bucket(request["Bucket"])
    upload = bucket.multiparts.get(request["UploadId"]) if bucket is not None else None
    if upload is None:
        return
    digest, needed = request.get("SSECustomerKeyMD5"), kept(upload)
    if bool(digest) != bool(needed):
        text = "The multipart upload initiate requested encryption. Subsequent part requests must "
        text += "include the appropriate encryption parameters."
        raise AwsError("InvalidRequest", text, 400)
    if digest != needed:
        text = "The provided encryption parameters did not match the ones used originally."
        raise AwsError("InvalidRequest", text, 400)


def _object(request: Mapping[str, Any]) -> Any | None:
    bucket = find_bucket(request["Bucket"])
    if bucket is None:
        return None
    return find_version(bucket, request["Key"], request.get("VersionId"))


def _source(request: Mapping[str, Any]) -> Any | None:
    parsed = urlparse(request["CopySource"])
    bucket_name, _, key = unquote(parsed.path).lstrip("/").partition("/")
    bucket = find_bucket(bucket_name)
    version = parse_qs(parsed.query).get("versionId", [None])[0]
    return None if bucket is None else find_version(bucket, key, version)


def _wrong_key(*, is_head: bool) -> AwsError:
    if is_head:
        return AwsError("403", "Forbidden", 403)
    text = "Requests specifying Server Side Encryption with Customer provided keys must provide "
    return AwsError("AccessDenied", f"{text}the correct secret key.", 403)


def _argument(message: str, **more: Any) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=_NAME, **more)
