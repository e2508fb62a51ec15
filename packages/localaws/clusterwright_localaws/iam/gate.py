"""The gateway's hook: check the call, and run it on behalf of its caller."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam.enforcement import authorise
from clusterwright_localaws.iam.inside import acting_as

if TYPE_CHECKING:
    from moto.core.request import Request


def enter(
    runtime: Runtime,
    service: str,
    operation: str,
    request: Request,
    region: str,
    parameters: Mapping[str, Any],
) -> AbstractContextManager[None]:
    """Refuse the call with an `AwsError`, or return a context in which its caller acts."""
    return acting_as(authorise(runtime, service, operation, request, region, parameters))
