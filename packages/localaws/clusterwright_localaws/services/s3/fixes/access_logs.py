"""moto writes an access log object within each request, also while a stack is deleted."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: no access log objects are delivered. AWS delivers them hours later, best effort; moto "
    "does "
    "within the request, so that deleting a bucket fills its log bucket"
)


def apply() -> None:
    from moto.s3.models import S3Backend

    log_in_moto = S3Backend.log_incoming_request

    def log_incoming_request(self: Any, request: Any, bucket_name: str) -> None:
        if not runtime().active:
            log_in_moto(self, request, bucket_name)

    S3Backend.log_incoming_request = log_incoming_request  # type: ignore[method-assign]
