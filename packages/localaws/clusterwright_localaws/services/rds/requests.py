"""Requests that RDS refuses; moto answers the others.

The constraints are those of the API model's documentation.
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

_CLASS: Final = re.compile(r"db\.[a-z0-9-]+\.[a-z0-9-]+")
_FAMILY: Final = re.compile(
    r"(aurora-mysql|aurora-postgresql|custom-(oracle|sqlserver)-[a-z0-9-]+|db2-[a-z]+-|docdb|mariadb"
    r"|mysql|neptune|oracle-[a-z0-9-]+-|postgres|sqlserver-[a-z]+-)\d+(\.\d+)?"
)


@operation("rds", "CreateDBInstance")
def create_db_instance(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if not _CLASS.fullmatch(request["DBInstanceClass"]):
        raise AwsError(
            "InvalidParameterValue", f"Invalid DB Instance class: {request['DBInstanceClass']}"
        )
    if request.get("ManageMasterUserPassword") and request.get("MasterUserPassword"):
        raise AwsError(
            "InvalidParameterCombination",
            "MasterUserPassword can't be specified when ManageMasterUserPassword is turned on.",
        )
    raise ForwardToMoto


@operation("rds", "CreateDBParameterGroup")
def create_db_parameter_group(call: Call) -> Mapping[str, Any]:
    family = call.parameters["DBParameterGroupFamily"]
    if not _FAMILY.fullmatch(family):
        raise AwsError(
            "InvalidParameterValue",
            f"ParameterGroupFamily {family} is not a valid parameter group family",
        )
    raise ForwardToMoto


@operation("rds", "ListTagsForResource")
def list_tags_for_resource(call: Call) -> Mapping[str, Any]:
    kind, _, name = call.parameters["ResourceName"].split(":", 5)[-1].partition(":")
    databases = moto_state.backend("rds", call.account, call.region).databases
    if kind == "db" and name not in databases:
        raise AwsError("DBInstanceNotFound", f"DBInstance {name} not found.", 404)
    raise ForwardToMoto
