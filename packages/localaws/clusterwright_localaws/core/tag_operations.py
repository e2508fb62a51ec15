"""The three operations on tags that most services have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged

Tags = dict[str, str]


def tag_operations(
    service: str,
    tags_of: Callable[[Call], Tags],
    *,
    tags: str = "tags",
    keys: str = "tagKeys",
    as_list: bool = False,
    limit: int | None = None,
    refusal: Callable[[int], AwsError] | None = None,
    stale_page_code: str | None = None,
) -> None:
    """Register TagResource, UntagResource and ListTagsForResource of a service.

    Parameters
    ----------
    tags_of:
        Returns the tags of the resource that a call names, to be changed in place.
    tags, keys:
        The API's members with the tags and with the keys to remove.
    as_list:
        Whether tags are a list of ``Key`` and ``Value``, not a map.
    limit, refusal:
        The maximum number of tags of a resource, and the error beyond it.
    stale_page_code:
        The error of an invalid NextToken, where the list has pages.
    """

    @operation(service, "TagResource")
    def tag(call: Call) -> Mapping[str, Any]:
        found, given = tags_of(call), call.parameters[tags]
        added = {pair["Key"]: pair["Value"] for pair in given} if as_list else given
        if limit is not None and refusal is not None and len({**found, **added}) > limit:
            raise refusal(limit)
        found.update(added)
        return {}

    @operation(service, "UntagResource")
    def untag(call: Call) -> Mapping[str, Any]:
        found = tags_of(call)
        for key in call.parameters[keys]:
            found.pop(key, None)
        return {}

    @operation(service, "ListTagsForResource")
    def list_tags(call: Call) -> Mapping[str, Any]:
        found = tags_of(call)
        if not as_list:
            return {tags: dict(found)}
        pairs = [{"Key": key, "Value": value} for key, value in found.items()]
        if stale_page_code is None:
            return {tags: pairs}
        return paged(call, tags, pairs, stale_page_code=stale_page_code)
