"""moto fails at a range without a unit; S3 answers the whole object.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: a range that is not of bytes is ignored"
REPRODUCTION = """\
s3 = boto3.client("s3")
s3.create_bucket(Bucket="bucket")
s3.put_object(Bucket="bucket", Key="k", Body=b"data")
assert s3.get_object(Bucket="bucket", Key="k", Range="0-1")["Body"].read() == b"data"
"""


def apply() -> None:
    from moto.s3.responses import S3Response

    handle = S3Response._handle_range_header

    def _handle_range_header(self: Any, request: Any, headers: Any, content: Any) -> Any:
        unit, *ranges = request.headers.get("range", "").split("=")
        if runtime().active and (unit.strip().lower() != "bytes" or len(ranges) != 1):
            return 200, headers, content
        return handle(self, request, headers, content)

    S3Response._handle_range_header = _handle_range_header  # type: ignore[assignment, method-assign]
