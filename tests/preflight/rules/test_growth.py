"""The cluster at its maximum."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.growth import at_growth, grown, grows
from tests.support import parallelcluster_specs, specs
from tests.support.specs import changed, write


def context(folder: Path, changes: dict[str, Any]) -> Context:
    data = changed(changes, parallelcluster_specs.SMALL)
    spec = load_cluster(write(folder / "spec.yaml", data))
    return Context(spec, load_catalog(), dt.date(2026, 11, 20))


def test_a_group_at_its_maximum(tmp_path: Path) -> None:
    found = context(tmp_path, {"compute.2.max_count": 9})
    assert grows(found)
    assert [group.count for group in grown(found).cluster.compute] == [1, 2, 9]
    assert [group.count for group in found.cluster.compute] == [1, 2, 4]


def test_groups_with_a_fixed_count(tmp_path: Path) -> None:
    small = Context(specs.load(tmp_path), load_catalog(), dt.date(2026, 11, 20))
    assert not grows(small)
    assert grown(small).cluster == small.cluster


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("compute", 2, "count"), ("compute", 2, "max_count")),
        (("compute", 0, "count"), ("compute", 2, "max_count")),
        (("network", "cidr"), ("compute", 2, "max_count")),
    ],
)
def test_findings_are_at_the_group_that_grows(
    tmp_path: Path, path: SpecPath, expected: SpecPath
) -> None:
    found = context(tmp_path, {"compute.2.max_count": 9})
    assert at_growth(found, path) == expected
