"""Loading of a spec with the validators of its platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.loading import load_cluster
from tests.support import specs


def test_a_spec_with_valid_names_loads(tmp_path: Path) -> None:
    assert load_cluster(specs.write(tmp_path / "spec.yaml", specs.changed({}))).cluster


def test_catalogue_is_used_for_names(tmp_path: Path) -> None:
    spec = specs.changed({"region": "us-east-9"})
    with pytest.raises(SpecErrors, match="no region us-east-9"):
        load_cluster(specs.write(tmp_path / "spec.yaml", spec))


def test_platform_adds_its_validators(tmp_path: Path) -> None:
    spec = specs.changed({"platform": "parallelcluster", "slurm.accounting.kind": "local"})
    with pytest.raises(SpecErrors, match="no accounting database on its head node"):
        load_cluster(specs.write(tmp_path / "spec.yaml", spec))
