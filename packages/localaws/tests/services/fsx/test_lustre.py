"""Tests of services.fsx.lustre."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}


AUTOMATIC = {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}


EFA = {**P2, **AUTOMATIC, "EfaEnabled": True}


TIERING = {
    **P2,
    "ThroughputCapacity": 4000,
    "DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"},
    "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
}


@pytest.fixture
def open_site(site: Site) -> Site:
    open_lustre_ports(site, efa=True)
    return site


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


class TestLustreSizes:
    """The grids of the API reference (StorageCapacity, PerUnitStorageThroughput) and of EFA."""

    @pytest.mark.parametrize(
        ("capacity", "configuration"),
        [
            (1200, {"DeploymentType": "SCRATCH_1"}),
            (3600, {"DeploymentType": "SCRATCH_1"}),
            (1200, {"DeploymentType": "SCRATCH_2"}),
            (4800, {"DeploymentType": "SCRATCH_2"}),
            (2400, {"DeploymentType": "PERSISTENT_1", "PerUnitStorageThroughput": 50}),
            (7200, {**P2, "PerUnitStorageThroughput": 125}),
            (4800, {**EFA, "PerUnitStorageThroughput": 1000}),
            (38400, {**EFA, "PerUnitStorageThroughput": 125}),
            (
                6000,
                {
                    "DeploymentType": "PERSISTENT_1",
                    "PerUnitStorageThroughput": 12,
                    "StorageType": "HDD",
                    "DriveCacheType": "NONE",
                },
            ),
            (None, {**TIERING, "StorageType": "INTELLIGENT_TIERING"}),
        ],
    )
    def test_valid_lustre_sizes_are_accepted(
        self, open_site: Site, capacity: int | None, configuration: dict[str, Any]
    ) -> None:
        made = create(lustre(open_site, capacity, **configuration))
        assert made["Lifecycle"] == "AVAILABLE"
        assert made.get("StorageCapacity") == capacity

    @pytest.mark.parametrize(
        ("capacity", "configuration", "code", "message"),
        [
            (
                3600,
                {"DeploymentType": "SCRATCH_2"},
                "BadRequest",
                "Invalid Lustre FS storage capacity: 3600. Must be 1200 or a multiple of 2400.",
            ),
            (
                4800,
                {"DeploymentType": "SCRATCH_1"},
                "BadRequest",
                "Must be 1200 or 2400 or a multiple of 3600.",
            ),
            (
                4800,
                {**EFA, "PerUnitStorageThroughput": 500},
                "BadRequest",
                "Must be a multiple of 9600 for an EFA-enabled file system.",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 130},
                "InvalidPerUnitStorageThroughput",
                "the provided throughput is invalid",
            ),
            (1200, P2, "BadRequest", "the provided throughput is invalid"),
            (
                1200,
                {"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": 125},
                "IncompatibleParameterError",
                "not supported by SCRATCH_2",
            ),
            (None, {**P2, "PerUnitStorageThroughput": 125}, "BadRequest", "StorageCapacity"),
            (
                6000,
                {
                    "DeploymentType": "PERSISTENT_1",
                    "PerUnitStorageThroughput": 12,
                    "StorageType": "HDD",
                },
                "BadRequest",
                "DriveCacheType is required",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "StorageType": "HDD"},
                "BadRequest",
                "HDD storage is supported by PERSISTENT_1",
            ),
            (
                4800,
                {**P2, "EfaEnabled": True, "PerUnitStorageThroughput": 1000},
                "BadRequest",
                "needs a metadata configuration",
            ),
            (
                1200,
                {"DeploymentType": "SCRATCH_2", "EfaEnabled": True},
                "IncompatibleParameterError",
                "EFA needs",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "FileSystemTypeVersion": "2.10"},
                "BadRequest",
                "do not support Lustre 2.10",
            ),
            (
                1200,
                {
                    **P2,
                    **AUTOMATIC,
                    "PerUnitStorageThroughput": 125,
                    "FileSystemTypeVersion": "2.12",
                },
                "BadRequest",
                "needs Lustre 2.15",
            ),
            (
                1200,
                {
                    **P2,
                    "PerUnitStorageThroughput": 125,
                    "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 2000},
                },
                "BadRequest",
                "Invalid metadata IOPS: 2000",
            ),
            (
                1200,
                {
                    **P2,
                    "PerUnitStorageThroughput": 125,
                    "MetadataConfiguration": {"Mode": "AUTOMATIC", "Iops": 1500},
                },
                "BadRequest",
                "cannot be given in AUTOMATIC mode",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "ImportPath": "s3://corpus"},
                "IncompatibleParameterError",
                "create a data repository association",
            ),
            (
                None,
                {**TIERING, "ThroughputCapacity": 5000, "StorageType": "INTELLIGENT_TIERING"},
                "BadRequest",
                "multiple of 4000",
            ),
            (
                1200,
                {**TIERING, "StorageType": "INTELLIGENT_TIERING"},
                "IncompatibleParameterError",
                "take no StorageCapacity",
            ),
            (
                None,
                {
                    **TIERING,
                    "StorageType": "INTELLIGENT_TIERING",
                    "DataReadCacheConfiguration": {
                        "SizingMode": "USER_PROVISIONED",
                        "SizeGiB": 8,
                    },
                },
                "BadRequest",
                "must have 32 to 131072 GiB",
            ),
        ],
    )
    def test_invalid_lustre_sizes_are_refused(
        self,
        open_site: Site,
        capacity: int | None,
        configuration: dict[str, Any],
        code: str,
        message: str,
    ) -> None:
        found, text = refused(lustre(open_site, capacity, **configuration))
        assert found == code
        assert message in text
        assert client("fsx").describe_file_systems()["FileSystems"] == []
