"""Lists in smaller pages, with a token for the rest: as calls ask, and by the fault `truncate`.

Implemented operations paginate by themselves. moto's lists are cut here, and the rest is kept
under a token: moto ignores the length that many calls ask for. Lists whose API has no token cannot
be cut without losing the rest: a world with such a fault is refused when it is loaded.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.page_tokens import refusal
from clusterwright_localaws.core.paging_model import Rest, paging_of
from clusterwright_localaws.core.runtime import Runtime

_PREFIX: Final = "clusterwright"
_MOST_KEPT: Final = 10_000
# The length of a page where the call states none, and the longest.
LARGEST_PAGES: Final = {
    ("ec2", "DescribeLaunchTemplates"): 200,
    ("ec2", "DescribeLaunchTemplateVersions"): 200,
}


def continued(
    runtime: Runtime,
    service: str,
    operation: str,
    account: str,
    region: str,
    parameters: Mapping[str, Any],
) -> Mapping[str, Any] | None:
    """Return the next page if the call has a token of ours, else None.

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
    return cut(runtime, rest.whose, rest.result, rest.limit)


def asked_length(service: str, operation: str, parameters: Mapping[str, Any]) -> int | None:
    """Return the length of the page that a call of EC2 asks for, where it is one of one list."""
    if service != "ec2":
        return None
    paging = paging_of(service, operation)
    if paging is None or paging.size is None or len(paging.lists) != 1:
        return None
    size = parameters.get(paging.size)
    if isinstance(size, int) and size > 0:
        return size
    return LARGEST_PAGES.get((service, operation))


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
