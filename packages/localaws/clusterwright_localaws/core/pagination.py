"""Pagination: next tokens of implemented operations, and pages shortened by a fault."""

from __future__ import annotations

import base64
import binascii
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.server import wire
from clusterwright_localaws.worlds.model import Fault

T = TypeVar("T")
_PREFIX = "clusterwright:"


def page(
    items: Sequence[T],
    call: Call,
    *,
    default: int,
    maximum: int | None = None,
    size_member: str = "MaxResults",
    next_member: str = "NextToken",
    stale_page_code: str = "ValidationException",
) -> tuple[Sequence[T], str | None]:
    """Return the page of `items` that a call requests, and the token of the next page.

    Raises
    ------
    AwsError
        `stale_page_code`: the call's NextToken was not issued by this operation.
    """
    start = 0
    token = call.parameters.get(next_member)
    if token:
        start = _offset(str(token), call.operation, stale_page_code)
    size = int(call.parameters.get(size_member) or default)
    for limit in (maximum, call.page_limit):
        if limit is not None:
            size = min(size, limit)
    end = start + size
    if end >= len(items):
        return items[start:end], None
    return items[start:end], base64.b64encode(f"{_PREFIX}{call.operation}:{end}".encode()).decode()


def paged(
    call: Call,
    name: str,
    items: Sequence[T],
    view: Callable[[T], Any] | None = None,
    *,
    default: int = 100,
    maximum: int | None = None,
    size_member: str = "MaxResults",
    next_member: str = "NextToken",
    stale_page_code: str = "ValidationException",
) -> dict[str, Any]:
    """Return the answer of a list operation: a page of `items` under `name`, and its token.

    `view` turns each item of the page into the API's shape. See `page` for the rest.
    """
    shown, token = page(
        items,
        call,
        default=default,
        maximum=maximum,
        size_member=size_member,
        next_member=next_member,
        stale_page_code=stale_page_code,
    )
    answer = {name: [view(item) for item in shown] if view is not None else list(shown)}
    return {**answer, next_member: token} if token else answer


def shorten(
    hits: Sequence[Fault], service: str, operation: str, result: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the answer with the fault `empty` applied."""
    for fault in hits:
        if fault.empty:
            keys, token = _paging(service, operation)
            result = {
                name: [] if name in keys or (not keys and isinstance(value, list)) else value
                for name, value in result.items()
                if name != token
            }
    return result


@functools.cache
def _paging(service: str, operation: str) -> tuple[frozenset[str], str | None]:
    from botocore.exceptions import UnknownServiceError
    from moto.core.utils import get_pagination_model

    wire.service_model(service)
    try:
        paging = get_pagination_model(service).get(operation)
    except UnknownServiceError:
        paging = None
    if paging is None:
        return frozenset(), None
    keys = paging["result_key"]
    token = paging["output_token"]
    return (
        frozenset([keys] if isinstance(keys, str) else keys),
        token if isinstance(token, str) else None,
    )


def _offset(token: str, operation: str, stale_page_code: str) -> int:
    try:
        text = base64.b64decode(token.encode()).decode()
        prefix = f"{_PREFIX}{operation}:"
        if text.startswith(prefix):
            return int(text[len(prefix) :])
    except (binascii.Error, ValueError):
        pass
    raise AwsError(stale_page_code, "The NextToken is not valid")
