"""A Prometheus workspace stays in an in-place move only where its key may stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.migration import migrate
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PlatformName
from tests.stacks.specs import MINIMAL


def said(
    folder: Path, target: PlatformName, environment: str | None = None, **changes: Any
) -> list[str]:
    """What is said of the workspace."""
    file = folder / "old.yaml"
    spec = {**MINIMAL, "observability": {"prometheus": True}, **changes}
    file.write_text(json.dumps(spec), encoding="utf-8")
    found = migrate(load_cluster(file), target, load_catalog(), environment=environment)
    return [note.what for note in found.moves if note.path == "observability.prometheus"]


@pytest.mark.parametrize(
    ("protection", "words"), [("retain", "stays, in no stack"), ("destroy", "is deleted")]
)
@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_it_is_another_where_awss_collector_fills_it(
    tmp_path: Path, target: PlatformName, protection: str, words: str
) -> None:
    (what,) = said(tmp_path, target, protection=protection)
    assert "made anew" in what
    assert words in what


def test_it_stays_where_nodes_fill_it_as_before(tmp_path: Path) -> None:
    assert said(tmp_path, "parallelcluster") == []


def test_nothing_is_said_where_there_is_none(tmp_path: Path) -> None:
    assert said(tmp_path, "eks", observability={}) == []


def test_a_cluster_beside_the_old_one_has_its_own_anyway(tmp_path: Path) -> None:
    assert said(tmp_path, "eks", environment="another") == []
