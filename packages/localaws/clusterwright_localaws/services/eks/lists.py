"""Paginated lists with EKS's member names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.pagination import paged

PAGE = 100


def listed(call: Call, name: str, items: Sequence[Any]) -> dict[str, Any]:
    """Return the answer of a list operation: the requested page, under `name`."""
    return paged(
        call,
        name,
        items,
        default=PAGE,
        maximum=PAGE,
        size_member="maxResults",
        next_member="nextToken",
        stale_page_code="InvalidParameterException",
    )
