"""Costs by service and day, and the status of a cost allocation tag."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import cost_explorer
from clusterwright.aws.session import AwsSession

START, END = dt.date(2026, 11, 1), dt.date(2026, 11, 3)
TAG = "clusterwright:environment"


def period(day: str, usd: dict[str, str], *, estimated: bool = False) -> dict[str, Any]:
    return {
        "TimePeriod": {"Start": day, "End": day},
        "Estimated": estimated,
        "Groups": [
            {"Keys": [name], "Metrics": {"UnblendedCost": {"Amount": amount, "Unit": "USD"}}}
            for name, amount in usd.items()
        ],
    }


def asked(tags: dict[str, Any]) -> dict[str, Any]:
    usage = {"Dimensions": {"Key": "RECORD_TYPE", "Values": ["Credit", "Refund", "Tax"]}}
    return {
        "TimePeriod": {"Start": "2026-11-01", "End": "2026-11-03"},
        "Granularity": "DAILY",
        "Metrics": ["UnblendedCost"],
        "GroupBy": [{"Type": "DIMENSION", "Key": "SERVICE"}],
        "Filter": {"And": [{"Tags": tags}, {"Not": usage}]},
    }


def test_every_page_is_summed_by_service_and_day(session: AwsSession) -> None:
    question = asked({"Key": TAG, "Values": ["train"]})
    with Stubber(session.client("ce", "us-east-1")) as stub:
        stub.add_response(
            "get_cost_and_usage",
            {
                "ResultsByTime": [period("2026-11-01", {"FSx": "10.5", "EC2": "0"})],
                "NextPageToken": "more",
            },
            question,
        )
        stub.add_response(
            "get_cost_and_usage",
            {"ResultsByTime": [period("2026-11-02", {"FSx": "4", "EC2": "1"}, estimated=True)]},
            {**question, "NextPageToken": "more"},
        )
        found = cost_explorer.costs(session, "aws", START, END, TAG, "train")
    assert found.by_service == {"FSx": Decimal("14.5"), "EC2": Decimal(1)}
    assert found.by_day == {START: Decimal("10.5"), dt.date(2026, 11, 2): Decimal(5)}
    assert found.estimated
    assert found.estimated_days == {dt.date(2026, 11, 2)}
    assert found.days == {
        START: {"FSx": Decimal("10.5")},
        dt.date(2026, 11, 2): {"FSx": Decimal(4), "EC2": Decimal(1)},
    }


def test_costs_without_the_tag(session: AwsSession) -> None:
    with Stubber(session.client("ce", "us-east-1")) as stub:
        question = asked({"Key": TAG, "MatchOptions": ["ABSENT"]})
        stub.add_response("get_cost_and_usage", {"ResultsByTime": []}, question)
        found = cost_explorer.costs(session, "aws", START, END, TAG, None)
    assert found == cost_explorer.Costs({}, {}, frozenset())


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ([], None),
        ([{"TagKey": "team", "Status": "Active", "Type": "UserDefined"}], None),
        ([{"TagKey": TAG, "Status": "Inactive", "Type": "UserDefined"}], "Inactive"),
    ],
)
def test_the_status_of_a_tag(
    session: AwsSession, tags: list[dict[str, str]], status: str | None
) -> None:
    with Stubber(session.client("ce", "us-east-1")) as stub:
        answer = {"CostAllocationTags": tags}
        stub.add_response("list_cost_allocation_tags", answer, {"TagKeys": [TAG]})
        assert cost_explorer.tag_status(session, "aws", TAG) == status


def test_china_has_a_separate_endpoint(session: AwsSession) -> None:
    with Stubber(session.client("ce", "cn-northwest-1")) as stub:
        stub.add_response("list_cost_allocation_tags", {"CostAllocationTags": []})
        assert cost_explorer.tag_status(session, "aws-cn", TAG) is None
        stub.assert_no_pending_responses()
