"""Duration of a checkpoint on shared storage."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.storage.checkpoints import (
    Limit,
    limit_of,
    lustre_of,
    seconds_for,
    throughput_for,
    throughput_mbps,
    within,
    writers,
)
from tests.support import specs
from tests.support.validation import cluster


def context(folder: Path, changes: dict[str, Any]) -> Context:
    return Context(specs.load(folder, changes), load_catalog(), dt.date(2026, 11, 20))


@pytest.mark.parametrize(
    ("run", "limit"),
    [
        ({"hours": 10}, None),
        ({"hours": 10, "checkpoint_gib": 100}, None),
        (
            {"hours": 10, "checkpoint_gib": 100, "max_checkpoint_seconds": 60},
            Limit(("run", "max_checkpoint_seconds"), 60, "60 s"),
        ),
        (
            {
                "hours": 10,
                "checkpoint_gib": 100,
                "max_checkpoint_seconds": 600,
                "checkpoint_interval_minutes": 5,
            },
            Limit(("run", "checkpoint_interval_minutes"), 300, "the next one begins after 5 min"),
        ),
    ],
)
def test_the_shortest_time_is_the_limit(
    tmp_path: Path, run: dict[str, Any], limit: Limit | None
) -> None:
    spec = dataclasses.replace(specs.load(tmp_path), cluster=cluster({"run": run}, specs.SMALL))
    found = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    assert limit_of(found) == limit


def test_throughput_follows_the_capacity(tmp_path: Path) -> None:
    found = context(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    (lustre,) = found.cluster.storage.lustre
    assert throughput_mbps(lustre, found) == 1000 * 4800 / 1024
    fixed = lustre.model_copy(update={"throughput_mbps": 4000})
    assert throughput_mbps(fixed, found) == 4000


def test_the_file_system_of_a_path(tmp_path: Path) -> None:
    found = context(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    file_systems = found.cluster.storage.lustre
    assert lustre_of("/fsx/a", file_systems) == (0, file_systems[0])
    assert lustre_of("/fsxx", file_systems) is None


def test_spares_write_nothing(tmp_path: Path) -> None:
    found = context(tmp_path, {"compute.1.spare_count": 1})
    assert [(path, nodes) for path, _, nodes in writers(found)] == [(("compute", 1), 3)]


def test_time_and_throughput() -> None:
    assert seconds_for(1000, 1073.741824) == pytest.approx(1000)
    assert throughput_for(1000, 1000) == pytest.approx(1073.741824)


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [("/fsx", "/fsx", True), ("/fsx/a", "/fsx/", True), ("/fsxa", "/fsx", False)],
)
def test_paths_within_folders(path: str, folder: str, expected: bool) -> None:
    assert within(path, folder) is expected
