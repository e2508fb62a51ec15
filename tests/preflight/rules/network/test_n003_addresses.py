"""Tests of CW-N003."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import SHORT, waiver


def test_nodes_that_do_not_fit_name_the_range_that_would(rule: Harness) -> None:
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


def test_the_range_of_the_hint_fits(rule: Harness) -> None:
    short = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}
    hint = rule.run("CW-N003", short).findings[0].hint or ""
    rule.passes("CW-N003", {**short, "network.cidr": hint.removeprefix("cidr: ")})


def test_a_type_whose_need_nobody_knows_leaves_the_answer_open(rule: Harness) -> None:
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
def test_a_waiver_covers_its_path_and_what_lies_in_it(
    rule: Harness, path: str, status: str
) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(path=path)})
    assert outcome.rule.status == status


def test_an_expired_waiver_excuses_nothing(rule: Harness) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(expires="2026-11-19")})
    assert outcome.rule.status == "fail"
    assert outcome.result.exit_code() == 1
