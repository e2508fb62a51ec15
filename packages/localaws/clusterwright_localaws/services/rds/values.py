"""Checks of single values in requests of RDS, by the API model's documentation of each member.

Messages about storage: convox/rack#2846, hashicorp/terraform-provider-aws#28160 and #9667. Those
about passwords, versions, names, retention and windows are as users quote them; others are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.simplifications import DATABASE_VERSIONS, note
from clusterwright_localaws.services.rds import engines

Parameters = Mapping[str, Any]
_IDENTIFIER: Final = re.compile(r"[A-Za-z](-?[A-Za-z0-9])*")
_SUBNET_GROUP: Final = re.compile(r"[A-Za-z][A-Za-z0-9._ -]{0,254}")
_TIME: Final = r"([01]\d|2[0-3]):([0-5]\d)"
_BACKUP_WINDOW: Final = re.compile(rf"{_TIME}-{_TIME}")
_LEAST_WINDOW_MINUTES = 30
_PORTS: Final = range(1150, 65536)
_PORTS_OF_SERVER: Final = frozenset({1234, 1434, 3260, 3343, 3389, 47001, *range(49152, 49157)})
_STORAGE_TYPES: Final = ("gp2", "gp3", "io1", "io2", "standard")
_USER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_PRINTABLE: Final = re.compile(r"[!-~]+")
# "RDS for SQL Server - Must be a multiple between 1 and 50"; others between .5 and 50.
_MOST_IOPS_PER_GIB = 50
_LEAST_IOPS = 1000
# hashicorp/terraform-provider-aws#28160 and #28243.
_GP3_BASELINE_GIB: Final = {"mysql": 400, "postgres": 400}
_CHOICES: Final[dict[str, tuple[Any, ...]]] = {
    "MonitoringInterval": (0, 1, 5, 10, 15, 30, 60),
    "NetworkType": ("IPV4", "DUAL"),
    "PerformanceInsightsRetentionPeriod": (7, *(31 * months for months in range(1, 24)), 731),
    "PromotionTier": tuple(range(16)),
}


def invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterValue", message)


def contradictory(message: str) -> AwsError:
    return AwsError("InvalidParameterCombination", message)


def check_choices(request: Parameters) -> None:
    """Check members with few valid values."""
    for name, valid in _CHOICES.items():
        if name in request and request[name] not in valid:
            listed = ", ".join(map(str, valid))
            raise invalid(f"Invalid value {request[name]} for {name}. Valid values: {listed}")


def check_identifier(name: str, value: str, longest: int = 63) -> None:
    if not _IDENTIFIER.fullmatch(value) or len(value) > longest:
        raise invalid(
            f"The parameter {name} is not a valid identifier. Identifiers must begin with a "
            "letter; must contain only ASCII letters, digits, and hyphens; and must not end with "
            "a hyphen or contain two consecutive hyphens."
        )


def check_subnet_group_name(name: str) -> None:
    if name.lower() == "default" or not _SUBNET_GROUP.fullmatch(name):
        raise invalid(
            "The parameter DBSubnetGroupName is not a valid name. It must begin with a letter, "
            "have at most 255 letters, digits, periods, underscores, spaces, and hyphens, and "
            "must not be default."
        )


def check_password(engine: str, password: str) -> None:
    family = engines.engine_of(engine)
    longest = family.longest_password if family is not None else 41
    what = "The parameter MasterUserPassword is not a valid password"
    if len(password) < 8:
        raise invalid(f"{what} because it is shorter than 8 characters.")
    if len(password) > longest:
        raise invalid(f"{what} because it is longer than {longest} characters.")
    if not _PRINTABLE.fullmatch(password) or set(password) & set('/@"'):
        raise invalid(
            f"{what}. Only printable ASCII characters besides '/', '@', '\"', ' ' may be used."
        )
    if engine.startswith("oracle") and set(password) & set("&'"):
        raise invalid(f"{what}. The characters '&' and ''' may not be used with Oracle.")


def check_user(engine: str, name: str) -> None:
    family = engines.engine_of(engine)
    longest = family.longest_user if family is not None else 16
    if len(name) > longest or not _USER.fullmatch(name):
        raise invalid(
            "The parameter MasterUsername is not a valid identifier. It must begin with a letter "
            f"and have at most {longest} letters, digits, and underscores."
        )
    if engine.endswith(("postgres", "postgresql")) and name.lower() == "admin":
        raise invalid(
            f"MasterUsername {name} cannot be used as it is a reserved word used by the engine"
        )


def check_retention(days: int, least: int) -> None:
    if not least <= days <= 35:
        raise invalid(
            f"Invalid backup retention period: {days}. Retention period must be between {least} "
            "and 35."
        )


def check_port(engine: str, port: int) -> None:
    if port not in _PORTS:
        raise invalid(f"Invalid port {port}: it must be from 1150 to 65535.")
    if engine.startswith("sqlserver") and port in _PORTS_OF_SERVER:
        raise invalid(f"Invalid port {port}: RDS for SQL Server reserves it.")


def check_backup_window(window: str) -> None:
    match = _BACKUP_WINDOW.fullmatch(window)
    if match is None:
        raise invalid(
            f"Invalid backup window format: {window}. Should be specified as a range "
            "hh24:mi-hh24:mi (24H Clock UTC). Example: 01:00-02:00"
        )
    begin_hour, begin, end_hour, end = map(int, match.groups())
    minutes = ((end_hour - begin_hour) * 60 + end - begin) % (24 * 60)
    if minutes < _LEAST_WINDOW_MINUTES:
        raise invalid("The backup window must be at least 30 minutes.")


def check_windows(maintenance: str | None, backup: str | None) -> None:
    """Check both windows, and that they do not overlap; moto's own check of instances."""
    from moto.rds.utils import valid_preferred_maintenance_window

    if backup:
        check_backup_window(backup)
    if maintenance:
        problem = valid_preferred_maintenance_window(maintenance.lower(), backup)
        if problem:
            raise invalid(problem)


