"""Manual steps: an in-place migration keeps a Prometheus workspace only if its key permits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.migration import migrate
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PlatformName
from tests.support.rich_specs import MINIMAL


def workspace_notes(
    folder: Path, target: PlatformName, environment: str | None = None, **changes: Any
) -> list[str]:
    """The notes about the workspace."""
    file = folder / "old.yaml"
    spec = {**MINIMAL, "observability": {"prometheus": True}, **changes}
    file.write_text(json.dumps(spec), encoding="utf-8")
    found = migrate(load_cluster(file), target, load_catalog(), environment=environment)
    return [note.what for note in found.moves if note.path == "observability.prometheus"]


@pytest.mark.parametrize(
    ("protection", "words"), [("retain", "is retained"), ("destroy", "is deleted")]
)
@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_workspace_is_replaced_if_the_managed_collector_writes_to_it(
    tmp_path: Path, target: PlatformName, protection: str, words: str
) -> None:
    (what,) = workspace_notes(tmp_path, target, protection=protection)
    assert "is replaced" in what
    assert words in what


def test_workspace_is_kept_if_nodes_write_to_it(tmp_path: Path) -> None:
    assert workspace_notes(tmp_path, "parallelcluster") == []


def test_no_note_without_a_workspace(tmp_path: Path) -> None:
    assert workspace_notes(tmp_path, "eks", observability={}) == []


def test_new_environment_has_its_own_workspace(tmp_path: Path) -> None:
    assert workspace_notes(tmp_path, "eks", environment="another") == []
