"""Defaults that differ between platforms are reported although no file contains them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration import migrate
from clusterwright.platforms.loading import load_cluster
from tests.migration.migrated import moved
from tests.support.rich_specs import MINIMAL, changed

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def spec_of(folder: Path, **changes: Any) -> LoadedSpec:
    (folder / "old.yaml").write_text(json.dumps(changed(MINIMAL, **changes)))
    return load_cluster(folder / "old.yaml")


def test_implicit_defaults_are_lost_or_changed(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    found, _ = moved(spec, "parallelcluster", tmp_path / "a.yaml")
    lost = {note.path: note.what for note in found.lost}
    assert lost["resilience.node_recovery"].startswith("automatic, ")
    assert "resilience.node_provisioning: continuous" in lost["resilience.node_recovery"]
    told = {note.path: note for note in found.moves}
    assert "training by default" in told["slurm.partitions[0].name"].what
    # The new file has no database into which a dump could be loaded.
    assert "keeps no job history" in told["slurm.accounting"].what
    # An explicit value is reported once.
    (tmp_path / "written").mkdir()
    spec = spec_of(tmp_path / "written", resilience={"node_recovery": "none"})
    found, _ = moved(spec, "parallelcluster", tmp_path / "b.yaml")
    assert not any("node_recovery" in note.path for note in found.lost)


def test_platforms_with_the_same_scheduler_lose_no_default(tmp_path: Path) -> None:
    spec = load_cluster(CONFIGS / "dev-eks.yaml")
    found = migrate(spec, "hyperpod-eks", load_catalog())
    assert not any("by default" in note.what for note in found.lost if note.path == "")
    assert not any(note.path.startswith("compute[") for note in found.lost)
