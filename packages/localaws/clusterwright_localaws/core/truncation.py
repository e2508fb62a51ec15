"""Lists in smaller pages, with a token for the rest: as calls ask, and by the fault `truncate`.

moto ignores the length that many calls ask for, and answers more than a page of AWS has. Answers
are cut here, whoever made them, and the rest is kept under a token. Lists whose API has no token
cannot be cut without losing the rest: a world with such a fault is refused when it is loaded.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.page_tokens import refusal
from clusterwright_localaws.core.paging_model import Rest, paging_of
from clusterwright_localaws.core.runtime import Runtime

_PREFIX: Final = "clusterwright"
_MOST_KEPT: Final = 10_000
# Lists with an item for each item of the first. Those of other answers are one list, in parts.
_PARALLEL: Final = frozenset(
    {
        ("cloudwatch", "ListMetrics"),
        ("ec2", "DescribeVpcEndpointServices"),
        ("kinesis", "ListStreams"),
        ("logs", "FilterLogEvents"),
    }
)


def continued(
    runtime: Runtime,
    service: str,
    operation: str,
    account: str,
    region: str,
    parameters: Mapping[str, Any],
    limit: int | None,
) -> Mapping[str, Any] | None:
    """Return the next page, of at most `limit` items, if the call has a token of ours, else None.

    Raises
    ------
    AwsError
        The token belongs to another operation, account or region, or is older than 10,000 pages.
    """
    if not runtime.pages_left:
        return None
    paging = paging_of(service, operation)
    token = parameters.get(paging.input_token) if paging else None
    if paging is None or not str(token or "").startswith(_PREFIX):
        return None
    rest = runtime.pages_left.get(str(token))
    if rest is None or rest.whose != (service, operation, account, region):
        raise refusal(service, operation)
    return rest.result if limit is None else cut(runtime, rest.whose, rest.result, limit)


def cut(
    runtime: Runtime, whose: tuple[str, str, str, str], result: Mapping[str, Any], limit: int
) -> Mapping[str, Any]:
    """Return the first page of `result` with a token for the rest, or all of it where it fits.

    `whose` is the service, the operation, the account and the region of the call.
    """
    paging = paging_of(*whose[:2])
    if paging is None:
        return result
    lists = {
        name: result[name] for name in paging.lists if isinstance(result.get(name), (list, tuple))
    }
    kept = _kept(lists, limit, parallel=whose[:2] in _PARALLEL)
    if all(len(found) <= kept[name] for name, found in lists.items()):
        return result
    token = _PREFIX + uuid.uuid4().hex
    left = {**result, **{name: found[kept[name] :] for name, found in lists.items()}}
    with runtime.lock:
        runtime.pages_left[token] = Rest(whose, left)
        while len(runtime.pages_left) > _MOST_KEPT:
            del runtime.pages_left[next(iter(runtime.pages_left))]
    page = {**result, **{name: found[: kept[name]] for name, found in lists.items()}}
    page[paging.output_token] = token
    if paging.more is not None:
        page[paging.more] = True
    return page


def is_shorter(answered: tuple[int, Any, str | bytes] | None, limit: int) -> bool:
    """Whether an answer surely has no list of more items, without a look at its structure."""
    if answered is None:
        return True
    body = answered[2]
    # So many commas or ends of elements separate the items.
    marks = (b",", b"</") if isinstance(body, bytes) else (",", "</")
    return all(body.count(mark) < limit for mark in marks)  # type: ignore[arg-type]


def _kept(lists: Mapping[str, Sequence[Any]], limit: int, *, parallel: bool) -> dict[str, int]:
    """Return how many items of each list are in a page of `limit` items."""
    if parallel:
        return dict.fromkeys(lists, limit)
    kept = {}
    for name, found in lists.items():
        kept[name] = min(len(found), limit)
        limit -= kept[name]
    return kept
