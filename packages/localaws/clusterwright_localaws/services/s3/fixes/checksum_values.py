"""moto keeps any value of a checksum, drops one without an algorithm, and lacks CRC64NVME.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
Messages as recorded on AWS by others: aws/aws-sdk-ruby#3322 and the tests of the AWS SDK for Java.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.customer_keys import kept
from clusterwright_localaws.services.s3.part_checksums import checksum_of, is_kept, keep

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a wrong checksum of an object, a part or a completed upload is BadDigest and a right one "
    "is kept, a wrong MD5 is refused, and an object of up to 16 MiB without a checksum gets one; "
    "CRC64NVME and CRC32C are computed for up to 16 MiB, and every checksum of an upload "
    "from the parts' values"
)
_HEADER: Final = "x-amz-checksum-"
_TRAILER: Final = re.compile(rb"x-amz-checksum-(\w+):([\w+/=]+)")
_TRAILER_BYTES: Final = 512  # checksums and signatures at the end of a body
_DEFAULT: Final = "default_checksum"
# Algorithm and value that a completion gives for its object.
_of_the_object: ContextVar[tuple[str, str] | None] = ContextVar("_of_the_object", default=None)


def apply() -> None:
    _mend_values()
    _mend_uploads()


def _mend_values() -> None:
    from moto.s3 import responses
    from moto.s3.responses import S3Response

    compute_checksum = responses.compute_checksum
    get_checksum = S3Response._get_checksum
    put_object = S3Response.put_object

    def _compute(body: bytes, algorithm: str, encode_base64: bool = True) -> bytes:
        if runtime().active and algorithm in checksums.COMPUTED_HERE:
            value = checksums.crc(body, algorithm).encode()
            return value if encode_base64 else base64.b64decode(value)
        return compute_checksum(body, algorithm, encode_base64)

    def _get_checksum(self: Any, headers: dict[str, Any]) -> Any:
        given = vars(self).get(_DEFAULT) or _given(self) if runtime().active else None
        if given is None:
            return get_checksum(self, headers)
        headers[f"{_HEADER}{given[0].lower()}"] = given[1]
        return given

    def _put_object(self: Any) -> Any:
        if not runtime().active:
            return put_object(self)
        if _check(self) is None:
            _set_default(self)
        if "Signature" in self.querystring:
            # moto would keep the time at which the URL expires as the object's.
            self.querystring.pop("Expires", None)
        status, headers, body = put_object(self)
        headers.pop("last-modified", None)
        return status, headers, body

    responses.compute_checksum = _compute
    S3Response._get_checksum = _get_checksum  # type: ignore[assignment, method-assign]
    S3Response.put_object = _put_object  # type: ignore[method-assign]


def _mend_uploads() -> None:
    from moto.s3.models import FakeMultipart
    from moto.s3.responses import S3Response

    upload_part = S3Response.upload_part
    post = S3Response._key_response_post
    complete = FakeMultipart.complete
    serialized = S3Response.serialized

    def _upload_part(self: Any) -> Any:
        given = _check(self) if runtime().active else None
        status, headers, text = upload_part(self)
        if given is not None:
            upload = self.backend.get_bucket(self.bucket_name).multiparts.get(
                self._get_param("uploadId")
            )
            part = upload and upload.parts.get(self._get_int_param("partNumber"))
            if part and part.etag == headers["ETag"]:
                keep(part, *given)
        return status, headers, text

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        is_copy = self.data.get("Action") == "UploadPartCopy" and isinstance(result, dict)
        if runtime().active and is_copy:
            _add_checksum(self, result["CopyPartResult"])
        return serialized(self, action_result)

    def _post(self: Any, *request: Any) -> Any:
        token = _of_the_object.set(_given(self) if runtime().active else None)
        try:
            return post(self, *request)
        finally:
            _of_the_object.reset(token)

    def _complete(self: Any, body: Any) -> Any:
        listed = list(body)
        value, etag, computed = complete(self, iter(listed))
        if runtime().active:
            parts = [self.parts[number] for number, _ in listed]
            computed = None
            # By default S3 adds none to what a customer's key encrypts.
            if is_named(self) or not kept(self):
                computed = _agreed(self.metadata, parts)
        return value, etag, computed

    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Response.upload_part = _upload_part  # type: ignore[method-assign]
    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]
    FakeMultipart.complete = _complete  # type: ignore[method-assign]


def _header(algorithm: str) -> str:
    return f"{_HEADER}{algorithm.lower()}"


def _given(response: Any) -> tuple[str, str] | None:
    """Return the algorithm and the value of a request's header or trailer."""
    for algorithm in checksums.LENGTHS:
        value = response.headers.get(f"{_HEADER}{algorithm.lower()}")
        if value:
            return algorithm, str(value)
    body = response.raw_body
    if not response.headers.get("x-amz-trailer") or not isinstance(body, bytes):
        return None
    found = _TRAILER.search(body[-_TRAILER_BYTES:])
    algorithm = found[1].decode().upper() if found else ""
    return (algorithm, found[2].decode()) if found and algorithm in checksums.LENGTHS else None


