"""moto creates any number of databases and their groups; RDS has quotas for them.

Codes: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html and the
pages of CreateDBSubnetGroup and CreateDBParameterGroup.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime

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

    instance_in_moto = RDSBackend.create_db_instance
    subnets_in_moto = RDSBackend.create_subnet_group
    parameters_in_moto = RDSBackend.create_db_parameter_group

    def create_db_instance(self: Any, db_kwargs: dict[str, Any]) -> Any:
        size = float(db_kwargs.get("allocated_storage") or 0)
        _require(self, _INSTANCES, 1, "InstanceQuotaExceeded", "DB instances")
        _require(self, _STORAGE_GB, size, "StorageQuotaExceeded", "storage")
        return instance_in_moto(self, db_kwargs)

    def create_subnet_group(self: Any, *arguments: Any, **named: Any) -> Any:
        _require(self, _SUBNET_GROUPS, 1, "DBSubnetGroupQuotaExceeded", "DB subnet groups")
        return subnets_in_moto(self, *arguments, **named)

    def create_db_parameter_group(self: Any, *arguments: Any, **named: Any) -> Any:
        kind = "DB parameter groups"
        _require(self, _PARAMETER_GROUPS, 1, "DBParameterGroupQuotaExceeded", kind)
        return parameters_in_moto(self, *arguments, **named)

    RDSBackend.create_db_instance = create_db_instance  # type: ignore[method-assign]
    RDSBackend.create_subnet_group = create_subnet_group  # type: ignore[method-assign]
    RDSBackend.create_db_parameter_group = create_db_parameter_group  # type: ignore[method-assign]


def _require(rds: Any, quota: tuple[str, str], more: float, code: str, kind: str) -> None:
    from moto.rds.exceptions import RDSClientError

    if not runtime().active:
        return
    found = quotas.quota(runtime(), rds.region_name, *quota)
    if found is None or found.value is None:
        return
    used = quotas.in_use(runtime(), rds.account_id, rds.region_name, *quota)
    if used + more > found.value:
        raise RDSClientError(code, f"The quota for {kind} ({found.value:g}) is exceeded.")


def _backend(account: str, region: str) -> Any:
    from moto.rds.models import rds_backends

    return rds_backends[account][region]


@quotas.counts_usage(*_INSTANCES)
def _instances(current: Runtime, account: str, region: str) -> float:
    return float(len(_backend(account, region).databases))


@quotas.counts_usage(*_STORAGE_GB)
def _storage(current: Runtime, account: str, region: str) -> float:
    found = _backend(account, region).databases.values()
    return float(sum(float(item.allocated_storage or 0) for item in found))


@quotas.counts_usage(*_SUBNET_GROUPS)
def _subnet_groups(current: Runtime, account: str, region: str) -> float:
    return float(len(_backend(account, region).subnet_groups))


@quotas.counts_usage(*_PARAMETER_GROUPS)
def _parameter_groups(current: Runtime, account: str, region: str) -> float:
    return float(len(_backend(account, region).db_parameter_groups))
