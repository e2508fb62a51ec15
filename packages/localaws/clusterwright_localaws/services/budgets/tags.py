"""Tags of budgets, which moto lacks.

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_TagResource.html
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.tag_operations import tag_operations

_ARN: Final = re.compile(r"arn:[^:]+:budgets::(?P<account>\d{12}):budget/(?P<name>.+)")

# The most tags that a resource can have: the model's ResourceTagList.
_MOST_TAGS: Final = 200


def _tags(call: Call) -> dict[str, str]:
    arn = call.parameters["ResourceARN"]
    parts = _ARN.fullmatch(arn)
    if parts is None:
        raise AwsError("InvalidParameterException", f"{arn} is not the ARN of a budget")
    found = None
    if parts["account"] == call.account:
        budgets = moto_state.backend("budgets", call.account, "aws").budgets
        found = budgets[call.account].get(parts["name"])
    if found is None:
        raise AwsError(
            "NotFoundException", f"Unable to find the budget: {parts['name']} doesn't exist."
        )
    tags: dict[str, str] = found.__dict__.setdefault("tags", {})
    return tags


tag_operations(
    "budgets",
    _tags,
    tags="ResourceTags",
    keys="ResourceTagKeys",
    as_list=True,
    limit=_MOST_TAGS,
    refusal=lambda most: AwsError(
        "ServiceQuotaExceededException", f"A resource can have at most {most} tags."
    ),
)
