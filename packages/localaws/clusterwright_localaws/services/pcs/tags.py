"""Tags of AWS PCS resources."""

from __future__ import annotations

from typing import Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.services.pcs.state import CLUSTER, not_found, over_quota, store_of

# The API model's limit of a map of tags (botocore 1.44.5, RequestTagMap); AWS's limit for a
# resource is not published.
MOST_TAGS: Final = 200


def _tags(call: Call) -> dict[str, str]:
    arn = call.parameters["resourceArn"]
    for each in store_of(call).everything():
        if each.arn == arn:
            return each.tags
    parts = str(arn).rsplit("/", 2)
    raise not_found(parts[-2].rsplit(":", 1)[-1] or CLUSTER, parts[-1])


tag_operations(
    "pcs",
    _tags,
    limit=MOST_TAGS,
    refusal=lambda most: over_quota(f"A resource has at most {most} tags.", "tag"),
)
