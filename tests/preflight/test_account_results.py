"""Plans of quota requests."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.preflight.account_results import QuotaRequest, RequestPlan, State
from clusterwright.preflight.results import QuotaNeed

NEED = QuotaNeed(service="ec2", code="L-1", name="instances", what="8 × p5")


def request(state: State) -> QuotaRequest:
    return QuotaRequest(NEED, ("CW-Q001",), ("8 × p5",), (), state)


def plan(*requests: QuotaRequest, nodes: int = 8) -> RequestPlan:
    values: dict[str, Any] = dict.fromkeys(("start", "hours", "lead_days", "file_by"))
    return RequestPlan(
        environment="dev",
        account="111122223333",
        region="us-east-1",
        file="dev.yaml",
        today=dt.date(2026, 11, 20),
        file_by_unknown="no start",
        nodes=nodes,
        requests=requests,
        unknown=(),
        **values,
    )


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("not-filed", True),
        ("filed", False),
        ("open", False),
        ("not-adjustable", False),
        ("no-code", False),
        ("refused", False),
    ],
)
def test_only_requests_that_are_not_filed_can_be_filed(state: State, expected: bool) -> None:
    found = request(state)
    assert found.can_be_filed is expected
    assert plan(found).to_file == ((found,) if expected else ())


@pytest.mark.parametrize(("nodes", "expected"), [(511, False), (512, True)])
def test_large_requests_go_to_the_account_team(nodes: int, expected: bool) -> None:
    assert plan(nodes=nodes).account_team is expected
