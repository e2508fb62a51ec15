"""Databases: instances, their subnets and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    difference,
    pick,
    ready,
    retag,
    settle,
)

_INSTANCE_BOTH = (
    "AllocatedStorage",
    "AutoMinorVersionUpgrade",
    "BackupRetentionPeriod",
    "CACertificateIdentifier",
    "CopyTagsToSnapshot",
    "DBInstanceClass",
    "DBParameterGroupName",
    "DatabaseInsightsMode",
    "DedicatedLogVolume",
    "DeletionProtection",
    "EnableIAMDatabaseAuthentication",
    "EnablePerformanceInsights",
    "EngineVersion",
    "Iops",
    "LicenseModel",
    "ManageMasterUserPassword",
    "MasterUserPassword",
    "MaxAllocatedStorage",
    "MonitoringInterval",
    "MonitoringRoleArn",
    "MultiAZ",
    "NetworkType",
    "OptionGroupName",
    "PerformanceInsightsKMSKeyId",
    "PerformanceInsightsRetentionPeriod",
    "PreferredBackupWindow",
    "PreferredMaintenanceWindow",
    "PromotionTier",
    "PubliclyAccessible",
    "StorageThroughput",
    "StorageType",
)
_INSTANCE_CREATE = (
    "AvailabilityZone",
    "CharacterSetName",
    "DBName",
    "DBSubnetGroupName",
    "EnableCloudwatchLogsExports",
    "Engine",
    "KmsKeyId",
    "MasterUsername",
    "StorageEncrypted",
    "Timezone",
)
_TAG_CALLS = ("add_tags_to_resource", "remove_tags_from_resource")
_INTEGERS = ("AllocatedStorage",)


class DBInstance(Handler):
    type_name = "AWS::RDS::DBInstance"
    unsupported_attributes = frozenset(
        {
            "AutomaticRestartTime",
            "CertificateDetails",
            "Endpoint.HostedZoneId",
            "IsStorageConfigUpgradeAvailable",
            "ListenerEndpoint",
            "PercentProgress",
            "ReadReplicaDBClusterIdentifiers",
            "ReadReplicaDBInstanceIdentifiers",
            "ResumeFullAutomationModeTime",
            "SecondaryAvailabilityZone",
            "StatusInfos",
            "StorageOperationPercentProgress",
            "StorageOperationStatus",
        }
    )
    supported_properties = frozenset(
        {
            *_INSTANCE_BOTH,
            *_INSTANCE_CREATE,
            "AllowMajorVersionUpgrade",
            "DBInstanceIdentifier",
            "DeleteAutomatedBackups",
            "Port",
            "Tags",
            "VPCSecurityGroups",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        rds = ctx.client("rds")
        name = (
            properties.get("DBInstanceIdentifier") or ctx.generated_name(max_length=63)
        ).lower()
        parameters = _numbers(
            pick(
                properties,
                *_INSTANCE_BOTH,
                *_INSTANCE_CREATE,
                Port="Port",
                VPCSecurityGroups="VpcSecurityGroupIds",
            )
        )
        rds.create_db_instance(DBInstanceIdentifier=name, **parameters, **ctx.tagging(properties))
        ctx.identify(name)
        return self._wait(ctx, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        rds = ctx.client("rds")
        parameters = _modified(
            old,
            new,
            (*_INSTANCE_BOTH, "AllowMajorVersionUpgrade"),
            {"VPCSecurityGroups": "VpcSecurityGroupIds", "Port": "DBPortNumber"},
        )
        parameters.update(_log_exports(old, new))
        if parameters:
            settle(ctx, lambda: _instance(ctx, physical_id)["DBInstanceStatus"], physical_id)
            rds.modify_db_instance(
                DBInstanceIdentifier=physical_id,
                ApplyImmediately=True,
                **_numbers(parameters),
            )
        created = self._wait(ctx, physical_id)
        arn = created.attributes["DBInstanceArn"]
        retag(ctx, "rds", old, new, calls=_TAG_CALLS, ResourceName=arn)
        return created

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        delete_settled(
            ctx,
            lambda: _instance(ctx, physical_id)["DBInstanceStatus"],
            lambda: ctx.client("rds").delete_db_instance(
                DBInstanceIdentifier=physical_id,
                **pick(properties, "DeleteAutomatedBackups"),
                **_final_snapshot(ctx, physical_id),
            ),
            physical_id,
        )

    def snapshot_refusal(self, properties: Properties) -> str | None:
        return None

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        return {name for name in ("AvailabilityZone", "Engine") if changed(old, new, name)}

    def _wait(self, ctx: Context, name: str) -> Created:
        item = ready(
            ctx,
            lambda: _instance(ctx, name),
            f"the instance {name}",
            status="DBInstanceStatus",
            wanted="available",
        )
        endpoint = item.get("Endpoint", {})
        return Created(
            name,
            _present(
                {
                    "DBInstanceArn": item["DBInstanceArn"],
                    "DbiResourceId": item.get("DbiResourceId"),
                    "DBInstanceStatus": item["DBInstanceStatus"],
                    "Endpoint.Address": endpoint.get("Address"),
                    "Endpoint.Port": endpoint.get("Port"),
                    "InstanceCreateTime": item["InstanceCreateTime"].isoformat(),
                    "LatestRestorableTime": item["LatestRestorableTime"].isoformat(),
                    "MasterUserSecret.SecretArn": item.get("MasterUserSecret", {}).get(
                        "SecretArn"
                    ),
                }
            ),
        )


class DBSubnetGroup(Handler):
    type_name = "AWS::RDS::DBSubnetGroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = (properties.get("DBSubnetGroupName") or ctx.generated_name(max_length=255)).lower()
        arn = ctx.client("rds").create_db_subnet_group(
            DBSubnetGroupName=name,
            **pick(properties, "DBSubnetGroupDescription", "SubnetIds"),
            **ctx.tagging(properties),
        )["DBSubnetGroup"]["DBSubnetGroupArn"]
        return Created(name, {"DBSubnetGroupArn": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        rds = ctx.client("rds")
        arn = rds.modify_db_subnet_group(
            DBSubnetGroupName=physical_id,
            **pick(new, "DBSubnetGroupDescription", "SubnetIds"),
        )["DBSubnetGroup"]["DBSubnetGroupArn"]
        retag(ctx, "rds", old, new, calls=_TAG_CALLS, ResourceName=arn)
        return Created(physical_id, {"DBSubnetGroupArn": arn})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("rds").delete_db_subnet_group(DBSubnetGroupName=physical_id)


class DBParameterGroup(Handler):
    type_name = "AWS::RDS::DBParameterGroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        rds = ctx.client("rds")
        name = (
            properties.get("DBParameterGroupName") or ctx.generated_name(max_length=255)
        ).lower()
        arn = rds.create_db_parameter_group(
            DBParameterGroupName=name,
            DBParameterGroupFamily=properties["Family"],
            **pick(properties, "Description"),
            **ctx.tagging(properties),
        )["DBParameterGroup"]["DBParameterGroupArn"]
        ctx.identify(name)
        self._set(rds, name, properties.get("Parameters", {}))
        return Created(name, {"DBParameterGroupArn": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        rds = ctx.client("rds")
        before, after = old.get("Parameters", {}), new.get("Parameters", {})
        gone = [name for name in before if name not in after]
        if gone:
            rds.reset_db_parameter_group(
                DBParameterGroupName=physical_id,
                Parameters=[
                    {"ParameterName": name, "ApplyMethod": "pending-reboot"} for name in gone
                ],
            )
        self._set(rds, physical_id, after)
        found = rds.describe_db_parameter_groups(DBParameterGroupName=physical_id)
        arn = found["DBParameterGroups"][0]["DBParameterGroupArn"]
        retag(ctx, "rds", old, new, calls=_TAG_CALLS, ResourceName=arn)
        return Created(physical_id, {"DBParameterGroupArn": arn})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("rds").delete_db_parameter_group(DBParameterGroupName=physical_id)

    def _set(self, rds: Any, name: str, parameters: Mapping[str, Any]) -> None:
        if parameters:
            rds.modify_db_parameter_group(
                DBParameterGroupName=name,
                Parameters=[
                    {
                        "ParameterName": key,
                        "ParameterValue": str(value),
                        "ApplyMethod": "pending-reboot",
                    }
                    for key, value in parameters.items()
                ],
            )


def _instance(ctx: Context, name: str) -> dict[str, Any]:
    found = ctx.client("rds").describe_db_instances(DBInstanceIdentifier=name)["DBInstances"]
    instance: dict[str, Any] = found[0]
    return instance


def _present(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return the attributes that RDS answers; a secret only where RDS manages the password."""
    return {name: str(value) for name, value in attributes.items() if value is not None}


