"""Storage types of Aurora clusters."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize("kind", ["aurora", "aurora-iopt1"])
def test_storage_type_of_a_cluster(kind: str) -> None:
    made = client("rds").create_db_cluster(
        DBClusterIdentifier="one",
        Engine="aurora-mysql",
        StorageType=kind,
        MasterUsername="chief",
        MasterUserPassword="not-a-real-one",
    )["DBCluster"]
    assert made["StorageType"] == kind
