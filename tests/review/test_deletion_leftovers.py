"""The table of what services create outside the stacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS
from clusterwright.review.deletion_leftovers import CONDITIONS, leftovers, rows
from tests.support import specs
from tests.support.rich_specs import (
    EKS,
    EKS_KARPENTER,
    HYPERPOD_EKS,
    MINIMAL,
    PARALLELCLUSTER,
    PCS,
)
from tests.support.rich_specs import changed as with_changes

FINDS = {
    "buckets",
    "endpoints",
    "file-systems",
    "karpenter-instances",
    "load-balancers",
    "log-groups",
    "repositories",
    "volumes",
}


def of(folder: Path, spec: dict[str, Any]) -> dict[str, str]:
    cluster = load_cluster(specs.write(folder / "spec.yaml", spec)).cluster
    return {row.what: row.name for row in leftovers(cluster)}


def test_every_row_is_complete() -> None:
    for row in rows():
        assert set(row.platforms) <= set(PLATFORMS), row.what
        assert row.only is None or row.only in CONDITIONS, row.what
        assert {kind for kind, _ in row.find} <= FINDS, row.what
        assert row.source, row.what
        assert not row.before or row.delete, row.what
        assert row.delete or row.shared or row.free or "bucket" in row.what, row.what


def test_every_row_and_condition_is_reached(tmp_path: Path) -> None:
    kept = [
        with_changes(spec, protection="retain")
        for spec in (MINIMAL, HYPERPOD_EKS, PARALLELCLUSTER, EKS, EKS_KARPENTER, PCS)
    ]
    reached = {what for spec in kept for what in of(tmp_path, spec)}
    assert reached == {row.what for row in rows()}
    assert set(CONDITIONS) == {row.only for row in rows()} - {None}


def test_names_are_filled_in(tmp_path: Path) -> None:
    found = of(tmp_path, with_changes(EKS, protection="retain"))
    assert found["the log group of the Kubernetes control plane"] == "/aws/eks/test/cluster"
    assert not any("{" in name for name in found.values())


def test_deleted_logs_do_not_remain(tmp_path: Path) -> None:
    what = "log groups of HyperPod's nodes"
    assert what in of(tmp_path, with_changes(MINIMAL, protection="retain"))
    assert what not in of(tmp_path, with_changes(MINIMAL, protection="destroy"))


@pytest.mark.parametrize("names", [(), ("/aws/eks/test/cluster", "/aws/eks/test/other")])
def test_found_names_replace_the_pattern(names: tuple[str, ...], tmp_path: Path) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", EKS)).cluster
    row = next(r for r in leftovers(cluster) if r.what.startswith("the log group of the Kube"))
    entries = list(row.remaining(cluster, names))
    assert [entry.name for entry in entries] == list(names or ("/aws/eks/test/cluster",))
    assert all(entry.certain == bool(names) for entry in entries)
    assert all(entry.delete and entry.delete.endswith(entry.name) for entry in entries)


def test_what_is_only_found_has_no_pattern(tmp_path: Path) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", EKS)).cluster
    row = next(r for r in leftovers(cluster) if r.what.startswith("VPC endpoints"))
    assert list(row.remaining(cluster)) == []
    assert [entry.name for entry in row.remaining(cluster, ("vpce-1",))] == ["vpce-1"]
