"""Actual cost of a cluster from Cost Explorer, compared with its bill."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cli.main import main
from clusterwright.pricing.actual_costs import spending
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client
from tests.support import specs
from tests.support.validation import cluster

Run = Callable[..., tuple[int, dict[str, Any]]]
TAGGED = {"tags": {"clusterwright:environment": "test"}}
COSTS = [
    {"service": "Amazon SageMaker", "usd_per_day": 6000, "start": "-10d", "end": "+1d", **TAGGED},
    {"service": "Amazon FSx", "usd_per_day": 12.5, "start": "-10d", "end": "+1d", **TAGGED},
    {
        "service": "Amazon SageMaker", "usd_per_day": -500, "start": "-10d", "end": "+1d",
        "record_type": "Credit", **TAGGED,
    },
    {"service": "Amazon FSx", "usd_per_day": 7, "start": "-10d", "end": "+1d"},
    {
        "service": "Amazon FSx", "usd_per_day": 99, "start": "-10d", "end": "+1d",
        "tags": {"clusterwright:environment": "other"},
    },
]  # fmt: skip


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


@pytest.fixture
def actual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*options: str) -> tuple[int, dict[str, Any]]:
        path = specs.write(
            tmp_path / "spec.yaml", specs.changed({"storage.lustre": [specs.LUSTRE]})
        )
        code = main(["cost", str(path), "--actual", "--format", "json", *options])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, json.loads(captured.out)

    return run


def test_spending_is_compared_by_service_over_days_with_costs(actual: Run) -> None:
    with local_aws(costs=COSTS):
        code, answer = actual()
    assert code == 0
    found = answer["actual"]
    assert found["tag"] == {
        "key": "clusterwright:environment", "value": "test", "status": "Active",
    }  # fmt: skip
    assert found["days_with_cost"] == 10
    rows = {row["family"]: row for row in found["rows"]}
    assert rows["instances"]["actual_usd"] == 60_000
    assert rows["instances"]["expected_usd"] == pytest.approx(4 * 66.048 * 240)
    assert rows["instances"]["unknown_lines"] == 1
    assert rows["file systems"]["actual_usd"] == 125
    assert rows["file systems"]["expected_usd"] == pytest.approx(4800 * 0.6 / 730 * 240)
    assert (found["untagged_usd"], found["untagged_by_service"]) == (70, {"Amazon FSx": 70})
    assert any("updated at least once a day" in note for note in found["notes"])
    assert any("compared over the 10 of 30 days" in note for note in found["notes"])


def test_inactive_tag_is_reported(actual: Run) -> None:
    with local_aws(costs=[COSTS[3]]):
        code, answer = actual("--days", "7")
    assert code == 0
    found = answer["actual"]
    assert (found["actual_usd"], found["expected_usd"], found["last_day"]) == (0, 0, None)
    assert found["untagged_usd"] == 49
    said = " ".join(found["notes"])
    assert "no cost is tagged clusterwright:environment=test in these 7 days" in said
    assert "unknown to Cost Explorer as a cost allocation tag" in said


@pytest.mark.parametrize(
    ("operation", "kept"), [("GetCostAndUsage", False), ("ListCostAllocationTags", True)]
)
def test_cost_explorer_error_is_unknown(actual: Run, operation: str, kept: bool) -> None:
    faults = [{"service": "ce", "operation": operation, "error": "AccessDeniedException"}]
    with local_aws(costs=COSTS, faults=faults):
        code, answer = actual()
    assert code == 2
    assert (answer["actual"] is not None) is kept
    assert f"ce:{operation}" in " ".join(answer["live"]["unanswered"])


def test_local_cost_explorer_lists_tags_by_page_and_type() -> None:
    tags = {"clusterwright:environment": "a", "aws:createdBy": "b", "team": "c"}
    with local_aws(costs=[{"service": "Amazon FSx", "usd_per_day": 1, "tags": tags}]):
        ce = client("ce")
        found = ce.list_cost_allocation_tags()["CostAllocationTags"]
        assert [one["TagKey"] for one in found] == sorted(tags)
        found = ce.list_cost_allocation_tags(Type="AWSGenerated")["CostAllocationTags"]
        assert [one["TagKey"] for one in found] == ["aws:createdBy"]
        page = ce.list_cost_allocation_tags(MaxResults=2)
        rest = ce.list_cost_allocation_tags(MaxResults=2, NextToken=page["NextToken"])
        assert len(page["CostAllocationTags"]) + len(rest["CostAllocationTags"]) == 3
        assert ce.list_cost_allocation_tags(Status="Inactive")["CostAllocationTags"] == []


TODAY = dt.date(2026, 11, 20)


class Answers(AwsSession):
    """Pages of Cost Explorer with and without the tag, and of its tags; an error is raised."""

    def __init__(self, tagged: Any, untagged: Any, tags: Any) -> None:
        super().__init__("us-east-1")
        self.answers = {"Values": tagged, "MatchOptions": untagged, "TagKeys": tags}
        self.asked: list[Mapping[str, Any]] = []

    def pages(self, service: str, operation: str, **parameters: Any) -> Any:
        self.asked.append({"service": service, "operation": operation, **parameters})
        if operation == "ListCostAllocationTags":
            key = "TagKeys"
        else:
            tag = parameters["Filter"]["And"][0]["Tags"]
            key = "Values" if "Values" in tag else "MatchOptions"
        answer = self.answers[key]
        if isinstance(answer, Exception):
            raise answer
        yield answer


def costs_of(usd: str, day: str = "2026-11-18") -> dict[str, Any]:
    group = {"Keys": ["Amazon FSx"], "Metrics": {"UnblendedCost": {"Amount": usd, "Unit": "USD"}}}
    return {"ResultsByTime": [{"TimePeriod": {"Start": day}, "Groups": [group]}]}


def denied(operation: str) -> AwsUnavailable:
    return AwsUnavailable(
        service="ce", operation=operation, region="us-east-1", reason="denied", detail="no"
    )


def test_spending_with_and_without_the_tag() -> None:
    tags = {"CostAllocationTags": [{"TagKey": "clusterwright:environment", "Status": "Inactive"}]}
    session = Answers(costs_of("12.5"), costs_of("7"), tags)
    found = spending(session, cluster(), days=10, today=TODAY)
    assert (found.start, found.end) == (dt.date(2026, 11, 10), TODAY)
    assert found.by_service == {"Amazon FSx": Decimal("12.5")}
    assert found.untagged_by_service == {"Amazon FSx": Decimal(7)}
    assert (found.days_with_cost, found.last_day) == (1, dt.date(2026, 11, 18))
    assert (found.tag_status, found.notes) == ("Inactive", ())
    assert [asked["region"] for asked in session.asked] == ["us-east-1"] * 3


def test_the_comparison_stands_without_two_permissions() -> None:
    refused = denied("GetCostAndUsage"), denied("ListCostAllocationTags")
    found = spending(Answers(costs_of("1"), *refused), cluster(), days=1, today=TODAY)
    assert found.by_service == {"Amazon FSx": Decimal(1)}
    assert (found.untagged_by_service, found.tag_status) == (None, None)
    assert len(found.notes) == 2
    assert all(
        str(error.message) in note for error, note in zip(refused, found.notes, strict=True)
    )


def test_a_tag_without_an_entry_is_unknown_to_cost_explorer() -> None:
    found = spending(
        Answers(costs_of("0"), costs_of("0"), {"CostAllocationTags": []}),
        cluster(),
        days=1,
        today=TODAY,
    )
    assert found.tag_status == "unknown to Cost Explorer"
    assert (found.by_service, found.days_with_cost, found.last_day) == ({}, 0, None)


@pytest.mark.parametrize("answer", [{}, {"ResultsByTime": [{}]}, costs_of("cheap")])
def test_an_unexpected_answer_is_unavailable(answer: dict[str, Any]) -> None:
    session = Answers(answer, costs_of("0"), {"CostAllocationTags": []})
    with pytest.raises(AwsUnavailable, match="an answer has an unexpected form"):
        spending(session, cluster(), days=1, today=TODAY)
