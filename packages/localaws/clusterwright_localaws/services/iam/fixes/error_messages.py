"""moto writes the message of a Query service's error twice, as `Message` and as `message`.

The exceptions of the services' models have a member `message`; on AWS it is the element `Message`.
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Query services (IAM, SNS and others): errors have their message once, as `Message`"


def apply() -> None:
    from moto.core.serialize import QuerySerializer

    serialize = QuerySerializer._serialize_error_metadata

    def _serialize_error_metadata(
        self: Any, serialized: Any, error: Exception, shape: Any
    ) -> None:
        serialize(self, serialized, error, shape)
        if runtime().active and "Message" in serialized:
            serialized.pop("message", None)

    QuerySerializer._serialize_error_metadata = _serialize_error_metadata  # type: ignore[method-assign]
