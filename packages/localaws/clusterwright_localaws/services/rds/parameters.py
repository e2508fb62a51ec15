"""ResetDBParameterGroup, which moto lacks, and lists of groups that do not exist.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ResetDBParameterGroup.html
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBParameterGroups.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto


@operation("rds", "ResetDBParameterGroup")
def reset_db_parameter_group(call: Call) -> Mapping[str, Any]:
    name = call.parameters["DBParameterGroupName"]
    found = moto_state.backend("rds", call.account, call.region).db_parameter_groups.get(
        name.lower()
    )
    if found is None:
        raise _unknown(name)
    if call.parameters.get("ResetAllParameters"):
        found.parameters.clear()
    for parameter in call.parameters.get("Parameters", []):
        found.parameters.pop(parameter["ParameterName"], None)
    return {"DBParameterGroupName": found.name}


@operation("rds", "DescribeDBParameterGroups")
def describe_db_parameter_groups(call: Call) -> Mapping[str, Any]:
    name = call.parameters.get("DBParameterGroupName")
    groups = moto_state.backend("rds", call.account, call.region).db_parameter_groups
    # Groups of the defaults exist without being created.
    if name and name.lower() not in groups and not name.startswith("default."):
        raise _unknown(name)
    raise ForwardToMoto


def _unknown(name: str) -> AwsError:
    return AwsError("DBParameterGroupNotFound", f"DBParameterGroup not found: {name}", 404)
