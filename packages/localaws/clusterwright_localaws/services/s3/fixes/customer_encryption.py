"""moto ignores keys for encryption that customers send with their requests (SSE-C).

https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.customer_keys import ALGORITHM, keep, kept

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: objects and uploads that were encrypted with a customer's key (SSE-C) say so; their data "
    "is not encrypted"
)
_HEADER: Final = "x-amz-server-side-encryption"
_OWN: Final = f"{_HEADER}-customer-"
_WRITES: Final = ("put_object", "copy_object", "upload_part", "upload_part_copy")
# The digest of the key of the request that is answered.
_given: ContextVar[str | None] = ContextVar("_given", default=None)


def apply() -> None:
    from moto.s3.responses import S3Response

    _mend_state()
    for name in _WRITES:
        setattr(S3Response, name, _with_key(getattr(S3Response, name)))
    post = S3Response._key_response_post

    def _post(self: Any, request: Any, body: bytes, bucket: str, query: Any, key: str) -> Any:
        upload_id = query.get("uploadId", [None])[0]
        found = self.backend.buckets.get(bucket)
        upload = found.multiparts.get(upload_id) if found is not None and upload_id else None
        digest = self.headers.get(f"{_OWN}key-md5") if upload is None else kept(upload)
        token = _given.set(digest if runtime().active else None)
        try:
            status, headers, text = post(self, request, body, bucket, query, key)
        finally:
            _given.reset(token)
        if runtime().active and digest:
            headers.pop(_HEADER, None)
            if "uploads" in query:
                headers.update(_headers_of(digest))
        return status, headers, text

    S3Response._key_response_post = _post  # type: ignore[assignment, method-assign]


def _with_key(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def _write(self: Any) -> Any:
        digest = self.headers.get(f"{_OWN}key-md5") if runtime().active else None
        token = _given.set(digest)
        try:
            return write(self)
        finally:
            _given.reset(token)

    return _write


def _mend_state() -> None:
    from moto.s3.models import FakeKey, FakeMultipart

    for kind in (FakeKey, FakeMultipart):
        kind.__init__ = _keeping(kind.__init__)  # type: ignore[method-assign]
    response_dict: Any = FakeKey.response_dict

    def _response_dict(self: Any) -> dict[str, Any]:
        headers: dict[str, Any] = response_dict.fget(self)
        digest = kept(self) if runtime().active else None
        if digest:
            headers.pop(_HEADER, None)
            headers.update(_headers_of(digest))
        return headers

    FakeKey.response_dict = property(_response_dict)  # type: ignore[assignment]


def _keeping(initialise: Any) -> Any:
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        digest = _given.get()
        if digest:
            keep(self, digest)

    return __init__


def _headers_of(digest: str) -> dict[str, str]:
    return {f"{_OWN}algorithm": ALGORITHM, f"{_OWN}key-MD5": digest}
