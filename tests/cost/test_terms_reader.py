"""Errors of agreements in prices.yaml."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.user_prices import parse
from tests.support import specs


def purchase(**changes: Any) -> str:
    entry = {
        "id": specs.PLAN, "instances": 16, "hours": 720, "upfront_usd": 518400,
        "start": "2026-12-01", "end": "2026-12-31", "source": "invoice 7", "date": "2026-11-01",
        **changes,
    }  # fmt: skip
    fields = ", ".join(f'{key}: "{value}"' if isinstance(value, str) else f"{key}: {value}"
                       for key, value in entry.items() if value is not None)  # fmt: skip
    return f"purchases:\n  - {{{fields}}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discounts: {}\n", "`discounts` must be a list of entries"),
        ("discounts: [1]\n", "must be a mapping"),
        ("discounts: [{service: s3, percent: 0, source: s, date: 2026-01-01}]\n", "above 0"),
        ("discounts: [{service: s3, percent: 101, source: s, date: 2026-01-01}]\n", "up to 100"),
        ("discounts: [{service: s3, percent: .nan, source: s, date: 2026-01-01}]\n", ""),
        ("discounts: [{service: s3, percent: 5, source: s, date: soon}]\n", "expected a date"),
        ("discounts: [{service: s3, percent: 5, source: s}]\n", "date is missing"),
        (
            "discounts: [{service: s3, percent: 5, source: s, date: 2026-01-01, per: 1}]\n",
            "unknown key `per`",
        ),
        (
            "discounts:\n"
            "  - {service: s3, percent: 5, source: s, date: 2026-01-01}\n"
            "  - {service: s3, percent: 6, source: s, date: 2026-01-01}\n",
            "duplicate entry for s3",
        ),
        (purchase(instances=0), "expected a number of instances"),
        (purchase(instances=1.5), "expected a number of instances"),
        (purchase(upfront_usd=-1), "an amount from 0"),
        (purchase(upfront_usd=1e13), "an amount from 0"),
        (purchase(hours=0), "expected the number of hours"),
        (purchase(id="plan"), "the ARN of a training plan"),
        (purchase(end="2026-11-30"), "the end is before the start"),
        (purchase(end="2026-12-02"), "720 h exceed the time from"),
        (
            "savings_plans: [{instance_type: p5.48xlarge, covers: spot, region: us-east-1, usd: 1,"
            " source: s, date: 2026-01-01}]\n",
            "expected one of ec2-on-demand, hyperpod-on-demand",
        ),
        ("usage: {logs/ingestion: {per_node_day: 1}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: {per_node_hour: -1}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: {}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: 1.0e+300}\n", "a quantity of GB per month"),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1, unit: key-month,"
            " source: s, date: 2026-13-45}]\n",
            "is not a valid date",
        ),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1, unit: key-month,"
            " source: s, date: '0000-01-01'}]\n",
            "is not a valid date",
        ),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1.0e+12, unit: key-month,"
            " source: s, date: 2026-01-01}]\n",
            "must be at most 1,000,000,000 USD",
        ),
    ],
)
def test_invalid_agreement_is_an_error_with_its_position(text: str, message: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        parse(parse_document(text, "prices.yaml"))
    assert any(message in problem.message for problem in caught.value.problems), caught.value
    assert all(problem.position for problem in caught.value.problems)
