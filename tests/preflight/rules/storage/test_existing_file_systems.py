"""Existing file systems of both kinds."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFileSystem,
    existing_file_systems,
)
from tests.support import specs
from tests.support.rich_specs import EXISTING
from tests.support.validation import cluster


def test_both_kinds_with_their_paths(tmp_path: Path) -> None:
    spec = dataclasses.replace(specs.load(tmp_path), cluster=cluster(base=EXISTING))
    context = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    assert list(existing_file_systems(context)) == [
        (
            ("storage", "lustre", 0, "existing"),
            ExistingFileSystem("fs-0a1b2c3d4e5f60718", "LUSTRE", "sg-0f1e2d3c4b5a69788", True),
        ),
        (
            ("storage", "home", "existing"),
            ExistingFileSystem("fs-0f1e2d3c4b5a69788", "OPENZFS", "sg-0f1e2d3c4b5a69788", False),
        ),
    ]


def test_new_file_systems_are_not_listed(tmp_path: Path) -> None:
    spec = specs.load(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    context = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    assert list(existing_file_systems(context)) == []
