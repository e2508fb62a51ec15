"""Tests of clusterwright.platforms.pcs.groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.pcs import groups
from clusterwright.platforms.traits import CAPACITY_KINDS
from tests.platforms.pcs.specs import cluster
from tests.support.rich_specs import PCS


def test_login_nodes_always_run_and_others_scale(tmp_path: Path) -> None:
    found = cluster(tmp_path, PCS)
    assert [groups.counts(group) for group in found.compute] == [(1, 1), (4, 4), (2, 40)]


def test_first_login_group_administers(tmp_path: Path) -> None:
    found = groups.administration_group(cluster(tmp_path))
    assert found is not None
    assert found.name == "login"


def test_every_supported_kind_has_a_purchase_option() -> None:
    assert set(groups.PURCHASE_OPTIONS) == set(CAPACITY_KINDS) - {"training-plan"}


@pytest.mark.parametrize(
    ("instance_type", "supported"),
    [("p5.48xlarge", True), ("p6-b300.48xlarge", True), ("trn2.48xlarge", False),
     ("p6e-gb200.36xlarge", False)],
)  # fmt: skip
def test_families_with_capacity_blocks(instance_type: str, supported: bool) -> None:
    assert groups.supports_block(instance_type) is supported


def test_image_is_that_of_the_architecture(tmp_path: Path) -> None:
    for kind, architecture in (("m5.4xlarge", "x86_64"), ("m7g.4xlarge", "arm64")):
        group = cluster(tmp_path, compute__0__instance_type=kind).compute[0]
        assert architecture in str(groups.image_parameter(group, load_catalog()))
