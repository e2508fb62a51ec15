"""Tags of budgets, which moto lacks.

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_TagResource.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError

_ARN: Final = re.compile(r"arn:[^:]+:budgets::(?P<account>\d{12}):budget/(?P<name>.+)")

# The most tags that a resource can have: the model's ResourceTagList.
_MOST_TAGS: Final = 200


@operation("budgets", "ListTagsForResource")
def list_tags_for_resource(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    return {"ResourceTags": [{"Key": key, "Value": value} for key, value in tags.items()]}


@operation("budgets", "TagResource")
def tag_resource(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    new = {
        resource_tag["Key"]: resource_tag["Value"]
        for resource_tag in call.parameters["ResourceTags"]
    }
    if len(tags | new) > _MOST_TAGS:
        raise AwsError(
            "ServiceQuotaExceededException", f"A resource can have at most {_MOST_TAGS} tags."
        )
    tags.update(new)
    return {}


@operation("budgets", "UntagResource")
def untag_resource(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    for key in call.parameters["ResourceTagKeys"]:
        tags.pop(key, None)
    return {}


def _tags(call: Call) -> dict[str, str]:
    from moto.budgets.models import budgets_backends

    arn = call.parameters["ResourceARN"]
    parts = _ARN.fullmatch(arn)
    if parts is None:
        raise AwsError("InvalidParameterException", f"{arn} is not the ARN of a budget")
    found = None
    if parts["account"] == call.account:
        budgets = budgets_backends[call.account]["aws"].budgets
        found = budgets[call.account].get(parts["name"])
    if found is None:
        raise AwsError(
            "NotFoundException", f"Unable to find the budget: {parts['name']} doesn't exist."
        )
    tags: dict[str, str] = found.__dict__.setdefault("tags", {})
    return tags
