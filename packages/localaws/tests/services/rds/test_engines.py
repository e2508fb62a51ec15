"""Versions and families of engines."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.rds import engines


@pytest.mark.parametrize(
    ("engine", "version", "there"),
    [
        ("mysql", "8.0.42", True),
        ("mysql", "8.4", True),
        ("mysql", "8", True),  # the beginning of listed versions
        ("mysql", "8.0.1", False),
        ("mysql", "5.0", False),
        ("mysql", "8.0.9999", None),  # may be newer than the list
        ("mysql", "9.9", None),
        ("mysql", "5.7.44-rds.20240418", None),
        ("postgres", "16", True),
        ("postgres", "12.99", None),
        ("postgres", "7.4", False),
        ("mariadb", "latest", False),
        ("aurora-mysql", "8.0.mysql_aurora.3.13.0", True),
        ("aurora-mysql", "something", None),
        ("neptune", "1.3", None),
    ],
)
def test_versions(engine: str, version: str, there: bool | None) -> None:
    assert engines.has_version(engine, version) is there


@pytest.mark.parametrize("name", ["aurora-mysql", "custom-oracle-ee", "neptune"])
def test_engines_without_a_family(name: str) -> None:
    assert engines.engine_of(name) is None


@pytest.mark.parametrize("name", ["mysql", "oracle-se2-cdb", "sqlserver-dev-ee", "db2-ae"])
def test_engines_of_a_family(name: str) -> None:
    assert engines.engine_of(name) is not None
