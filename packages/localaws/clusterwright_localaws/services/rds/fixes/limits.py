"""moto creates any number of databases and their groups; RDS has quotas for them.

Codes: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html and the
pages of CreateDBSubnetGroup and CreateDBParameterGroup.
"""

from __future__ import annotations

from clusterwright_localaws.core.moto_quotas import Refusal, count, limit

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: CreateDBInstance, CreateDBSubnetGroup and CreateDBParameterGroup refuse requests "
    "beyond the "
    "world's quotas of instances, storage and groups"
)
_INSTANCES = ("rds", "L-7B6409FD")
_STORAGE_GB = ("rds", "L-7ADDB58A")
_SUBNET_GROUPS = ("rds", "L-48C6BF61")
_PARAMETER_GROUPS = ("rds", "L-DE55804A")


def apply() -> None:
    from moto.rds.models import RDSBackend

    limit(
        RDSBackend,
        "create_db_instance",
        _STORAGE_GB,
        _refusal("StorageQuotaExceeded", "storage"),
        added=lambda rds, db_kwargs: float(db_kwargs.get("allocated_storage") or 0),
    )
    refused = _refusal("InstanceQuotaExceeded", "DB instances")
    limit(RDSBackend, "create_db_instance", _INSTANCES, refused)
    refused = _refusal("DBSubnetGroupQuotaExceeded", "DB subnet groups")
    limit(RDSBackend, "create_subnet_group", _SUBNET_GROUPS, refused)
    refused = _refusal("DBParameterGroupQuotaExceeded", "DB parameter groups")
    limit(RDSBackend, "create_db_parameter_group", _PARAMETER_GROUPS, refused)


def _refusal(code: str, resources: str) -> Refusal:
    from moto.rds.exceptions import RDSClientError

    return lambda quota: RDSClientError(
        code, f"The quota for {resources} ({quota.value:g}) is exceeded."
    )


count(_INSTANCES, "rds", lambda rds: len(rds.databases))
count(
    _STORAGE_GB,
    "rds",
    lambda rds: sum(float(item.allocated_storage or 0) for item in rds.databases.values()),
)
count(_SUBNET_GROUPS, "rds", lambda rds: len(rds.subnet_groups))
count(_PARAMETER_GROUPS, "rds", lambda rds: len(rds.db_parameter_groups))
