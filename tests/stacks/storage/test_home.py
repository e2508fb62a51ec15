"""Tests of home."""

from __future__ import annotations

from tests.stacks.templates import properties
from tests.support.rich_specs import FULL
from tests.support.synthesis import Build


def test_home_directories_have_their_properties(build: Build) -> None:
    (home,) = [
        p
        for p in properties(build(FULL), "AWS::FSx::FileSystem")
        if p["FileSystemType"] == "OPENZFS"
    ]
    configuration = home["OpenZFSConfiguration"]
    assert home["StorageCapacity"] == 128
    assert configuration["ThroughputCapacity"] == 256
    assert configuration["AutomaticBackupRetentionDays"] == 7
    (export,) = configuration["RootVolumeConfiguration"]["NfsExports"]
    assert [c["Clients"] for c in export["ClientConfigurations"]] == [
        "10.0.0.0/16",
        "10.1.0.0/24",
    ]
