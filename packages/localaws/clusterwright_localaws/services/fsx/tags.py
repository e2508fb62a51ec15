"""Tags of FSx resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.fsx.state import store_of, tag_list, tag_map

# A resource has at most 50 tags, which fit in one page unless the caller requests fewer.
_PAGE_SIZE = 100

MOST_TAGS = 50
"""The API model's limit of a list of tags, which also applies to the tags of a resource."""


@operation("fsx", "ListTagsForResource")
def list_tags(call: Call) -> Mapping[str, Any]:
    entries, token = page(tag_list(_tags(call)), call, default=_PAGE_SIZE)
    answer = {"Tags": list(entries)}
    return {**answer, "NextToken": token} if token else answer


@operation("fsx", "TagResource")
def tag(call: Call) -> Mapping[str, Any]:
    tags, added = _tags(call), tag_map(call.parameters["Tags"])
    if len({**tags, **added}) > MOST_TAGS:
        raise AwsError("BadRequest", f"A resource has at most {MOST_TAGS} tags.")
    tags.update(added)
    return {}


@operation("fsx", "UntagResource")
def untag(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    for key in call.parameters["TagKeys"]:
        tags.pop(key, None)
    return {}


def _tags(call: Call) -> dict[str, str]:
    store = store_of(call)
    arn = call.parameters["ResourceARN"]
    everything: list[Any] = [
        *store.file_systems.values(),
        *store.associations.values(),
        *store.volumes.values(),
        *store.snapshots.values(),
        *store.backups.values(),
        *store.tasks.values(),
    ]
    for each in everything:
        if each.arn == arn:
            found: dict[str, str] = each.tags
            return found
    raise AwsError("ResourceNotFound", f"Resource {arn} does not exist.")
