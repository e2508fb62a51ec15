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
from clusterwright_localaws.services.rds import engines, surroundings, values
from clusterwright_localaws.services.rds.values import contradictory, invalid

_CLASS: Final = re.compile(r"db\.[a-z0-9-]+\.[a-z0-9-]+")
_FAMILY: Final = re.compile(
    r"(aurora-mysql|aurora-postgresql|custom-(oracle|sqlserver)-[a-z0-9-]+|db2-[a-z]+-|docdb|mariadb"
    r"|mysql|neptune|oracle-[a-z0-9-]+-|postgres|sqlserver-[a-z]+-)\d+(\.\d+)?"
)


@operation("rds", "CreateDBInstance")
def create_db_instance(call: Call) -> Mapping[str, Any]:
    request, engine = call.parameters, call.parameters["Engine"]
    if not _CLASS.fullmatch(request["DBInstanceClass"]):
        raise invalid(f"Invalid DB Instance class: {request['DBInstanceClass']}")
    _check_secret(request)
    values.check_choices(request)
    family = engines.engine_of(engine)
    if family is not None:
        _check_members(request, engine)
        values.check_listed(request, "LicenseModel", family.licences, "the license model")
        logs = "EnableCloudwatchLogsExports"
        values.check_listed(request, logs, family.logs, "the log types")
        _check_created(request, engine)
        values.check_windows(
            request.get("PreferredMaintenanceWindow"), request.get("PreferredBackupWindow")
        )
    vpc_id = surroundings.vpc_of(call, request.get("DBSubnetGroupName"))
    surroundings.check_zones(call)
    surroundings.check_groups(call, vpc_id)
    surroundings.check_internet_gateway(call, vpc_id)
    surroundings.check_key(call)
    raise ForwardToMoto


@operation("rds", "ModifyDBInstance")
def modify_db_instance(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = moto_state.backend("rds", call.account, call.region).databases.get(
        request["DBInstanceIdentifier"].lower()
    )
    if found is None:
        raise ForwardToMoto
    if request.get("DBInstanceClass") and not _CLASS.fullmatch(request["DBInstanceClass"]):
        raise invalid(f"Invalid DB Instance class: {request['DBInstanceClass']}")
    _check_secret(request)
    values.check_choices(request)
    if request.get("NewDBInstanceIdentifier"):
        values.check_identifier("NewDBInstanceIdentifier", request["NewDBInstanceIdentifier"])
    engine = str(found.engine)
    if engines.engine_of(engine) is not None:
        _check_members(request, engine)
        _check_size(
            engine,
            request.get("StorageType") or found.storage_type,
            request.get("AllocatedStorage"),
            request.get("Iops"),
        )
    if request.get("PreferredBackupWindow"):
        values.check_backup_window(request["PreferredBackupWindow"])
    surroundings.check_groups(call, None)
    raise ForwardToMoto


def _check_members(request: Mapping[str, Any], engine: str) -> None:
    """Check the members that are the same at the creation of an instance and at its change."""
    values.check_each(
        request,
        {
            "MasterUsername": lambda name: values.check_user(engine, name),
            "MasterUserPassword": lambda text: values.check_password(engine, text),
            "BackupRetentionPeriod": lambda days: values.check_retention(days, 0),
            "Port": lambda port: values.check_port(engine, port),
            "DBPortNumber": lambda port: values.check_port(engine, port),
            "StorageType": values.check_storage_type,
            "DBName": lambda name: values.check_database(engine, name),
            "EngineVersion": lambda version: values.check_version(engine, version),
        },
    )
    if request.get("StorageThroughput") and request.get("StorageType", "gp3") != "gp3":
        raise contradictory("You can specify the storage throughput only for storage type gp3.")


def _check_created(request: Mapping[str, Any], engine: str) -> None:
    """Check what the creation of an instance needs."""
    if request.get("AllocatedStorage") is None:
        raise invalid("The parameter AllocatedStorage must be provided and must not be null.")
    if not request.get("MasterUsername"):
        raise invalid("The parameter MasterUsername must be provided and must not be blank.")
    if (
        not request.get("MasterUserPassword")
        and not request.get("ManageMasterUserPassword")
        and request.get("MasterUserAuthenticationType") != "iam-db-auth"
    ):
        raise invalid("The parameter MasterUserPassword must be provided and must not be blank.")
    # "Default: io1, if the Iops parameter is specified. Otherwise, gp3."
    kind = request.get("StorageType") or ("io1" if request.get("Iops") else "gp3")
    if kind in ("io1", "io2") and not request.get("Iops"):
        raise contradictory(f"You must specify iops for storage type {kind}.")
    _check_size(engine, kind, request["AllocatedStorage"], request.get("Iops"))


def _check_size(engine: str, kind: str, gib: int | None, iops: int | None) -> None:
    if gib is not None:
        values.check_storage(engine, kind, gib, iops)


def _check_secret(request: Mapping[str, Any]) -> None:
    if request.get("ManageMasterUserPassword") and request.get("MasterUserPassword"):
        raise contradictory(
            "MasterUserPassword can't be specified when ManageMasterUserPassword is turned on."
        )


@operation("rds", "CreateDBParameterGroup")
def create_db_parameter_group(call: Call) -> Mapping[str, Any]:
    name, family = (call.parameters[f"DBParameterGroup{part}"] for part in ("Name", "Family"))
    values.check_identifier("DBParameterGroupName", name, longest=255)
    if not _FAMILY.fullmatch(family):
        raise invalid(f"ParameterGroupFamily {family} is not a valid parameter group family")
    raise ForwardToMoto


@operation("rds", "ListTagsForResource")
def list_tags_for_resource(call: Call) -> Mapping[str, Any]:
    kind, _, name = call.parameters["ResourceName"].split(":", 5)[-1].partition(":")
    databases = moto_state.backend("rds", call.account, call.region).databases
    if kind == "db" and name not in databases:
        raise AwsError("DBInstanceNotFound", f"DBInstance {name} not found.", 404)
    raise ForwardToMoto
