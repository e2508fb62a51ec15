"""The spec of a plan loads and passes offline rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.sizing import hardware, storage
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.spec_writer import SpecChoices, controller_for, write, zone_of

CATALOG = load_catalog()
BASE = Path(__file__).parents[2] / "configs" / "base.yaml"


def _text(instance_type: str, nodes: int, region: str, kind: str, spares: int = 2) -> str:
    needs = storage.plan_storage(
        params=70e9,
        data_bytes=6e13,
        nodes=nodes,
        hardware=hardware.of_instance_type(instance_type, CATALOG),
        mtti_hours=6315 / nodes,
        catalog=CATALOG,
        region=region,
    )
    choices = SpecChoices(
        name="llama3-70b",
        account="111122223333",
        region=region,
        zone=zone_of(instance_type, region, CATALOG),
        instance_type=instance_type,
        nodes=nodes,
        spares=spares,
        capacity_kind=kind,
        hours=2880,
        plan_file="llama3-70b.plan.json",
        command="clusterwright plan --model llama3-70b",
        budget_usd=9e6,
        reasons=("70B parameters, 15T tokens",),
    )
    return write(choices, needs, CATALOG)


def _loaded(text: str, folder: Path) -> Cluster:
    (folder / "base.yaml").write_text(BASE.read_text())
    file = folder / "llama3-70b.yaml"
    file.write_text(text)
    return load_cluster(file).cluster


def test_on_demand_nodes_are_one_group(tmp_path: Path) -> None:
    cluster = _loaded(_text("p5.48xlarge", 256, "us-east-1", "on-demand"), tmp_path)
    (workers,) = [group for group in cluster.compute if group.role == "compute"]
    assert (workers.count, workers.spare_count) == (258, 2)
    assert cluster.network.availability_zone_id == "use1-az6"
    assert cluster.run is not None
    assert cluster.run.hours == 2880
    assert cluster.run.checkpoint_gib == -(-980_000_000_000 // 2**30)


def test_training_plans_are_bought_in_powers_of_two(tmp_path: Path) -> None:
    cluster = _loaded(_text("p5en.48xlarge", 80, "us-east-2", "training-plan", 4), tmp_path)
    groups = [group for group in cluster.compute if group.role == "compute"]
    assert [group.count for group in groups] == [64, 16, 4]
    assert sum(group.count - (group.spare_count or 0) for group in groups) == 80
    assert all("to-be-bought" in str(group.capacity) for group in groups)


def test_ultraservers_must_be_complete(tmp_path: Path) -> None:
    cluster = _loaded(_text("p6e-gb200.36xlarge", 36, "us-east-1", "training-plan"), tmp_path)
    groups = [group for group in cluster.compute if group.role == "compute"]
    assert [group.count for group in groups] == [18, 18, 18]
    assert sum(group.count - (group.spare_count or 0) for group in groups) == 36


def test_unsupported_capacity_block_names_the_platforms() -> None:
    with pytest.raises(GoalError) as caught:
        _text("p5.48xlarge", 8, "us-east-1", "capacity-block")
    assert "parallelcluster" in (caught.value.hint or "")


def test_a_region_without_the_type_is_refused() -> None:
    with pytest.raises(GoalError, match="eu-west-3"):
        zone_of("p5.48xlarge", "eu-west-3", CATALOG)


def test_controllers_grow_with_the_cluster() -> None:
    assert controller_for(8) == "m5.4xlarge"
    assert controller_for(5000) == "m5.24xlarge"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    instance_type=st.sampled_from(["p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge"]),
    nodes=st.integers(1, 900),
    spares=st.integers(0, 20),
    kind=st.sampled_from(["on-demand", "spot", "training-plan"]),
)
def test_every_written_file_loads(
    tmp_path: Path, instance_type: str, nodes: int, spares: int, kind: str
) -> None:
    cluster = _loaded(_text(instance_type, nodes, "us-east-1", kind, spares), tmp_path)
    groups = [group for group in cluster.compute if group.role == "compute"]
    assert sum(group.count - (group.spare_count or 0) for group in groups) == nodes
    assert sum(group.count for group in groups) == nodes + spares
