"""Refusal of tag keys that begin with `aws:`, which AWS keeps for itself.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions; the message
as users quote it (kubernetes-sigs/cluster-api-provider-aws#5461). CloudFormation, which is AWS,
writes such tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.request_tags import is_reserved


def check(operation: str, parameters: Mapping[str, Any], *, by_aws: bool) -> None:
    """Check the tags of one request of EC2; `by_aws` is a request of CloudFormation.

    Raises
    ------
    AwsError
        InvalidParameterValue; MissingParameter for a tag without a key or with an empty one.
    """
    for key in _keys(operation, parameters):
        if not key:
            raise AwsError(
                "MissingParameter", "The request must contain the parameter Tag.Key", 400
            )
        if not by_aws and is_reserved(key):
            raise AwsError(
                "InvalidParameterValue",
                f"Value ( {key} ) for parameter key is invalid. "
                "Tag keys starting with 'aws:' are reserved for internal use",
                400,
            )


def _keys(operation: str, parameters: Mapping[str, Any]) -> Iterator[str | None]:
    groups = [one.get("Tags") for one in parameters.get("TagSpecifications") or ()]
    if operation in ("CreateTags", "DeleteTags"):
        groups.append(parameters.get("Tags"))
    for tags in groups:
        for tag in tags or ():
            yield tag.get("Key")
