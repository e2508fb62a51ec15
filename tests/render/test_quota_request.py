"""The text of quota requests."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

from clusterwright.preflight.account_results import QuotaRequest, RequestPlan, Stage, State
from clusterwright.preflight.results import QuotaNeed, Unanswered
from clusterwright.render.quota_request import request_text, states_text

NEED = QuotaNeed(
    service="sagemaker",
    code="L-1",
    name="ml.p5.48xlarge for cluster usage",
    what="64 × ml.p5.48xlarge need",
    limit=8,
    used=2,
    desired=66,
)


def request(state: State = "not-filed", **more: Any) -> QuotaRequest:
    stages = (Stage(16, "the first phase"), Stage(66, "the whole run"))
    return QuotaRequest(NEED, ("CW-Q001",), (NEED.what,), stages, state, **more)


def plan(*requests: QuotaRequest, **changes: Any) -> RequestPlan:
    values: dict[str, Any] = {
        "environment": "prod",
        "account": "111122223333",
        "region": "us-east-1",
        "file": "prod.yaml",
        "today": dt.date(2026, 11, 20),
        "start": dt.date(2027, 1, 31),
        "hours": 720,
        "lead_days": 42,
        "file_by": dt.date(2026, 12, 20),
        "file_by_unknown": None,
        "nodes": 64,
        "requests": requests,
        "unknown": (),
    }
    return RequestPlan(**{**values, **changes})


def test_a_request_with_its_reason_and_stages() -> None:
    text = request_text(plan(request()))
    assert text.startswith("# Quota requests for prod\n\nAccount 111122223333, us-east-1, ")
    assert "trains a model for 720 hours from 2027-01-31 on 64 nodes" in text
    assert "Latest date to file: **2026-12-20**, 42 days before the run" in text
    assert "## 1. ml.p5.48xlarge for cluster usage (sagemaker, L-1)" in text
    assert "- requested: **66**; applied: 8, of which others use 2\n" in text
    assert "- reason: 64 × ml.p5.48xlarge need (CW-Q001)\n" in text
    assert "- staged ramp: 16 (the first phase), then 66 (the whole run) by 2027-01-31" in text
    assert "account team" not in text


def test_a_quota_of_another_region_than_the_clusters() -> None:
    iam = dataclasses.replace(
        NEED, service="iam", code="L-2", name="Roles per account", region="us-east-1"
    )
    ours = dataclasses.replace(NEED, region="eu-west-1")
    both = plan(
        dataclasses.replace(request(), need=iam),
        dataclasses.replace(request(), need=ours),
        region="eu-west-1",
    )
    text = request_text(both)
    assert "## 1. Roles per account (iam, L-2) in us-east-1\n" in text
    assert "## 2. ml.p5.48xlarge for cluster usage (sagemaker, L-1)\n" in text
    assert states_text(both) == ("iam L-2 in us-east-1: not filed\nsagemaker L-1: not filed\n")


def test_without_requests() -> None:
    assert "No quota increase is needed, as far as is known." in request_text(plan())


def test_dates() -> None:
    late = request_text(plan(request(), file_by=dt.date(2026, 11, 1)))
    assert "That day has passed." in late
    unknown = request_text(plan(request(), file_by=None, file_by_unknown="no start is set"))
    assert "Latest date to file: unknown, because no start is set." in unknown


def test_a_large_cluster_and_unknown_rules() -> None:
    entry = Unanswered(rule="CW-Q002", severity="error", path="", message="denied")
    text = request_text(plan(request(), nodes=1024, unknown=(entry,)))
    assert "**1,024 nodes: contact your AWS account team before you file.**" in text
    assert "## Unknown\n" in text
    assert "- CW-Q002: denied" in text


@pytest.mark.parametrize(
    ("state", "more", "text"),
    [
        ("not-filed", {}, "not filed"),
        ("filed", {"request_id": "r-1"}, "filed, request r-1, no case yet"),
        (
            "open",
            {"request_id": "r-1", "case_id": "7", "status": "PENDING", "open_for": 1000},
            "already open, not filed again, request r-1, case 7, PENDING, for 1,000",
        ),
        ("refused", {"message": "denied"}, "refused, denied"),
        (
            "no-code",
            {},
            "no code is known: find it by its name in the Service Quotas console",
        ),
    ],
)
def test_states(state: State, more: dict[str, Any], text: str) -> None:
    assert states_text(plan(request(state, **more))) == f"sagemaker L-1: {text}\n"
