"""The fault `truncate`: lists in smaller pages, with a token that gives the rest.

Our own lists page by themselves; moto's are cut here, and what was cut waits under a token of
ours. Lists whose API has no token cannot be cut without losing the rest: a world that asks for
it is refused when it is loaded.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.call import AwsError
from clusterwright_localaws.core.service_models import loader

if TYPE_CHECKING:
    from clusterwright_localaws.core.runtime import Runtime

_PREFIX: Final = "clusterwright"
_MOST_KEPT: Final = 10_000
_TOKENS: Final = ("NextToken", "nextToken", "Marker", "PageToken", "pageToken")
# moto streams their answers, which nobody here writes anew.
_NOT_CUT: Final = frozenset({"s3", "s3control"})


@dataclass(frozen=True)
class Paging:
    """Where an operation's model has its token and its lists."""

    input_token: str
    output_token: str
    lists: tuple[str, ...]
    more: str | None


@dataclass(frozen=True)
class Rest:
    """What a page left over, for the caller who has its token."""

    whose: tuple[str, str, str, str]
    result: Mapping[str, Any]
    limit: int


def continued(
    runtime: Runtime,
    service: str,
    operation: str,
    account: str,
    region: str,
    parameters: Mapping[str, Any],
) -> Mapping[str, Any] | None:
    """The next page, when the call has a token of ours; None when it has not.

    Raises
    ------
    AwsError
        The token is another operation's, account's or region's, or older than 10,000 pages.
    """
    if not runtime.pages_left:
        return None
    paging = paging_of(service, operation)
    token = parameters.get(paging.input_token) if paging else None
    if paging is None or not str(token or "").startswith(_PREFIX):
        return None
    rest = runtime.pages_left.get(str(token))
    if rest is None or rest.whose != (service, operation, account, region):
        raise AwsError("InvalidNextToken", f"The {paging.input_token} is not valid", 400)
    return cut(runtime, rest.whose, rest.result, rest.limit)


def cut(
    runtime: Runtime, whose: tuple[str, str, str, str], result: Mapping[str, Any], limit: int
) -> Mapping[str, Any]:
    """The first page of `result`, with a token for what is left; all of it where it fits.

    `whose` is the service, the operation, the account and the region of the call.
    """
    paging = paging_of(*whose[:2])
    if paging is None:
        return result
    lists = {
        name: result[name] for name in paging.lists if isinstance(result.get(name), (list, tuple))
    }
    if all(len(found) <= limit for found in lists.values()):
        return result
    token = _PREFIX + uuid.uuid4().hex
    left = {**result, **{name: found[limit:] for name, found in lists.items()}}
    with runtime.lock:
        runtime.pages_left[token] = Rest(whose, left, limit)
        while len(runtime.pages_left) > _MOST_KEPT:
            del runtime.pages_left[next(iter(runtime.pages_left))]
    page = {**result, **{name: found[:limit] for name, found in lists.items()}}
    page[paging.output_token] = token
    if paging.more is not None:
        page[paging.more] = True
    return page


@functools.cache
def paging_of(service: str, operation: str) -> Paging | None:
    """How an operation's answers continue: by botocore's paginator, else by its model.

    None where they do not, or where a page is more than one token and lists at the top.

    Raises
    ------
    LookupError
        There is no such service or operation.
    """
    if service in _NOT_CUT:
        return None
    from botocore.exceptions import DataNotFoundError, UnknownServiceError

    models = loader()
    try:
        model = models.load_service_model(service, "service-2")
        described = model["operations"][operation]
    except (UnknownServiceError, DataNotFoundError, KeyError):
        raise LookupError(f"{service} has no operation {operation}") from None
    try:
        paginators = models.load_service_model(service, "paginators-1")["pagination"]
    except (UnknownServiceError, DataNotFoundError):
        paginators = {}
    given, answered = (
        model["shapes"].get(described.get(side, {}).get("shape"), {}).get("members", {})
        for side in ("input", "output")
    )
    paging = _of_paginator(paginators.get(operation)) or _of_model(model, given, answered)
    if paging is None or paging.input_token not in given or paging.output_token not in answered:
        return None
    return paging if all(name in answered for name in paging.lists) else None


def _of_paginator(found: Mapping[str, Any] | None) -> Paging | None:
    if not found:
        return None
    keys = found.get("result_key", [])
    names = [keys] if isinstance(keys, str) else list(keys)
    tokens = (found.get("input_token"), found.get("output_token"))
    if not names or not all(isinstance(token, str) and token.isidentifier() for token in tokens):
        return None
    if not all(str(name).isidentifier() for name in names):
        return None
    more = found.get("more_results")
    return Paging(str(tokens[0]), str(tokens[1]), tuple(names), more)


def _of_model(
    model: Mapping[str, Any], given: Mapping[str, Any], answered: Mapping[str, Any]
) -> Paging | None:
    token = next((name for name in _TOKENS if name in given and name in answered), None)
    lists = tuple(
        name
        for name, member in answered.items()
        if model["shapes"][member["shape"]]["type"] == "list"
    )
    return Paging(token, token, lists, None) if token and len(lists) == 1 else None
