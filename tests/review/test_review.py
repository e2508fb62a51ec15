"""A complete review of two versions of a small cluster, without AWS."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import rule_files
from clusterwright.review.results import Review
from clusterwright.review.review import Question, Version, review
from tests.review.templates import app, resource, stack
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def version(folder: Path, changes: dict[str, Any], **resources: Any) -> Version:
    spec = specs.load(folder, changes)
    return Version(Context(spec, load_catalog(), TODAY), app(a=stack(resources)), None)


def reviewed(base: Version, change: Version, *, new: bool = False) -> Review:
    return review(
        Question(
            base=base,
            change=change,
            base_name="main",
            new=new,
            files=rule_files(),
            reader=None,
            offline=True,
            fail_on="error",
            today=TODAY,
            unknown=(),
            notes=(),
            plan=(),
        )
    )


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
