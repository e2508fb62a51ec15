"""Lifecycle scripts that differ between two checkouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.review.lifecycle_scripts import (
    WHEN,
    WHEN_PARALLELCLUSTER,
    digests,
    scripts_change,
)
from clusterwright.review.resource_changes import ChangeAnalysis
from tests.review.templates import analysis, app, resource, stack


def checkout(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / "lifecycle_scripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def clusters(before: str, after: str) -> ChangeAnalysis:
    def version(prefix: str) -> Any:
        group = {
            "InstanceGroupName": "workers",
            "LifeCycleConfig": {"SourceS3Uri": f"s3://bucket/lifecycle/{prefix}"},
        }
        return app(a=stack({"C": resource("AWS::SageMaker::Cluster", InstanceGroups=[group])}))

    return analysis(version(before), version(after))


def test_files_that_python_leaves_behind_are_ignored(tmp_path: Path) -> None:
    checkout(
        tmp_path,
        {
            "a.sh": "a",
            "node/main.py": "b",
            "node/__pycache__/main.pyc": "c",
            "node/old.pyc": "d",
            ".hidden/file": "e",
        },
    )
    assert list(digests(tmp_path)) == ["a.sh", "node/main.py"]


def test_tables_of_failures_are_uploaded_too(tmp_path: Path) -> None:
    checkout(tmp_path, {"a.sh": "a", "../clusterwright/diagnosis/data/xid.json": "{}"})
    assert list(digests(tmp_path)) == ["a.sh", "clusterwright/diagnosis/data/xid.json"]


def test_files_that_differ(tmp_path: Path) -> None:
    before = checkout(tmp_path / "before", {"same.sh": "a", "changed.sh": "a", "old.sh": "a"})
    after = checkout(tmp_path / "after", {"same.sh": "a", "changed.sh": "b", "new.sh": "a"})
    found = scripts_change(before, after, None)
    assert found is not None
    assert (found.added, found.removed, found.changed) == (
        ("new.sh",),
        ("old.sh",),
        ("changed.sh",),
    )
    assert (found.prefix_changes, found.when) == (False, WHEN)


def test_equal_checkouts_have_no_change(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"a.sh": "a"})
    assert scripts_change(root, root, None) is None
    assert scripts_change(root, root, clusters("0" * 16, "0" * 16)) is None


def test_a_new_prefix_is_a_change_without_a_file(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"a.sh": "a"})
    found = scripts_change(root, root, clusters("0" * 16, "1" * 16))
    assert found is not None
    assert (found.added, found.prefix_changes, found.when) == ((), True, WHEN)


def test_without_a_checkout_no_file_is_listed(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"a.sh": "a"})
    assert scripts_change(None, root, None) is None
    assert scripts_change(root, None, None) is None


def test_parallelcluster_replaces_its_nodes(tmp_path: Path) -> None:
    def version(prefix: str) -> Any:
        properties = {"Configuration": f"Script: s3://bucket/lifecycle/{prefix}/a.sh"}
        return app(a=stack({"C": resource("Custom::PclusterCluster", **properties)}))

    root = checkout(tmp_path, {"a.sh": "a"})
    found = scripts_change(root, root, analysis(version("0" * 16), version("1" * 16)))
    assert found is not None
    assert (found.prefix_changes, found.when) == (True, WHEN_PARALLELCLUSTER)
