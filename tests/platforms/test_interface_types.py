"""Tests of the interface types that groups choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.interface_types import problems
from tests.support import parallelcluster_specs, specs


def test_a_type_without_efa_is_refused(tmp_path: Path) -> None:
    changes = {"compute.1.instance_type": "g5.xlarge", "compute.1.network_interface": "efa"}
    with pytest.raises(SpecErrors, match=r"g5\.xlarge does not support EFA") as caught:
        specs.load(tmp_path, changes)
    (problem,) = caught.value.problems
    assert problem.path == ("compute", 1, "network_interface")


@pytest.mark.parametrize("kind", ["efa", "efa-only", None])
def test_a_type_with_efa_and_a_group_without_a_choice(tmp_path: Path, kind: str | None) -> None:
    cluster = specs.load(tmp_path, {"compute.1.network_interface": kind}).cluster
    assert list(problems(cluster)) == []
    plain = specs.load(tmp_path, {"compute.1.instance_type": "g5.xlarge"}).cluster
    assert list(problems(plain)) == []


def test_it_is_one_problem_on_parallelcluster(tmp_path: Path) -> None:
    changes = {"compute.2.instance_type": "c5.4xlarge", "compute.2.network_interface": "efa"}
    path = specs.write(
        tmp_path / "spec.yaml", specs.changed(changes, base=parallelcluster_specs.SMALL)
    )
    with pytest.raises(SpecErrors) as caught:
        specs.load_cluster(path)
    assert len(caught.value.problems) == 1
