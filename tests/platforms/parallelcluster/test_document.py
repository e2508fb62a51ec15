"""The rules of the generator, each with a minimal spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from stacks.lifecycle import node_files
from tests.platforms.parallelcluster.rendered import RESERVATION, loaded, queue_of, rendered
from tests.support.parallelcluster_specs import SMALL
from tests.support.specs import changed


def test_every_queue_is_exclusive_private_and_encrypted(tmp_path: Path) -> None:
    found = rendered(tmp_path)
    queue = queue_of(found)
    assert queue["JobExclusiveAllocation"] is True
    assert len(queue["Networking"]["SubnetIds"]) == 1
    assert "AssignPublicIp" not in queue["Networking"]
    volumes = [queue["ComputeSettings"]["LocalStorage"], found["HeadNode"]["LocalStorage"]]
    assert all(volume["RootVolume"]["Encrypted"] for volume in volumes)
    assert found["HeadNode"]["SharedStorageType"] == "Efs"
    assert found["HeadNode"]["SharedStorageEfsSettings"] == {"Encrypted": True}
    assert found["HeadNode"]["Imds"] == {"Secured": True}
    assert found["Imds"] == {"ImdsSupport": "v2.0"}


@pytest.mark.parametrize(("protection", "policy"), [("retain", "Retain"), ("destroy", "Delete")])
def test_logs_and_protection_are_configured(protection: str, policy: str, tmp_path: Path) -> None:
    logs = rendered(tmp_path, protection=protection)["Monitoring"]["Logs"]["CloudWatch"]
    assert logs == {"Enabled": True, "RetentionInDays": 90, "DeletionPolicy": policy}


def test_names_are_valid_for_parallelcluster(tmp_path: Path) -> None:
    """PascalCase throughout, except lines of slurm.conf and names of users."""
    found = rendered(tmp_path)

    def names(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [*value, *(name for below in value.values() for name in names(below))]
        return [name for item in value for name in names(item)] if isinstance(value, list) else []

    assert all(re.fullmatch(r"([A-Z][A-Za-z0-9]*)+", name) for name in names(found))


def test_spares_are_not_launched(tmp_path: Path) -> None:
    """They are not launched, so the node program reserves none."""
    spec = changed({"compute.2.capacity": RESERVATION, "compute.2.spare_count": 1}, SMALL)
    told = node_files.cluster_json(loaded(tmp_path, spec), load_catalog())
    assert [group["spare_count"] for group in told["groups"]] == [0, 0, 0]
    assert [fs["by_platform"] for fs in told["lustre"]] == [True]
