"""Custom lifecycle scripts: the adapted spec and the adapted parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import cluster_size, custom_scripts
from clusterwright_rehearsal.errors import RehearsalError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def data() -> dict[str, Any]:
    spec = load_cluster(ROOT / "configs/dev.yaml")
    return cluster_size.reduced(spec.cluster, spec.resolved(), 4).data


def _folder(folder: Path, **changes: Any) -> Path:
    parameters = {
        "version": "1.0.0",
        "controller_group": "controller-machine",
        "login_group": "my-login-group",
        "worker_groups": [{"instance_group_name": "worker-1", "partition_name": "ml.p5"}],
        "fsx_dns_name": "fs-1.fsx.us-west-2.amazonaws.com",
        "fsx_mountname": "theirs",
    }
    parameters.update(changes)
    (folder / "provisioning_parameters.json").write_text(json.dumps(parameters))
    (folder / "on_create.sh").write_text("#!/bin/bash\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("")
    return folder


def test_groups_have_the_names_in_the_parameters(data: dict[str, Any], tmp_path: Path) -> None:
    changed, notes = custom_scripts.adapt_spec(data, _folder(tmp_path))
    names = {group["role"]: group["name"] for group in changed["compute"]}
    assert names == {
        "controller": "controller-machine",
        "login": "my-login-group",
        "compute": "worker-1",
    }
    assert any("controller-machine" in note for note in notes)
    path = cluster_size.write(changed, tmp_path / "spec")
    again = load_cluster(path).cluster
    assert again.slurm.configuration == "scripted"
    assert [tuple(p.groups) for p in again.slurm.partitions] == [("worker-1",)]
    # Their scripts have no acceptance program, which would open held nodes.
    assert not again.acceptance.hold


def test_missing_worker_groups_are_added(data: dict[str, Any], tmp_path: Path) -> None:
    groups = [{"instance_group_name": f"worker-{n}", "partition_name": "dev"} for n in (1, 2)]
    changed, _ = custom_scripts.adapt_spec(data, _folder(tmp_path, worker_groups=groups))
    counts = {g["name"]: g["count"] for g in changed["compute"] if g["role"] == "compute"}
    assert counts == {"worker-1": 2, "worker-2": 1}


def test_unused_group_is_omitted_with_a_note(data: dict[str, Any], tmp_path: Path) -> None:
    changed, notes = custom_scripts.adapt_spec(data, _folder(tmp_path, login_group=None))
    assert "login" not in {group["role"] for group in changed["compute"]}
    assert any("omitted" in note and "login" in note for note in notes)


@pytest.mark.parametrize("missing", ["on_create.sh", "provisioning_parameters.json"])
def test_incomplete_folder_is_refused(data: dict[str, Any], tmp_path: Path, missing: str) -> None:
    (_folder(tmp_path) / missing).unlink()
    with pytest.raises(RehearsalError, match=missing):
        custom_scripts.adapt_spec(data, tmp_path)


def test_invalid_parameters_file_is_refused(data: dict[str, Any], tmp_path: Path) -> None:
    (_folder(tmp_path) / "provisioning_parameters.json").write_text("{")
    with pytest.raises(RehearsalError, match="is invalid"):
        custom_scripts.adapt_spec(data, tmp_path)


def test_only_file_system_addresses_are_replaced(tmp_path: Path) -> None:
    files = custom_scripts.read_folder(_folder(tmp_path))
    assert set(files) == {"on_create.sh", "provisioning_parameters.json"}
    own = {"dns_name": "fs-2.fsx.us-east-1.amazonaws.com", "mount_name": "ours"}
    changed = custom_scripts.with_deployed_addresses(files, own, None)
    before, after = (json.loads(f["provisioning_parameters.json"]) for f in (files, changed))
    assert (after["fsx_dns_name"], after["fsx_mountname"]) == (own["dns_name"], "ours")
    assert {k for k in before if before[k] != after[k]} == {"fsx_dns_name", "fsx_mountname"}
    assert custom_scripts.with_deployed_addresses(files, None, None).keys() == files.keys()


def test_files_that_are_too_large_are_refused_by_name(tmp_path: Path) -> None:
    with (_folder(tmp_path) / "image.sqsh").open("wb") as file:
        file.truncate(10**12)  # sparse: it takes no room on the disk
    with pytest.raises(RehearsalError, match=r"image.sqsh cannot be read: .*268,435,456 bytes"):
        custom_scripts.read_folder(tmp_path)
