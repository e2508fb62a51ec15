"""Instance records in the data."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import Known, Unknown, load_catalog

CATALOG = load_catalog()


def known(fact: Known[Any] | Unknown) -> Any:
    assert isinstance(fact, Known), fact
    return fact.value


@pytest.mark.parametrize(
    ("name", "vcpus", "memory", "count", "gib", "gbps", "cards", "efa", "enis", "card0", "ipv4"),
    [
        ("p4d.24xlarge", 96, 1152, 8, 40, 400, 4, 4, 60, 15, 50),
        ("p4de.24xlarge", 96, 1152, 8, 80, 400, 4, 4, 60, 15, 50),
        ("p5.4xlarge", 16, 256, 1, 80, 100, 1, 1, 4, 4, 30),
        ("p5.48xlarge", 192, 2048, 8, 80, 3200, 32, 32, 64, 2, 50),
        ("p5e.48xlarge", 192, 2048, 8, 141, 3200, 32, 32, 64, 2, 50),
        ("p5en.48xlarge", 192, 2048, 8, 141, 3200, 16, 16, 64, 4, 50),
        ("p6-b200.48xlarge", 192, 2048, 8, 179.1, 3200, 8, 8, 32, 4, 50),
        ("p6-b300.48xlarge", 192, 4096, 8, 268.6, 6400, 17, 16, 68, 4, 50),
        ("trn1.32xlarge", 128, 512, 16, 32, 800, 8, 8, 40, 5, 50),
        ("trn1n.32xlarge", 128, 512, 16, 32, 1600, 16, 16, 80, 5, 50),
        ("trn2.3xlarge", 12, 128, 1, 96, 200, 1, 1, 2, 2, 15),
        ("trn2.48xlarge", 192, 2048, 16, 96, 3200, 16, 16, 32, 2, 50),
        ("trn2u.48xlarge", 192, 2048, 16, 96, 3200, 16, 16, 32, 2, 50),
        ("g5.48xlarge", 192, 768, 8, 22.4, 100, 1, 1, 7, 7, 50),
        ("g6e.48xlarge", 192, 1536, 8, 44.7, 400, 4, 4, 40, 10, 50),
        ("g7e.48xlarge", 192, 2048, 8, 96, 1600, 4, 4, 40, 10, 64),
        ("inf2.48xlarge", 192, 768, 12, 32, 100, 1, 0, 15, 15, 50),
    ],
)
def test_accelerated_types_have_the_collected_figures(
    name: str, vcpus: int, memory: int, count: int, gib: float, gbps: float, cards: int,
    efa: int, enis: int, card0: int, ipv4: int,
) -> None:  # fmt: skip
    instance = CATALOG.instance(name)
    assert instance is not None
    assert known(instance.vcpus) == vcpus
    assert known(instance.memory_gib) == memory
    assert known(instance.accelerator_count) == count
    assert known(instance.accelerator_memory_gib) == gib
    assert known(instance.network_gbps) == gbps
    assert known(instance.network_cards) == cards
    assert known(instance.efa_interfaces) == efa
    assert known(instance.interfaces_max) == enis
    assert known(instance.interfaces_max_card0) == card0
    assert known(instance.ipv4_per_interface) == ipv4


def test_wrong_api_value_is_replaced_with_a_note() -> None:
    for name in ("trn2.3xlarge", "trn2.48xlarge"):
        instance = CATALOG.instance(name)
        assert instance is not None
        memory = instance.accelerator_memory_gib
        assert isinstance(memory, Known)
        assert memory.value == 96
        assert "524,288" in memory.note
        assert "neuron" in memory.source


def test_contradicting_sources_are_unknown_and_named() -> None:
    instance = CATALOG.instance("p6e-gb200.36xlarge")
    assert instance is not None
    assert isinstance(instance.efa_generation, Unknown)
    assert "v3" in instance.efa_generation.reason
    assert "v4" in instance.efa_generation.reason
    assert known(instance.architecture) == "arm64"
    assert known(instance.spot) is False


def test_every_hyperpod_type_is_described_for_sizing_and_addresses() -> None:
    assert len(CATALOG.hyperpod_names) == 209
    for name in CATALOG.hyperpod_names:
        instance = CATALOG.instance(name)
        assert instance is not None, name
        assert known(instance.vcpus) > 0
        assert known(instance.memory_gib) > 0
        assert known(instance.architecture) in ("x86_64", "arm64")
        assert known(instance.hyperpod) is True
        assert known(instance.network_cards) >= 1
        assert isinstance(instance.local_nvme, Known)
        assert isinstance(CATALOG.addresses_per_node(name, "hyperpod-slurm"), Known), name
        assert known(instance.accelerator_count) == 0 or CATALOG.accelerator_of(name) is not None


def test_training_plans_support_the_documented_types_only() -> None:
    assert CATALOG.training_plan_names < CATALOG.hyperpod_names
    for name, taken in {
        "p5.48xlarge": True,
        "trn1n.32xlarge": False,
        "trn2.3xlarge": False,
    }.items():
        instance = CATALOG.instance(name)
        assert instance is not None
        assert known(instance.training_plan) is taken
