"""Each platform has an answer with a source, which agrees with traits and catalogue."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms import capabilities
from clusterwright.platforms.capabilities import ALL, capability, takes_type
from clusterwright.platforms.registry import PLATFORMS, traits_of
from clusterwright.platforms.traits import CAPACITY_KINDS


def test_every_cell_has_a_source() -> None:
    assert len({row.key for row in ALL}) == len(ALL)
    for row in ALL:
        assert tuple(row.cells) == PLATFORMS
        for cell in row.cells.values():
            assert cell.words, row.key
            assert cell.source, row.key


@pytest.mark.parametrize("kind", CAPACITY_KINDS)
def test_capacity_row_matches_the_traits(kind: str) -> None:
    able = capability(f"capacity.{kind}").able()
    assert able == tuple(p for p in PLATFORMS if kind in traits_of(p).capacity_kinds)
    assert able


def test_placement_group_row_matches_the_traits() -> None:
    able = capability("placement_group").able()
    assert able == tuple(p for p in PLATFORMS if traits_of(p).placement_groups)


def test_platforms_with_a_key_are_listed() -> None:
    assert (
        capabilities.who_can("capacity.training-plan")
        == "platform: hyperpod-slurm or hyperpod-eks"
    )
    assert capabilities.who_can("placement_group") == "platform: parallelcluster or eks or pcs"


@pytest.mark.parametrize(
    ("instance_type", "answers"),
    [
        ("p5.48xlarge", ("yes", "yes", "yes", "yes", "yes")),
        ("trn2u.48xlarge", ("no", "no", "yes", "yes", "yes")),
        ("inf2.48xlarge", ("no", "no", "yes", "yes", "yes")),
        ("trn1.2xlarge", ("no", "no", "yes", "yes", "yes")),
        # EC2's API dump and the VPC CNI's limits lack it.
        ("p6e-gb200.36xlarge", ("yes", "yes", "yes", "unknown", "yes")),
        ("p6e-gb300.36xlarge", ("no", "no", "unknown", "unknown", "unknown")),
        ("p5.47xlarge", ("no", "no", "unknown", "unknown", "unknown")),
    ],
)
def test_types_are_listed_by_platform(instance_type: str, answers: tuple[str, ...]) -> None:
    catalog = load_catalog()
    found = tuple(takes_type(p, instance_type, catalog) for p in PLATFORMS)
    assert tuple(cell.answer for cell in found) == answers
    assert all(cell.source for cell in found)


def test_platforms_are_listed_by_type_and_capacity_kind() -> None:
    catalog = load_catalog()
    assert capabilities.platforms_for("inf2.48xlarge", "spot", catalog) == (
        "parallelcluster",
        "eks",
        "pcs",
    )
    assert capabilities.platforms_for("inf2.48xlarge", "training-plan", catalog) == ()
    hyperpod = ("hyperpod-slurm", "hyperpod-eks")
    assert capabilities.platforms_for("p5.48xlarge", "training-plan", catalog) == hyperpod
