"""Tags of FSx resources."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.services.fsx.state import bad_request, store_of

MOST_TAGS = 50
"""The API model's limit of a list of tags, which also applies to the tags of a resource."""


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


tag_operations(
    "fsx",
    _tags,
    tags="Tags",
    keys="TagKeys",
    as_list=True,
    limit=MOST_TAGS,
    refusal=lambda most: bad_request(f"A resource has at most {most} tags."),
    stale_page_code="BadRequest",
)
