"""Partitions of GPUs: supported layouts of a type, and errors for others."""

from __future__ import annotations

import re

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.hyperpod_eks import mig
from tests.support.validation import found


def test_layouts_match_the_chart() -> None:
    """48 names in the file of the chart without `all-disabled`, each of which is of some type."""
    assert len(mig.LAYOUTS) == 48
    for layout in mig.LAYOUTS:
        assert any(layout in mig.layouts_for(kind) for kind in mig.PARTITIONS), layout


def test_partitions_of_a_layout_fit_one_gpu() -> None:
    """A GPU has seven parts that compute, four on RTX PRO 6000; no layout has more."""
    for layout in mig.LAYOUTS:
        counted = re.findall(r"([0-9])-([0-9])g\.", layout)
        assert sum(int(count) * int(parts) for count, parts in counted) <= 7, layout


def test_types_exist_in_the_catalogue() -> None:
    assert set(mig.PARTITIONS) <= load_catalog().instance_names


@pytest.mark.parametrize(
    ("instance_type", "layout"),
    [
        ("p4d.24xlarge", "all-1g.5gb"),
        ("p5.48xlarge", "all-1g.10gb"),
        ("p5.48xlarge", "mixed-1-3g.40gb-1-4g.40gb"),
        ("p5en.48xlarge", "all-7g.141gb"),
        ("g7e.12xlarge", "all-2g.48gb"),
    ],
)
def test_supported_layouts_pass(instance_type: str, layout: str) -> None:
    changes = {
        "platform": "hyperpod-eks",
        "compute.2.instance_type": instance_type,
        "compute.2.mig_profile": layout,
    }
    assert found(mig.problems, changes) == {}


@pytest.mark.parametrize(
    ("instance_type", "layout", "message"),
    [
        ("p5.48xlarge", "all-1g.5gb", "p5.48xlarge has no layout all-1g.5gb"),
        ("p5.48xlarge", "all-1g.18gb", "p5.48xlarge has no layout"),
        # Seven of 10 GB are more than the 40 GB of an A100; one would fit.
        ("p4d.24xlarge", "all-1g.10gb", "p4d.24xlarge has no layout"),
        ("p5.4xlarge", "all-1g.10gb", "no MIG layout is known for p5.4xlarge"),
        ("p6-b200.48xlarge", "all-1g.10gb", "no MIG layout is known"),
        ("trn2.48xlarge", "all-1g.10gb", "no MIG layout is known"),
        ("m5.large", "all-1g.10gb", "no MIG layout is known"),
    ],
)
def test_unsupported_layouts_are_refused(instance_type: str, layout: str, message: str) -> None:
    changes = {
        "platform": "hyperpod-eks",
        "compute.2.instance_type": instance_type,
        "compute.2.mig_profile": layout,
    }
    problems = found(mig.problems, changes)
    assert list(problems) == ["compute[2].mig_profile"]
    assert message in problems["compute[2].mig_profile"]
