"""ResetDBParameterGroup, which moto lacks.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ResetDBParameterGroup.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError


@operation("rds", "ResetDBParameterGroup")
def reset_db_parameter_group(call: Call) -> Mapping[str, Any]:
    name = call.parameters["DBParameterGroupName"]
    found = moto_state.backend("rds", call.account, call.region).db_parameter_groups.get(
        name.lower()
    )
    if found is None:
        raise AwsError("DBParameterGroupNotFound", f"DBParameterGroup not found: {name}", 404)
    if call.parameters.get("ResetAllParameters"):
        found.parameters.clear()
    for parameter in call.parameters.get("Parameters", []):
        found.parameters.pop(parameter["ParameterName"], None)
    return {"DBParameterGroupName": found.name}
