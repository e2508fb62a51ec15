"""A complete review of two versions of a small cluster, without AWS."""

from __future__ import annotations

from pathlib import Path

from tests.review.reviewed import reviewed, version
from tests.review.templates import resource

FILES = resource("AWS::FSx::FileSystem", FileSystemType="LUSTRE", StorageCapacity=1200)


def test_a_version_compared_with_itself_passes(tmp_path: Path) -> None:
    same = version(tmp_path, {}, Fs=FILES)
    found = reviewed(same, same)
    assert found.changes_nothing
    assert (found.cost is not None, found.quotas, found.nodes) == (True, (), ())
    assert found.exit_code == 0


def test_more_nodes_change_cost_and_quotas(tmp_path: Path) -> None:
    found = reviewed(
        version(tmp_path, {}, Fs=FILES), version(tmp_path, {"compute.1.count": 6}, Fs=FILES)
    )
    (change,) = found.changes
    assert (change.path, change.before, change.after) == ("compute[workers].count", 4, 6)
    (nodes,) = found.nodes
    assert (nodes.group, nodes.change, nodes.before, nodes.after) == ("workers", "grown", 4, 6)
    assert "ml.p5.48xlarge for cluster usage" in {quota.label for quota in found.quotas}


def test_a_deleted_file_system_fails(tmp_path: Path) -> None:
    found = reviewed(version(tmp_path, {}, Fs=FILES), version(tmp_path, {}))
    (change,) = found.resources
    assert (change.name, change.effect, change.data_loss) == ("a/Fs", "delete", True)
    assert [gate.name for gate in found.failed] == ["a/Fs"]
    assert found.exit_code == 1
