"""Cost Explorer answers the world's spending only."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

COSTS = [
    {
        "service": "Amazon SageMaker",
        "usd_per_day": "1000",
        "usage_type": "USE1-Cluster:ml.p5.48xlarge",
        "instance_type": "ml.p5.48xlarge",
        "usage_quantity_per_day": "24",
        "tags": {"team": "ml"},
        "start": "-10d",
        "end": "+10d",
    },
    {"service": "Amazon FSx", "usd_per_day": "10.50", "start": "-5d", "end": "+5d"},
]


def day(offset: int) -> str:
    # The day of the call, so that tests that begin before midnight pass after it.
    return (dt.datetime.now(dt.UTC).date() + dt.timedelta(days=offset)).isoformat()


def costs(first: int, last: int, **more: Any) -> dict[str, Any]:
    request = {
        "TimePeriod": {"Start": day(first), "End": day(last)},
        "Granularity": "DAILY",
        "Metrics": ["UnblendedCost"],
        **more,
    }
    found: dict[str, Any] = client("ce").get_cost_and_usage(**request)
    return found


def total(answer: dict[str, Any], metric: str = "UnblendedCost") -> Decimal:
    return sum(
        (Decimal(result["Total"][metric]["Amount"]) for result in answer["ResultsByTime"]),
        Decimal(0),
    )


def test_a_world_without_costs_has_no_spending() -> None:
    with local_aws():
        answer = costs(-3, 0)
        assert len(answer["ResultsByTime"]) == 3
        assert total(answer) == 0
        forecast = refusal(
            client("ce").get_cost_forecast,
            TimePeriod={"Start": day(0), "End": day(5)},
            Metric="UNBLENDED_COST",
            Granularity="DAILY",
        )
        assert forecast[0] == "DataUnavailableException"


class TestSpent:
    @pytest.fixture(autouse=True)
    def _world(self) -> Any:
        with local_aws(costs=COSTS):
            yield

    def test_costs_are_grouped_by_day_and_month(self) -> None:
        daily = costs(-5, 0)
        assert [result["TimePeriod"]["Start"] for result in daily["ResultsByTime"]] == [
            day(offset) for offset in range(-5, 0)
        ]
        assert total(daily) == 5 * Decimal("1010.50")
        assert total(costs(-40, 0, Granularity="MONTHLY")) == 10 * 1000 + 5 * Decimal("10.50")
        periods = costs(-40, 0, Granularity="MONTHLY")["ResultsByTime"]
        for before, after in itertools.pairwise(periods):
            assert before["TimePeriod"]["End"] == after["TimePeriod"]["Start"]
            assert after["TimePeriod"]["Start"].endswith("-01")

    def test_future_costs_are_not_spent(self) -> None:
        assert total(costs(0, 5)) == Decimal("1010.50")  # today

    def test_costs_are_grouped_by_dimension_and_tag(self) -> None:
        answer = costs(
            -1,
            0,
            GroupBy=[{"Type": "DIMENSION", "Key": "SERVICE"}, {"Type": "TAG", "Key": "team"}],
        )
        (result,) = answer["ResultsByTime"]
        assert {
            tuple(g["Keys"]): g["Metrics"]["UnblendedCost"]["Amount"] for g in result["Groups"]
        } == {("Amazon FSx", "team$"): "10.5", ("Amazon SageMaker", "team$ml"): "1000"}

    def test_usage_quantity_is_returned(self) -> None:
        answer = costs(-2, 0, Metrics=["UsageQuantity", "AmortizedCost"])
        assert total(answer, "UsageQuantity") == 48
        assert total(answer, "AmortizedCost") == Decimal("2021")

    @pytest.mark.parametrize(
        ("filter_", "usd"),
        [
            ({"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}, "10.50"),
            ({"Not": {"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}}, "1000"),
            ({"Tags": {"Key": "team", "Values": ["ml"]}}, "1000"),
            ({"Tags": {"Key": "team", "MatchOptions": ["ABSENT"]}}, "10.50"),
            (
                {
                    "And": [
                        {"Dimensions": {"Key": "REGION", "Values": ["us-east-1"]}},
                        {"Dimensions": {"Key": "RECORD_TYPE", "Values": ["Usage"]}},
                    ]
                },
                "1010.50",
            ),
            ({"Dimensions": {"Key": "REGION", "Values": ["eu-west-1"]}}, "0"),
        ],
    )
    def test_filters(self, filter_: dict[str, Any], usd: str) -> None:
        assert total(costs(-1, 0, Filter=filter_)) == Decimal(usd)

    @pytest.mark.parametrize(
        "more",
        [
            {"Granularity": "HOURLY"},
            {"Metrics": ["Money"]},
            {"GroupBy": [{"Type": "DIMENSION", "Key": k} for k in ("SERVICE", "REGION", "AZ")]},
            {"TimePeriod": {"Start": day(0), "End": day(0)}},
            {"TimePeriod": {"Start": day(-600), "End": day(0)}},
            {
                "Filter": {
                    "Dimensions": {"Key": "SERVICE", "Values": ["x"]},
                    "Tags": {"Key": "a", "Values": ["b"]},
                }
            },
        ],
    )
    def test_what_is_refused(self, more: dict[str, Any]) -> None:
        assert refusal(lambda **_: costs(-1, 0, **more))[0] == "ValidationException"

    def test_forecast_covers_future_costs(self) -> None:
        forecast = client("ce").get_cost_forecast(
            TimePeriod={"Start": day(0), "End": day(7)},
            Metric="UNBLENDED_COST",
            Granularity="DAILY",
        )
        assert Decimal(forecast["Total"]["Amount"]) == 7 * 1000 + 5 * Decimal("10.50")
        assert len(forecast["ForecastResultsByTime"]) == 7
        past = refusal(
            client("ce").get_cost_forecast,
            TimePeriod={"Start": day(-1), "End": day(7)},
            Metric="UNBLENDED_COST",
            Granularity="DAILY",
        )
        assert past[0] == "ValidationException"

    def test_dimensions_and_tags_are_listed(self) -> None:
        period = {"Start": day(-5), "End": day(0)}
        ce = client("ce")
        found = ce.get_dimension_values(TimePeriod=period, Dimension="SERVICE", SearchString="fsx")
        assert [dimension_value["Value"] for dimension_value in found["DimensionValues"]] == [
            "Amazon FSx"
        ]
        assert ce.get_tags(TimePeriod=period)["Tags"] == ["team"]
        assert ce.get_tags(TimePeriod=period, TagKey="team")["Tags"] == ["", "ml"]


def test_accounts_see_their_own_costs() -> None:
    import boto3

    entries = [{**COSTS[0], "account": "111122223333"}, COSTS[1]]
    with local_aws(costs=entries):
        by = [{"Type": "DIMENSION", "Key": "LINKED_ACCOUNT"}]
        (result,) = costs(-1, 0, GroupBy=by)["ResultsByTime"]
        assert [group["Keys"] for group in result["Groups"]] == [
            ["111122223333"],
            ["123456789012"],
        ]
        own = boto3.Session(
            aws_access_key_id="111122223333", aws_secret_access_key="x", region_name="us-east-1"
        ).client("ce")
        found = own.get_cost_and_usage(
            TimePeriod={"Start": day(-1), "End": day(0)},
            Granularity="DAILY",
            Metrics=["UnblendedCost"],
        )
        assert total(found) == 1000 + Decimal(
            "10.50"
        )  # its own costs, and costs without an account
