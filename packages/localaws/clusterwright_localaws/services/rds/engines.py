"""What RDS documents for each engine: storage, names, passwords, licences, logs, versions.

The limits are those of the API model's documentation of CreateDBInstance and of CloudFormation's
of AWS::RDS::DBInstance (master user names). The versions are those that cfn-lint lists.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Final

from clusterwright.cfn import resource_schemas

_LARGE: Final = (20, 65536)
_FAST: Final = (100, 65536)
_NAME: Final = r"[A-Za-z][A-Za-z0-9_]"
_SQL_LOGS: Final = ("audit", "error", "general", "slowquery", "iam-db-auth-error")


@dataclass(frozen=True)
class Engine:
    """One family of engines.

    Parameters
    ----------
    storage_gib:
        The least and the greatest size of each storage type; a type that is not listed has none.
    database:
        The pattern of `DBName`; None where there must be none.
    """

    storage_gib: dict[str, tuple[int, int]]
    longest_user: int
    longest_password: int
    database: str | None
    licences: tuple[str, ...]
    logs: tuple[str, ...]


_COMMON: Final = {"gp2": _LARGE, "gp3": _LARGE, "io1": _FAST, "io2": _FAST}
_MYSQL: Final = Engine(
    {**_COMMON, "standard": (5, 3072)},
    16,
    41,
    rf"{_NAME}{{0,63}}",
    ("general-public-license",),
    _SQL_LOGS,
)
_OF_SERVER: Final = {"gp2": (20, 16384), "gp3": (20, 16384), "standard": (20, 1024)}
_FAMILIES: Final = {
    "db2": Engine(
        {"gp3": _LARGE, "io1": _FAST, "io2": _FAST},
        16,
        255,
        rf"{_NAME}{{0,63}}",
        ("bring-your-own-license", "marketplace-license"),
        ("diag.log", "notify.log", "iam-db-auth-error"),
    ),
    "mariadb": _MYSQL,
    "mysql": _MYSQL,
    "oracle": Engine(
        {**_COMMON, "standard": (10, 3072)},
        30,
        30,
        r".{1,8}",
        ("bring-your-own-license", "license-included"),
        ("alert", "audit", "listener", "trace", "oemagent"),
    ),
    "postgres": Engine(
        {**_COMMON, "standard": (5, 3072)},
        63,
        128,
        rf"{_NAME}{{0,62}}",
        ("postgresql-license",),
        ("postgresql", "upgrade", "iam-db-auth-error"),
    ),
    "sqlserver": Engine(
        {**_OF_SERVER, "io1": (100, 16384), "io2": (100, 16384)},
        128,
        128,
        None,
        ("license-included", "bring-your-own-media"),
        ("agent", "error"),
    ),
}
# CreateDBCluster, EnableCloudwatchLogsExports.
CLUSTER_LOGS: Final = {
    "aurora-mysql": ("audit", "error", "general", "instance", "slowquery", "iam-db-auth-error"),
    "aurora-postgresql": ("instance", "postgresql", "iam-db-auth-error"),
    "mysql": ("error", "general", "slowquery", "iam-db-auth-error"),
    "postgres": ("postgresql", "upgrade", "iam-db-auth-error"),
}
_DOTTED: Final = re.compile(r"\d+(\.\d+)*")
# Components of the version that are the major version.
_MAJOR: Final = {"mysql": 2, "mariadb": 2, "postgres": 1, "aurora-postgresql": 1}


def engine_of(name: str) -> Engine | None:
    """Return the family of an engine (`oracle-ee`); None for Aurora, RDS Custom and others."""
    return _FAMILIES.get(name.partition("-")[0])


def has_version(engine: str, version: str) -> bool | None:
    """Return whether an engine has a version; None for one that may be newer than those known.

    Of engines whose versions are not numbers with dots, and of extended support
    (`5.7.44-rds.20240418`), only the listed ones are known.
    """
    known = _versions().get(engine)
    if known is None or version in known:
        return None if known is None else True
    size = _MAJOR.get(engine)
    if size is None or "-" in version:
        return None
    if not _DOTTED.fullmatch(version):
        return False
    asked = _parts(version)
    listed = [_parts(each) for each in known if _DOTTED.fullmatch(each)]
    if any(each[: len(asked)] == asked for each in listed):
        return True
    same = [each for each in listed if each[:size] == asked[:size]]
    return None if asked > max(same or listed) else False


@functools.cache
def _versions() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for folder in ("aws_rds_dbcluster", "aws_rds_dbinstance"):
        for rule in resource_schemas.extension(folder, "engine_version")["allOf"]:
            engine = rule["if"]["properties"]["Engine"].get("const")
            listed = rule["then"]["properties"].get("EngineVersion", {}).get("enum")
            if engine and listed:
                found[engine] = found.get(engine, frozenset()) | frozenset(map(str, listed))
    return found


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