def check_storage_type(kind: str, valid: Iterable[str] = _STORAGE_TYPES) -> None:
    if kind not in valid:
        raise invalid(f"Invalid storage type: {kind}")


def check_storage(engine: str, kind: str, gib: int, iops: int | None) -> None:
    """Check the size of a storage type, and the provisioned IOPS of io1."""
    family = engines.engine_of(engine)
    limits = family.storage_gib.get(kind) if family is not None else None
    if limits is not None and not limits[0] <= gib <= limits[1]:
        raise contradictory(
            f"Invalid storage size for engine name {engine} and storage type {kind}: {gib}"
        )
    if not iops or family is None:
        return
    if kind == "gp3" and engine in _GP3_BASELINE_GIB and gib < _GP3_BASELINE_GIB[engine]:
        raise contradictory(
            f"You can't specify IOPS or storage throughput for engine {engine} and a storage size "
            f"less than {_GP3_BASELINE_GIB[engine]}."
        )
    least = 1.0 if engine.startswith("sqlserver") else 0.5
    is_fitting = iops >= _LEAST_IOPS and least * gib <= iops <= _MOST_IOPS_PER_GIB * gib
    # Of io2 and gp3 the guides state other ratios than the model.
    if kind in ("gp2", "standard") or (kind == "io1" and not is_fitting):
        raise contradictory(
            f"Invalid iops value for engine name {engine} and storage type {kind}: {iops}"
        )


def check_database(engine: str, name: str) -> None:
    family = engines.engine_of(engine)
    if family is None:
        return
    if family.database is None:
        raise invalid(f"DBName must be null for engine: {engine}")
    if not re.fullmatch(family.database, name):
        raise invalid(
            f"DBName {name} is invalid for engine {engine}. DBName must begin with a letter and "
            "contain only alphanumeric characters."
        )


def check_listed(request: Parameters, member: str, valid: Iterable[str], what: str) -> None:
    """Check a member whose values, one or a list, depend on the engine."""
    given = request.get(member) or ()
    wrong = sorted({given} if isinstance(given, str) else set(given))
    wrong = [each for each in wrong if each not in valid]
    if wrong:
        raise contradictory(f"You cannot use {what} '{', '.join(wrong)}' with this engine.")


def check_version(engine: str, version: str) -> None:
    there = engines.has_version(engine, version)
    if there is False:
        raise contradictory(f"Cannot find version {version} for {engine}")
    if there is None:
        note(DATABASE_VERSIONS)


def check_each(request: Parameters, checks: Mapping[str, Callable[[Any], None]]) -> None:
    """Apply the checks of the members that a request has."""
    for name, check in checks.items():
        if request.get(name) is not None:
            check(request[name])
