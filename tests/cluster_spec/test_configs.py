"""Every config loads, and every example passes the offline rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec.document import parse_document
from clusterwright.platforms.loading import load_cluster
from tests.support.command_line import clusterwright

ROOT = Path(__file__).parents[2]
CONFIGS = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "configs").rglob("*.yaml"))
    if path.parent.name != "users" and path.name != "base.yaml"
]
EXAMPLES = [path for path in CONFIGS if path.parent.name == "examples"]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_no_offline_rule_finds_an_error(config: Path) -> None:
    answer = clusterwright("check", config, "--offline", folder=ROOT)
    # 2 is accepted too: missing prices or sources are reported as unknown.
    assert answer.exit_code in (0, 2), answer.out


@pytest.mark.parametrize("config", EXAMPLES, ids=str)
def test_examples_have_no_base_and_are_named_after_their_environment(config: Path) -> None:
    spec = load_cluster(ROOT / config)
    assert len(spec.layers.documents) == 1
    names = {"existing-network": "existing"}
    assert spec.cluster.environment == names.get(config.stem, config.stem)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_config_has_comments(config: Path) -> None:
    lines = (ROOT / config).read_text().splitlines()
    assert lines[1] == "#"
    assert lines[2].startswith("# ")


def test_contract_examples_exist() -> None:
    names = {"p5-2", "p5-8", "p5-64", "p5-512", "p5-1024", "p5-127-trn1-24", "trn1-1", "trn2-1"}
    names |= {"p6-b200-1", "p6e-gb200-1", "existing-network"}
    assert names <= {path.stem for path in EXAMPLES}


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("p5-2", {"p5.48xlarge": 2}),
        ("p5-8", {"p5.48xlarge": 8}),
        ("p5-64", {"p5.48xlarge": 64}),
        ("p5-512", {"p5.48xlarge": 512}),
        ("p5-1024", {"p5.48xlarge": 1024}),
        ("p5-127-trn1-24", {"p5.48xlarge": 127, "trn1.32xlarge": 24}),
        ("trn1-1", {"trn1.32xlarge": 1}),
        ("trn2-1", {"trn2.48xlarge": 1}),
        ("p6-b200-1", {"p6-b200.48xlarge": 1}),
        ("p6e-gb200-1", {"p6e-gb200.36xlarge": 18}),
    ],
)
def test_example_has_the_number_of_nodes_in_its_name(name: str, nodes: dict[str, int]) -> None:
    cluster = load_cluster(ROOT / "configs" / "examples" / f"{name}.yaml").cluster
    found: dict[str, int] = {}
    for group in cluster.compute:
        if group.role == "compute":
            found[group.instance_type] = found.get(group.instance_type, 0) + group.count
    assert found == nodes


def test_plans_are_not_oversubscribed() -> None:
    for config in CONFIGS:
        for group in load_cluster(ROOT / config).cluster.compute:
            if group.capacity.kind == "training-plan":
                assert group.count <= 64


def test_the_mixed_example_has_a_partition_for_each_accelerator() -> None:
    cluster = load_cluster(ROOT / "configs/examples/p5-127-trn1-24.yaml").cluster
    type_of = {group.name: group.instance_type for group in cluster.compute}
    for partition in cluster.slurm.partitions:
        assert len({type_of[group] for group in partition.groups}) == 1


def test_existing_network_example_creates_no_stateful_resource() -> None:
    cluster = load_cluster(ROOT / "configs/examples/existing-network.yaml").cluster
    assert cluster.network.existing is not None
    assert all(f.existing for f in cluster.storage.lustre)
    assert cluster.storage.home is not None
    assert cluster.storage.home.existing is not None
    assert cluster.storage.buckets
    assert not any(bucket.create for bucket in cluster.storage.buckets)
    assert cluster.identity.kms_key_arn is not None
    assert cluster.slurm.accounting.existing is not None


def test_environments_share_the_base() -> None:
    base = parse_document((ROOT / "configs/base.yaml").read_text(), "base.yaml").data
    for name in ("dev", "staging", "prod"):
        cluster = load_cluster(ROOT / "configs" / f"{name}.yaml").cluster
        assert cluster.environment == name
        assert cluster.region == base["region"] == "us-east-1"
        assert cluster.network.availability_zone_id == "use1-az6"
    assert load_cluster(ROOT / "configs/dev.yaml").cluster.protection == "destroy"
    assert load_cluster(ROOT / "configs/prod.yaml").cluster.protection == "retain"
