"""Names of filters: EC2 refuses one that the operation does not have.

The names are those that the documentation of the operation's parameter lists, in botocore's model,
also as EC2 wrote them first: `isDefault` beside `is-default`, as in the VPC user guide
(https://docs.aws.amazon.com/vpc/latest/userguide/work-with-default-vpc.html). An operation whose
documentation lists none accepts any. The refusal is as users publish it (boto/boto3#1299,
aws/aws-cli#7225).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.common import filters_of

if TYPE_CHECKING:
    from botocore.model import OperationModel

_NAME: Final = re.compile(r"<li>\s*<p>\s*<code>([^<]+)</code>")
_ALSO: Final = re.compile(r"[Yy]ou can also use (.*?) as the filter names?")
_CODE: Final = re.compile(r"<code>([^<]+)</code>")
_CAPITAL: Final = re.compile(r"([A-Z])")
_TAGS: Final = frozenset({"tag", "tag-key", "tag-value"})
"""Where tags are a filter. `tag-value` was documented until 2017."""


def check(operation: OperationModel, parameters: Mapping[str, Any]) -> None:
    """Refuse filters that the operation does not have.

    Raises
    ------
    AwsError
        InvalidParameterValue
    """
    given = [str(one["Name"]) for one in filters_of(parameters) if one.get("Name")]
    known = _documented(operation) if given else frozenset()
    for name in given if known else ():
        own = name.partition(":")[0]
        if own not in known and _CAPITAL.sub(r"-\1", own).lower() not in known:
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")


def not_implemented(operation: str, error: NotImplementedError) -> AwsError | None:
    """Return our refusal of a filter that moto does not implement; None for other errors."""
    from moto.ec2.exceptions import FilterNotImplementedError

    if not isinstance(error, FilterNotImplementedError):
        return None
    name = str(error).split("'")[1]
    text = f"the local AWS does not implement the filter '{name}' of ec2 {operation}"
    return AwsError("UnsupportedOperation", text)


@lru_cache(maxsize=256)
def _documented(operation: OperationModel) -> frozenset[str]:
    members = {} if operation.input_shape is None else operation.input_shape.members
    text = "".join(
        members[name].documentation or "" for name in ("Filters", "Filter") if name in members
    )
    names = {name.strip().partition(":")[0] for name in _NAME.findall(text)}
    names |= {name for also in _ALSO.findall(text) for name in _CODE.findall(also)}
    if "cidr" in names:  # of VPCs as of subnets: both have the three names in moto, too
        names |= {"cidr-block", "cidrBlock"}
    return frozenset(names | _TAGS if names & _TAGS else names)
