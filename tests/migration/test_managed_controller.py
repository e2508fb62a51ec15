"""Migration to and from AWS PCS: groups, names, accounting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration import migrate
from clusterwright.migration.results import Migration
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PlatformName
from tests.support import specs
from tests.support.rich_specs import MINIMAL, PARALLELCLUSTER, PCS_MINIMAL, changed


def moved(
    folder: Path, spec: dict[str, Any], target: PlatformName
) -> tuple[Migration, LoadedSpec]:
    loaded = load_cluster(specs.write(folder / "old.yaml", spec))
    found = migrate(loaded, target, load_catalog(), folder=folder)
    (folder / "new.yaml").write_text(found.text, encoding="utf-8")
    return found, load_cluster(folder / "new.yaml")


def test_controller_becomes_the_login_node(tmp_path: Path) -> None:
    _, new = moved(tmp_path, MINIMAL, "pcs")
    assert [(g.name, g.role, g.count) for g in new.cluster.compute if g.role != "compute"] == [
        ("login", "login", 1)
    ]


def test_controller_beside_login_nodes_is_removed(tmp_path: Path) -> None:
    found, new = moved(tmp_path, PARALLELCLUSTER, "pcs")
    assert [g.name for g in new.cluster.compute] == ["login", "workers", "spot"]
    assert new.cluster.slurm.accounting.kind == "managed"
    (lost,) = (note for note in found.lost if note.path == "slurm.accounting.kind")
    assert "deletes them with its cluster" in lost.what


def test_names_become_valid(tmp_path: Path) -> None:
    spec = changed(MINIMAL, compute__1__name="w")
    found, new = moved(tmp_path, spec, "pcs")
    assert [g.name for g in new.cluster.compute if g.role == "compute"] == ["wxx"]
    assert any("`w` is renamed to `wxx`" in note.what for note in found.moves)


def test_managed_accounting_is_left_behind(tmp_path: Path) -> None:
    spec = changed(PCS_MINIMAL, slurm={"accounting": {"kind": "managed"}})
    found, new = moved(tmp_path, spec, "hyperpod-slurm")
    assert new.cluster.slurm.accounting.kind == "local"
    assert any("job records stay with the PCS cluster" in note.what for note in found.lost)
    _, new = moved(tmp_path, spec, "parallelcluster")
    assert new.cluster.slurm.accounting.kind == "rds"
