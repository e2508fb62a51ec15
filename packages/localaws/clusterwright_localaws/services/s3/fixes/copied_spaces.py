"""moto takes a plus sign in the source of a copy for a plus sign, and S3 for a space.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a plus sign in the source of a copy is a space, unless it is encoded"
_SOURCE: Final = "x-amz-copy-source"


def apply() -> None:
    from moto.s3.responses import S3Response

    copy_object = S3Response.copy_object
    upload_part_copy = S3Response.upload_part_copy

    def _copy_object(self: Any, *arguments: Any, **named: Any) -> Any:
        _mend(self)
        return copy_object(self, *arguments, **named)

    def _upload_part_copy(self: Any, *arguments: Any, **named: Any) -> Any:
        _mend(self)
        return upload_part_copy(self, *arguments, **named)

    S3Response.copy_object = _copy_object  # type: ignore[method-assign]
    S3Response.upload_part_copy = _upload_part_copy  # type: ignore[method-assign]


def _mend(response: Any) -> None:
    from requests.structures import CaseInsensitiveDict

    given = response.headers.get(_SOURCE)
    if runtime().active and given is not None:
        text = given.decode() if isinstance(given, bytes) else str(given)
        found = CaseInsensitiveDict(dict(response.headers))
        found[_SOURCE] = text.replace("+", "%20")
        response.headers = found
