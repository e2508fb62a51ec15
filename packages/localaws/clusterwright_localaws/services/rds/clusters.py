"""Requests for database clusters that RDS refuses; moto answers the others.

The constraints are those of the API model's documentation.
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.rds import engines, surroundings, values
from clusterwright_localaws.services.rds.values import contradictory, invalid

# Multi-AZ DB clusters; other clusters are Aurora's.
_MULTI_AZ: Final = ("mysql", "postgres")
_STORAGE: Final = {True: ("io1", "io2", "gp3"), False: ("aurora", "aurora-iopt1")}
_MOST_ZONES = 3
_LONGEST_NAME: Final = {True: 52, False: 63}
_MOST_CAPACITY = 256


@operation("rds", "CreateDBCluster")
def create_db_cluster(call: Call) -> Mapping[str, Any]:
    request, engine = call.parameters, call.parameters["Engine"]
    if engine not in engines.CLUSTER_LOGS:
        raise ForwardToMoto  # Neptune, and what moto refuses
    multi_az = engine in _MULTI_AZ
    values.check_identifier(
        "DBClusterIdentifier", request["DBClusterIdentifier"], _LONGEST_NAME[multi_az]
    )
    if request.get("ManageMasterUserPassword") and request.get("MasterUserPassword"):
        raise contradictory(
            "MasterUserPassword can't be specified when ManageMasterUserPassword is turned on."
        )
    values.check_choices(request)
    values.check_each(
        request,
        {
            "MasterUsername": lambda name: values.check_user("aurora", name),
            "MasterUserPassword": lambda text: values.check_password("aurora", text),
            "BackupRetentionPeriod": lambda days: values.check_retention(days, 1),
            "Port": lambda port: values.check_port(engine, port),
            "StorageType": lambda kind: values.check_storage_type(kind, _STORAGE[multi_az]),
            "EngineVersion": lambda version: values.check_version(engine, version),
            "ServerlessV2ScalingConfiguration": _check_capacity,
        },
    )
    logs = engines.CLUSTER_LOGS[engine]
    values.check_listed(request, "EnableCloudwatchLogsExports", logs, "the log types")
    values.check_windows(
        request.get("PreferredMaintenanceWindow"), request.get("PreferredBackupWindow")
    )
    if len(request.get("DatabaseName") or "") > 64:
        raise invalid("DatabaseName must have at most 64 characters.")
    if len(request.get("AvailabilityZones") or ()) > _MOST_ZONES:
        raise invalid("You can't specify more than three Availability Zones.")
    if multi_az:
        for name in ("DBClusterInstanceClass", "AllocatedStorage"):
            if not request.get(name):
                raise invalid(f"The parameter {name} must be provided for a Multi-AZ DB cluster.")
    _check_related(call)
    raise ForwardToMoto


def _check_related(call: Call) -> None:
    request = call.parameters
    rds = moto_state.backend("rds", call.account, call.region)
    group = request.get("DBSubnetGroupName")
    if group and group != "default" and group not in rds.subnet_groups:
        raise AwsError("DBSubnetGroupNotFoundFault", f"Subnet Group {group} not found.", 404)
    parameters = request.get("DBClusterParameterGroupName") or "default."
    if not parameters.startswith("default.") and parameters not in rds.db_cluster_parameter_groups:
        raise AwsError(
            "DBClusterParameterGroupNotFound",
            f"DBClusterParameterGroup not found: {parameters}",
            404,
        )
    surroundings.check_zones(call)
    surroundings.check_groups(call, surroundings.vpc_of(call, group))
    surroundings.check_key(call)


def _check_capacity(scaling: Mapping[str, Any]) -> None:
    """Capacities are from 0 to 256, "in half-step increments"."""
    least, most = scaling.get("MinCapacity", 0.5), scaling.get("MaxCapacity", _MOST_CAPACITY)
    if any(value * 2 % 1 or not 0 <= value <= _MOST_CAPACITY for value in (least, most)):
        raise invalid(
            "Serverless v2 capacities must be from 0 to 256 ACUs, in steps of half an ACU."
        )
    if least > most:
        raise invalid("The minimum Serverless v2 capacity can't exceed the maximum.")
