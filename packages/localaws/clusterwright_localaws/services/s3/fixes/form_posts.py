"""moto puts what a form has into a bucket, without regard to the form's policy and fields.

https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, urlparse
from xml.sax.saxutils import escape

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.post_policies import check_form
from clusterwright_localaws.services.s3.refusals import invalid_storage_class, malformed

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: the policy of a form is checked; its fields `tagging`, `x-amz-storage-class` and "
    "`success_action_status` are regarded, and `${filename}` in its key is replaced"
)
_FORM: Final = "multipart/form-data"
_FILENAME: Final = "${filename}"
_REDIRECT: Final = "success_action_redirect"
_STATUS: Final = "success_action_status"
_STATUSES: Final = ("200", "201", "204")


def apply() -> None:
    from moto.s3.models import s3_backends
    from moto.s3.responses import S3Response

    post = S3Response._bucket_response_post

    def _post(self: Any, request: Any, bucket_name: str) -> Any:
        if not runtime().active or "delete" in self.querystring:
            return post(self, request, bucket_name)
        self.backend.get_bucket(bucket_name)
        _check_type(request)
        fields = {name.lower(): values[0] for name, values in self.querystring.items() if values}
        fields = {**fields, **{name.lower(): value for name, value in self.form_data.items()}}
        # Clients sign by the time of their own clocks.
        check_form({**fields, "bucket": bucket_name}, len(_body(self)), datetime.now(UTC))
        tags = _tags(fields.get("tagging"))
        storage = _storage(fields.get("x-amz-storage-class"))
        name = _key_name(request, fields)
        self.querystring["key"] = [name]
        if not urlparse(fields.get(_REDIRECT, "")).netloc:
            self.querystring.pop(_REDIRECT, None)
        self.querystring.pop(_STATUS, None)
        status, headers, _ = post(self, request, bucket_name)
        key = self.backend.get_object(bucket_name, name)
        if tags:
            # moto keeps tags with an account, and a form may have no signature that names one.
            owner = self.backend.get_bucket(bucket_name).account_id
            s3_backends[owner][self.backend.partition].put_object_tagging(key, tags)
        if storage:
            key._storage_class = storage
        return _answer(self, request, key, status, headers, fields.get(_STATUS))

    S3Response._bucket_response_post = _post  # type: ignore[method-assign]


def _check_type(request: Any) -> None:
    if not request.headers.get("Content-Type", "").startswith(_FORM):
        raise AwsError(
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            412,
            Condition=f"Bucket POST must be of the enclosure-type {_FORM}",
        )


def _body(response: Any) -> bytes:
    body = response.body or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def _tags(text: str | None) -> dict[str, str]:
    import xmltodict  # type: ignore[import-untyped]

    if text is None:
        return {}
    try:
        found = xmltodict.parse(text, force_list=("Tag",))
    except xmltodict.expat.ExpatError:
        raise malformed() from None
    listed = ((found.get("Tagging") or {}).get("TagSet") or {}).get("Tag") or []
    return {one["Key"]: one.get("Value") or "" for one in listed}


def _storage(given: str | None) -> str | None:
    from moto.s3.utils import STORAGE_CLASS

    if given is not None and given not in STORAGE_CLASS:
        raise invalid_storage_class(given)
    return given


def _key_name(request: Any, fields: Mapping[str, str]) -> str:
    name = fields.get("key")
    if name is None:
        text = "Bucket POST must contain a field named 'key'.  If it is specified, please check "
        text += "the order of the fields."
        raise AwsError("InvalidArgument", text, 400, ArgumentName="key", ArgumentValue="")
    files = getattr(request, "files", None) or {}
    filename = getattr(files.get("file"), "filename", None)
    return name.replace(_FILENAME, filename) if filename else name


def _answer(
    response: Any, request: Any, key: Any, status: Any, headers: dict[str, str], asked: str | None
) -> Any:
    value = checksums.checksum(_body(response), checksums.CRC64NVME)
    if value is not None:
        key.checksum_algorithm, key.checksum_value = checksums.CRC64NVME, value
        headers["x-amz-checksum-crc64nvme"] = value
        headers["x-amz-checksum-type"] = checksums.FULL_OBJECT
    headers["ETag"] = key.etag
    if int(status) != 204:  # a redirection
        headers["Location"] = f"{headers['Location']}&etag={quote(key.etag)}"
        return status, headers, ""
    location = f"{request.url.split('?')[0].rstrip('/')}/{quote(key.name)}"
    headers["Location"] = location
    if asked != "201":
        return (int(asked) if asked in _STATUSES else 204), headers, ""
    members = {
        "Location": location,
        "Bucket": response.bucket_name,
        "Key": key.name,
        "ETag": key.etag,
    }
    text = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in members.items())
    headers["Content-Type"] = "application/xml"
    return 201, headers, f"<PostResponse>{text}</PostResponse>"
