"""Tests of CW-N003."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import SHORT, waiver


def test_insufficient_range_names_a_sufficient_one(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N003",
        {"network.cidr": "10.0.0.0/24", "compute.1.count": 16},
        path="network.cidr",
        message="the cluster needs",
        severity="error",
    )
    assert finding.where == "use1-az6"
    assert finding.hint
    assert finding.hint.startswith("cidr: 10.0.")
    rule.passes("CW-N003", {"compute.1.count": 16})


def test_range_of_the_hint_fits(rule: Harness) -> None:
    short = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}
    hint = rule.run("CW-N003", short).findings[0].hint or ""
    rule.passes("CW-N003", {**short, "network.cidr": hint.removeprefix("cidr: ")})


def test_type_with_an_unknown_need_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N003",
        {"compute.1.instance_type": "c4.large"},
        path="network.cidr",
        message="no source states how many addresses a node of",
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("network.cidr", "waived"),
        ("network", "waived"),
        ("network.cid", "fail"),
        ("compute", "fail"),
        ("network.cidr.more", "fail"),
    ],
)
def test_waiver_covers_its_path_and_below(rule: Harness, path: str, status: str) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(path=path)})
    assert outcome.rule.status == status


def test_expired_waiver_has_no_effect(rule: Harness) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(expires="2026-11-19")})
    assert outcome.rule.status == "fail"
    assert outcome.result.exit_code() == 1
