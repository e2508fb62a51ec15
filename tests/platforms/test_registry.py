"""The list of platforms, and the required contents of each folder."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from clusterwright.cluster_spec.init_template import FOLDER as STARTING_FILES
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.capabilities import CAPABILITIES, DAILY
from clusterwright.platforms.cells import Cell
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import (
    DEFAULT,
    HYPERPOD,
    KUBERNETES,
    ON_EC2,
    PARTS,
    PLATFORMS,
    SECTIONS,
    SLURM,
    PlatformName,
    either,
    folder_of,
    has_section,
    part_of,
    traits_of,
    with_section,
)
from clusterwright.platforms.traits import CAPACITY_KINDS, Platform
from clusterwright_rehearsal.platforms.modes import MODES
from demo.other_platforms import PLATFORMS as DEMONSTRATED
from tests.preflight.platform_specs import BASES

LACKS: dict[tuple[str, str], set[str]] = {
    # The default platform: its checks are those of the spec.
    ("clusterwright/platforms", "hyperpod-slurm"): {"validation.py"},
    # Its control plane is that of `stacks/kubernetes`, which HyperPod shares.
    ("stacks", "eks"): {"cluster.py"},
}
"""Modules that every other platform has."""

ROOT = Path(__file__).parents[2]
REHEARSED = ROOT / "packages" / "rehearsal" / "clusterwright_rehearsal" / "platforms"


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_has_a_complete_folder(name: str) -> None:
    assert {part_of(name, part).__name__.rpartition(".")[2] for part in PARTS} == set(PARTS)
    traits = traits_of(name)
    assert traits.name == name
    assert traits.title
    assert traits.node_names
    assert set(traits.sections) <= set(Cluster.model_fields)
    assert isinstance(part_of(name, "validators").VALIDATORS, tuple)


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_has_stacks_and_an_init_template(name: str) -> None:
    assert importlib.util.find_spec(f"stacks.{folder_of(name)}.composition") is not None
    assert (STARTING_FILES / f"{name}.yaml").is_file()


@pytest.mark.parametrize("name", PLATFORMS)
@pytest.mark.parametrize("parent", ["clusterwright/platforms", "stacks"])
def test_a_folder_lacks_nothing_that_every_other_platform_has(
    parent: str, name: PlatformName
) -> None:
    files = {
        each: {path.name for path in (ROOT / parent / folder_of(each)).glob("*.py")}
        for each in PLATFORMS
    }
    others = set.intersection(*(files[each] for each in PLATFORMS if each != name))
    assert others - files[name] == LACKS.get((parent, name), set())
    assert others > {"__init__.py"}


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_has_a_config_a_page_tests_and_a_demonstration(name: str) -> None:
    config = ROOT / "configs" / ("dev.yaml" if name == DEFAULT else f"dev-{name}.yaml")
    assert load_cluster(config).cluster.platform == name
    assert list((ROOT / "tests" / "stacks" / folder_of(name)).glob("test_*.py"))
    assert BASES[name]  # specs for the rules of `check`
    # The tutorial and the demonstration without an option are about the default platform.
    if name != DEFAULT:
        assert (ROOT / "docs" / "how-to" / f"use-{name}.md").is_file()
        assert DEMONSTRATED[name].config == f"configs/dev-{name}.yaml"


@pytest.mark.parametrize("name", SLURM)
def test_every_platform_with_slurm_is_rehearsed(name: str) -> None:
    folder = "hyperpod" if traits_of(name).on_hyperpod else folder_of(name)
    found = {path.stem for path in (REHEARSED / folder).glob("*.py")}
    assert found >= {"driver", "node", "slurm_files"}
    if not traits_of(name).on_hyperpod:
        assert found >= {"context", "kill_at_every_step", "settings", "unsupported_scenarios"}
        assert name in MODES


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_has_every_capability(name: str) -> None:
    column = part_of(name, "capabilities")
    assert set(column.CELLS) == {row.key for row in (*CAPABILITIES, *DAILY)}
    assert all(isinstance(cell, Cell) for cell in column.CELLS.values())
    assert column.CAPACITY_SOURCE
    assert column.LIMITATIONS


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_capacity_kind_is_accepted_or_refused_with_a_reason(name: str) -> None:
    traits = traits_of(name)
    assert traits.capacity_kinds | set(traits.refused_capacity) == set(CAPACITY_KINDS)
    assert not traits.capacity_kinds & set(traits.refused_capacity)
    assert traits.placement_groups != bool(traits.placement_group_reason)


def test_schedulers_and_node_services_partition_the_platforms() -> None:
    assert set(SLURM) | set(KUBERNETES) == set(HYPERPOD) | set(ON_EC2) == set(PLATFORMS)
    assert not set(SLURM) & set(KUBERNETES)
    assert not set(HYPERPOD) & set(ON_EC2)
    assert DEFAULT in PLATFORMS


def test_sections_belong_to_platforms() -> None:
    for section in SECTIONS:
        names = with_section(section)
        assert names
        assert all(has_section(name, section) for name in names)
    assert not has_section("nomad", "slurm")
    assert not has_section(None, "slurm")
    assert with_section("slurm") == SLURM
    assert either(("a", "b")) == "a or b"


def test_unknown_platform_has_no_traits() -> None:
    with pytest.raises(KeyError):
        traits_of("nomad")


def test_spares_of_reserved_capacity() -> None:
    traits = traits_of(DEFAULT)
    assert traits.keeps_spares("on-demand", "p5.48xlarge")
    reserved = dataclasses.replace(traits, spares_from_reserved_capacity=True)
    assert not reserved.keeps_spares("on-demand", "p5.48xlarge")
    assert reserved.keeps_spares("reservation", "p5.48xlarge")
    assert not reserved.keeps_spares("capacity-block", "p6e-gb200.36xlarge")


def test_traits_are_data() -> None:
    for name in PLATFORMS:
        traits = traits_of(name)
        assert isinstance(traits, Platform)
        assert dataclasses.replace(traits) == traits
