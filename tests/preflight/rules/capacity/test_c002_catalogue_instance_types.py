"""Tests of CW-C002."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import ELASTIC, SCALED, WORKERS


def test_missing_type_is_a_dated_warning(rule: Harness) -> None:
    found = rule.fails(
        "CW-C002",
        {"compute.1.instance_type": "p5en.48xlarge", "network.availability_zone_id": "use1-az5"},
        path="compute[1].instance_type",
        message="use1-az5 did not offer p5en.48xlarge on 2026-10-27",
        severity="warning",
    )
    assert found.hint
    assert "use1-az" in found.hint


def test_listed_type_passes(rule: Harness) -> None:
    rule.passes("CW-C002")


@pytest.mark.parametrize("offline", [True, False])
def test_unlisted_type_is_unknown_only_offline(rule: Harness, offline: bool) -> None:
    changes = {
        "compute.1.instance_type": "p6e-gb200.36xlarge",
        "region": "us-west-2",
        "network.availability_zone_id": "usw2-az2",
    }
    outcome = rule.run("CW-C002", changes, offline=offline)
    assert outcome.rule.status == ("unknown" if offline else "pass")


@pytest.mark.parametrize(("offline", "status"), [(True, "unknown"), (False, "pass")])
def test_missing_type_in_a_local_zone_is_unknown(
    rule: Harness, offline: bool, status: str
) -> None:
    dallas = {"network.availability_zone_id": "us-east-1-dfw-2a"}
    assert rule.run("CW-C002", dallas, offline=offline).rule.status == status


def test_karpenter_group_with_zero_nodes_is_checked(rule: Harness) -> None:
    spec = {
        **SCALED,
        "compute": [WORKERS, {**ELASTIC, "instance_type": "p6-b200.48xlarge"}],
        "network.availability_zone_id": "use1-az5",
    }
    found = rule.run("CW-C002", spec).findings
    assert "compute[1].instance_type" in {one.path for one in found}
    idle = {**spec, "kubernetes": {}}
    assert "compute[1].instance_type" not in {
        one.path for one in rule.run("CW-C002", idle).findings
    }