def _add_checksum(response: Any, result: dict[str, Any]) -> None:
    """Answer the checksum of a copied part, and keep it, where its upload has an algorithm."""
    upload = response.backend.get_bucket(response.bucket_name).multiparts[
        response._get_param("uploadId")
    ]
    algorithm = upload.metadata.get(f"{_HEADER}algorithm")
    part = upload.parts[response._get_int_param("partNumber")]
    value = checksum_of(part, algorithm) if algorithm else None
    if value is not None:
        keep(part, algorithm, value)
        result[f"Checksum{algorithm}"] = value


def _set_default(response: Any) -> None:
    """Give an object the checksum that S3 adds where a request has none, if it is not too long."""
    if response.headers.get("x-amz-sdk-checksum-algorithm"):
        return
    value = checksums.checksum(_body(response), checksums.CRC64NVME)
    if value is not None:
        vars(response)[_DEFAULT] = (checksums.CRC64NVME, value)


def _body(response: Any) -> bytes:
    body = response.body or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def _check_md5(response: Any, *, of_a_part: bool) -> None:
    given = response.headers.get("Content-MD5")
    if not given:
        return
    try:
        expected = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        expected = b""
    if len(expected) != checksums.LENGTHS["MD5"]:
        text = "The Content-MD5 you specified was invalid."
        raise AwsError("InvalidDigest", text, 400, **{"Content-MD5": given})
    calculated = checksums.checksum(_body(response), "MD5")
    if calculated != base64.b64encode(expected).decode():
        raise AwsError(
            "BadDigest",
            "The Content-MD5 you specified did not match what we received.",
            400,
            CalculatedDigest=calculated,
            # As recorded.
            ExpectedDigest=given if of_a_part else expected.hex(),
        )


def _check(response: Any) -> tuple[str, str] | None:
    """Return the checksum that a request gives, if its body has it."""
    _check_md5(response, of_a_part="uploadId" in response.querystring)
    headers = [name for name in checksums.LENGTHS if response.headers.get(_header(name))]
    if len(headers) > 1:
        text = (
            "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
        )
        raise AwsError("InvalidRequest", text, 400)
    given = _given(response)
    if given is not None:
        algorithm, value = given
        _check_form(algorithm, value)
        if checksums.checksum(_body(response), algorithm) not in (None, value):
            raise _bad_digest(algorithm)
    return given


def is_named(upload: Any) -> bool:
    """Return whether an upload, or its completion, names an algorithm."""
    return bool(upload.metadata.get(f"{_HEADER}algorithm") or _of_the_object.get())


def _agreed(metadata: Any, parts: Sequence[Any]) -> tuple[str, str, int] | None:
    """Return type, value and number of parts of the checksum of a completed upload."""
    algorithm = metadata.get(f"{_HEADER}algorithm") or checksums.CRC64NVME
    kind = metadata.get(f"{_HEADER}type") or checksums.default_type(algorithm)
    given = _of_the_object.get()
    value = given[1].partition("-")[0] if given is not None and given[0] == algorithm else None
    if value is not None:
        _check_form(algorithm, value)
    of_all = joined if kind == checksums.FULL_OBJECT else _composite
    found = of_all(parts, algorithm)
    if value is not None and found not in (None, value):
        # AWS writes it in lower case here.
        raise _bad_digest(algorithm.lower())
    if not found and not value:
        return None
    count = 1 if kind == checksums.FULL_OBJECT else len(parts)
    return kind, found or value or "", count


def _composite(parts: Sequence[Any], algorithm: str) -> str | None:
    """Return the checksum of the parts' checksums; `None` if one of them is not known."""
    values = [checksum_of(part, algorithm) for part in parts]
    known = [value for value in values if value is not None]
    return checksums.composite(known, algorithm) if len(known) == len(values) else None


def joined(parts: Sequence[Any], algorithm: str) -> str | None:
    """Return the CRC of all parts; `None` if there is more to compute than is computed."""
    if algorithm in checksums.COMPUTED_HERE:
        unknown = [part for part in parts if not is_kept(part, algorithm)]
        if sum(part.size for part in unknown) > checksums.MOST_BYTES:
            return None
    whole = checksums.checksum(b"", algorithm)
    for part in parts:
        value = checksum_of(part, algorithm)
        if whole is None or value is None:
            return None
        whole = checksums.joined_crc(whole, value, part.size, algorithm)
    return whole


def _check_form(algorithm: str, value: str) -> None:
    try:
        right = len(base64.b64decode(value, validate=True)) == checksums.LENGTHS[algorithm]
    except binascii.Error:
        right = False
    if not right:
        text = f"Value for {_HEADER}{algorithm.lower()} header is invalid."
        raise AwsError("InvalidRequest", text, 400)


def _bad_digest(algorithm: str) -> AwsError:
    text = f"The {algorithm} you specified did not match the calculated checksum."
    return AwsError("BadDigest", text, 400)
