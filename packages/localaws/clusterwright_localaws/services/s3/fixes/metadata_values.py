"""moto answers metadata as they came, also where a header cannot have them.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.metadata import decoded, encoded, for_headers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: metadata with characters outside ASCII are stored and answered by RFC 2047, and the "
    "location of a completed upload is a URL"
)
_OF_USERS: Final = "x-amz-meta-"


def apply() -> None:
    from moto.s3 import responses

    from_headers = responses.metadata_from_headers
    serialized = responses.S3Response.serialized

    def metadata_from_headers(given: Any) -> Any:
        found = from_headers(given)
        if not runtime().active:
            return found
        # Forms have UTF-8, which is not decoded; a query has lists of values, and headers a host.
        values_are_text = all(isinstance(one, str) for one in given.values())
        of_a_form = values_are_text and "host" not in map(str.lower, given.keys())
        for name, value in found.items():
            if name.lower().startswith(_OF_USERS):
                found[name] = encoded(value if of_a_form else decoded(value))
            else:
                found[name] = for_headers(value)
        return found

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        is_completed = self.data.get("Action") == "CompleteMultipartUpload"
        if runtime().active and is_completed and isinstance(result, dict):
            result["Location"] = quote(result["Location"], safe=":/%")
        return serialized(self, action_result)

    responses.metadata_from_headers = metadata_from_headers  # type: ignore[assignment]
    responses.S3Response.serialized = _serialized  # type: ignore[method-assign]
