"""File systems that ParallelCluster mounts."""

from __future__ import annotations

from pathlib import Path

from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster
from tests.platforms.parallelcluster.rendered import loaded, rendered
from tests.support.parallelcluster_specs import SMALL
from tests.support.specs import changed


def test_lustre_with_efa_is_not_in_shared_storage(tmp_path: Path) -> None:
    """A mount keeps its network, and ParallelCluster's is TCP."""
    efa = {"mount_path": "/fast", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}
    data = changed({"storage.lustre.1": {**efa, "efa": True}}, SMALL)
    found = rendered(tmp_path, data)
    assert [one["MountDir"] for one in found["SharedStorage"]] == ["/home", "/fsx"]
    lustre = loaded(tmp_path, data).storage.lustre
    assert [mounted_by_parallelcluster(fs) for fs in lustre] == [True, False]


def test_file_systems_are_referenced_and_never_created(tmp_path: Path) -> None:
    for entry in rendered(tmp_path)["SharedStorage"]:
        (settings,) = (value for key, value in entry.items() if key.endswith("Settings"))
        assert set(settings) <= {"FileSystemId", "VolumeId"}
