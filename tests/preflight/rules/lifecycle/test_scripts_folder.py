"""Tests of the scripts folder."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.lifecycle.scripts_folder import entry, folders

CONFIGS = Path(__file__).parents[4] / "configs"


@pytest.mark.parametrize(
    ("config", "script"),
    [
        ("dev", "on_init_complete.sh"),
        ("examples/scripted", "on_create.sh"),
        ("dev-parallelcluster", "on_node_configured.sh"),
        ("dev-pcs", "on_pcs_node.sh"),
    ],
)
def test_platform_starts_a_script_of_the_folder(config: str, script: str) -> None:
    spec = load_cluster(CONFIGS / f"{config}.yaml")
    context = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    assert entry(context) == script
    ((_, folder),) = folders(context)
    assert (folder.root / script).is_file()
