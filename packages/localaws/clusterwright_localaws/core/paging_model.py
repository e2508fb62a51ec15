"""Names of the tokens and lists of an operation, from its API model."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core.service_models import loader

_TOKENS: Final = ("NextToken", "nextToken", "Marker", "PageToken", "pageToken")
_MORE: Final = ("IsTruncated", "Truncated")
_SIZES: Final = (
    *("MaxResults", "maxResults", "MaxItems", "MaxRecords"),
    *("Limit", "limit", "PageSize", "pageSize"),
)
# moto streams their answers, which are not rewritten here.
_NOT_CUT: Final = frozenset({"s3", "s3control"})

Members = Mapping[str, Any]


@dataclass(frozen=True)
class Paging:
    """Names of the token, the lists and the length of a page in an operation's model."""

    input_token: str
    output_token: str
    lists: tuple[str, ...]
    more: str | None
    size: str | None = None


@dataclass(frozen=True)
class Rest:
    """The items after a page, for the caller that has its token."""

    whose: tuple[str, str, str, str]
    result: Mapping[str, Any]


@functools.cache
def paging_of(service: str, operation: str) -> Paging | None:
    """Return how an operation is paginated: by botocore's paginator, else by its model.

    None where it is not, or where a page is more than one token and top-level lists.

    Raises
    ------
    LookupError
        There is no such service or operation.
    """
    if service in _NOT_CUT:
        return None
    model, given, answered = members_of(service, operation)
    paging = _of_paginator(paginator_of(service, operation), given) or _of_model(
        model, given, answered
    )
    if paging is None or paging.input_token not in given or paging.output_token not in answered:
        return None
    return paging if all(name in answered for name in paging.lists) else None


def members_of(service: str, operation: str) -> tuple[Mapping[str, Any], Members, Members]:
    """Return the model of a service, and the members of an operation's request and answer.

    Raises
    ------
    LookupError
        There is no such service or operation.
    """
    from botocore.exceptions import DataNotFoundError, UnknownServiceError

    try:
        model = loader().load_service_model(service, "service-2")
        described = model["operations"][operation]
    except (UnknownServiceError, DataNotFoundError, KeyError):
        raise LookupError(f"{service} has no operation {operation}") from None
    given, answered = (
        model["shapes"].get(described.get(side, {}).get("shape"), {}).get("members", {})
        for side in ("input", "output")
    )
    return model, given, answered


def paginator_of(service: str, operation: str) -> Mapping[str, Any] | None:
    """Return botocore's paginator of an operation, if it has one."""
    from botocore.exceptions import DataNotFoundError, UnknownServiceError

    try:
        paginators = loader().load_service_model(service, "paginators-1")["pagination"]
    except (UnknownServiceError, DataNotFoundError):
        return None
    found: Mapping[str, Any] | None = paginators.get(operation)
    return found


def _of_paginator(found: Mapping[str, Any] | None, given: Members) -> Paging | None:
    if not found:
        return None
    keys = found.get("result_key", [])
    names = [keys] if isinstance(keys, str) else list(keys)
    tokens = (found.get("input_token"), found.get("output_token"))
    if not names or not all(isinstance(token, str) and token.isidentifier() for token in tokens):
        return None
    if not all(str(name).isidentifier() for name in names):
        return None
    size = found.get("limit_key") or _size_in(given)
    return Paging(str(tokens[0]), str(tokens[1]), tuple(names), found.get("more_results"), size)


def _of_model(
    model: Mapping[str, Any], given: Mapping[str, Any], answered: Mapping[str, Any]
) -> Paging | None:
    token = next((name for name in _TOKENS if name in given and name in answered), None)
    lists = tuple(
        name
        for name, member in answered.items()
        if model["shapes"][member["shape"]]["type"] == "list"
    )
    size = _size_in(given)
    more = next((name for name in _MORE if name in answered), None)
    return Paging(token, token, lists, more, size) if token and len(lists) == 1 else None


def _size_in(given: Members) -> str | None:
    return next((name for name in _SIZES if name in given), None)
