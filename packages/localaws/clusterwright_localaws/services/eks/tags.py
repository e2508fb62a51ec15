"""Tags of EKS resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.eks.state import store_of

# botocore's model, TagMap.
MAX_TAGS = 50


@operation("eks", "ListTagsForResource")
def list_tags(call: Call) -> Mapping[str, Any]:
    return {"tags": dict(_tags(call))}


@operation("eks", "TagResource")
def tag(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    requested = {**tags, **call.parameters["tags"]}
    if len(requested) > MAX_TAGS:
        raise AwsError("BadRequestException", f"A resource has at most {MAX_TAGS} tags.", 400)
    tags.update(requested)
    return {}


@operation("eks", "UntagResource")
def untag(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    for key in call.parameters["tagKeys"]:
        tags.pop(key, None)
    return {}


def _tags(call: Call) -> dict[str, str]:
    arn = call.parameters["resourceArn"]
    for cluster in store_of(call).clusters.values():
        if cluster.arn == arn:
            return cluster.tags
        for children in (
            cluster.nodegroups,
            cluster.addons,
            cluster.access_entries,
            cluster.associations,
            cluster.capabilities,
        ):
            for child in children.values():
                if child.arn == arn:
                    return child.tags
    raise AwsError("NotFoundException", f"No resource found for ARN: {arn}", 404)
