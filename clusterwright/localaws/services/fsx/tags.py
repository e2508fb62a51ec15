"""Tags of everything that FSx has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright.localaws.call import AwsError, Call, operation
from clusterwright.localaws.services.fsx.state import store_of, tag_list, tag_map


@operation("fsx", "ListTagsForResource")
def list_tags(call: Call) -> Mapping[str, Any]:
    return {"Tags": tag_list(_tags(call))}


@operation("fsx", "TagResource")
def tag(call: Call) -> Mapping[str, Any]:
    _tags(call).update(tag_map(call.parameters["Tags"]))
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
    ]
    for each in everything:
        if each.arn == arn:
            found: dict[str, str] = each.tags
            return found
    raise AwsError("ResourceNotFound", f"Resource {arn} does not exist.")