def _numbers(parameters: dict[str, Any]) -> dict[str, Any]:
    """Convert storage and port to numbers, which the schema has as text."""
    for name in (*_INTEGERS, "Port", "DBPortNumber"):
        if name in parameters:
            parameters[name] = int(parameters[name])
    return parameters


def _modified(
    old: Properties, new: Properties, names: tuple[str, ...], renamed: Mapping[str, str]
) -> dict[str, Any]:
    """Return only what differs: RDS refuses some settings even when they stay the same."""
    fresh = {
        name: value
        for name, value in new.items()
        if old.get(name) != value and (name in names or name in renamed)
    }
    return {renamed.get(name, name): value for name, value in fresh.items()}


def _log_exports(old: Properties, new: Properties) -> dict[str, Any]:
    key = "EnableCloudwatchLogsExports"
    if not changed(old, new, key):
        return {}
    removed, added = difference(old, new, key)
    return {
        "CloudwatchLogsExportConfiguration": {"EnableLogTypes": added, "DisableLogTypes": removed}
    }


def _final_snapshot(ctx: Context, name: str) -> dict[str, Any]:
    if not ctx.take_snapshot:
        return {"SkipFinalSnapshot": True}
    return {
        "SkipFinalSnapshot": False,
        "FinalDBSnapshotIdentifier": f"{ctx.stack_name}-snapshot-{name}-{ctx.suffix}".lower()[
            :255
        ],
    }
