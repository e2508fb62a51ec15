"""Accounting outside the cluster: its requirements."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import accounting
from tests.support.rich_specs import EXISTING, SCRIPTED
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    assert found(accounting.problems) == {}
    assert found(accounting.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"resilience.node_provisioning": "all-at-once", "compute.2.min_count": ABSENT},
            "resilience.node_provisioning",
            "requires continuous provisioning",
        ),
        (
            {"image.released": "2026-08-30"},
            "image.released",
            "after 2026-08-30; this image was released on 2026-08-30",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(accounting.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_image_of_the_next_day_is_recent_enough() -> None:
    assert found(accounting.problems, {"image.released": "2026-08-31"}) == {}


def test_accounting_in_the_cluster_has_no_requirements() -> None:
    changes = {"slurm.accounting": {"kind": "local"}, "image.released": "2020-01-01"}
    assert found(accounting.problems, changes) == {}


def test_scripted_mode_has_no_further_requirements() -> None:
    assert found(accounting.problems, {"image.released": "2020-01-01"}, SCRIPTED) == {}
