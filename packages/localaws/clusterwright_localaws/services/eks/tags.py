"""Tags of EKS resources."""

from __future__ import annotations

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.services.eks.state import store_of

# botocore's model, TagMap.
MAX_TAGS = 50


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


tag_operations(
    "eks",
    _tags,
    limit=MAX_TAGS,
    refusal=lambda most: AwsError(
        "BadRequestException", f"A resource has at most {most} tags.", 400
    ),
)
