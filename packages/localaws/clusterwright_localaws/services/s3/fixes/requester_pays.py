"""moto has no Requester Pays buckets.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/RequesterPaysBuckets.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: a bucket of the world with requester_pays denies the requests of other accounts that do "
    "not have x-amz-request-payer, and states that they are charged for the others"
)
_REQUESTER = "requester"


def apply() -> None:
    from moto.s3.responses import S3Response

    for name in ("_bucket_response", "_key_response"):
        setattr(S3Response, name, _charging(getattr(S3Response, name)))


def _charging(of_moto: Callable[..., Any]) -> Callable[..., Any]:
    def respond(self: Any, request: Any, full_url: str) -> Any:
        if not _charges(self, self.parse_bucket_name_from_url(request, full_url)):
            return of_moto(self, request, full_url)
        if request.headers.get("x-amz-request-payer") != _REQUESTER:
            return _denied(request.method)
        answer = of_moto(self, request, full_url)
        status, headers, body = answer if isinstance(answer, tuple) else (200, {}, answer)
        return status, {**headers, "x-amz-request-charged": _REQUESTER}, body

    return respond


def _charges(response: Any, bucket: str | None) -> bool:
    """Whether the caller has to pay: the bucket belongs to another account of the world."""
    if not runtime().active:
        return False
    world = runtime().world
    return any(
        seed.requester_pays
        and seed.name == bucket
        and (seed.account or world.account) != response.current_account
        for seed in world.buckets
    )


def _denied(method: str) -> tuple[int, dict[str, str], str]:
    from moto.s3.exceptions import S3AccessDeniedError

    if method == "HEAD":  # S3 answers HEAD without a body
        return 403, {}, ""
    raise S3AccessDeniedError
