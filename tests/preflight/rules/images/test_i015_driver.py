"""Tests of CW-I015."""

from __future__ import annotations

import json

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import repository_root
from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import cuda
from tools.lint.files import ROOT


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


def test_nodes_and_checks_share_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / repository_root.SCRIPTS))
    from clusterwright_node import compatibility

    catalog = load_catalog()
    for major, (branch, *_) in compatibility._LOWEST_DRIVER.items():
        assert catalog.limit(f"cuda.driver_min_{major}").value == branch  # type: ignore[union-attr]
    known = json.dumps(sorted(catalog.limit_units))
    assert known.count("cuda.driver_min_") == len(compatibility._LOWEST_DRIVER)
