"""Tests of CW-I015."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms import software
from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import cuda


@pytest.mark.parametrize(
    ("version", "driver"), [("13.0", "570.86.15"), ("12.8", "470.57.02"), ("11.8", "418.40.04")]
)
def test_too_old_driver_is_reported(rule: Harness, version: str, driver: str) -> None:
    finding = rule.fails(
        "CW-I015",
        cuda(version, driver),
        path="slurm.containers.cuda",
        message=f"containers have CUDA {version}, which requires driver branch ",
    )
    assert driver in finding.message


@pytest.mark.parametrize(
    ("version", "driver"), [("13.0", "580.65.06"), ("12.8", "595.91.07"), ("12.0", "525.60.13")]
)
def test_recent_driver_passes(rule: Harness, version: str, driver: str) -> None:
    rule.passes("CW-I015", cuda(version, driver))


def test_version_missing_in_the_tables_is_unknown(rule: Harness) -> None:
    path = "slurm.containers.cuda"
    rule.unsure("CW-I015", cuda("12.8", None), path=path, message="the spec does not state")
    rule.unsure(
        "CW-I015", cuda("14.0", "999.1"), path=path, message="minimum driver of CUDA 14 is"
    )
    rule.passes("CW-I015", {}, tested=False)


def test_nodes_and_checks_share_one_table() -> None:
    """The rows of `software.json` about CUDA are the limits of the catalogue."""
    catalog = load_catalog()
    (pair,) = [
        pair
        for pair in software.model()["pairs"]
        if pair["components"] == ["cuda", "nvidia_driver"]
    ]
    assert len(pair["rows"]) == len([k for k in catalog.limit_units if "cuda.driver_min" in k])
    for row in pair["rows"]:
        limit = catalog.limit(f"cuda.driver_min_{row['versions']}")
        assert row["other_versions"] == f">={limit.value}"  # type: ignore[union-attr]
