"""A user's prices: positions and errors."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.pricing import price_files

GOOD = """\
rates:
  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1, usd: 41.5,
     unit: instance-hour, source: plan run-1, date: 2026-11-01}
usage:
  s3/PUT/COPY/POST/LIST: 12.5
"""


def test_rates_and_usage_are_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(GOOD)
    found = price_files.read(path)
    assert found.rates[0]["usd"] == 41.5
    assert found.usage == {"s3/PUT/COPY/POST/LIST": Decimal("12.5")}
    assert found.file == str(path)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("rate: []\n", "unknown key `rate`", 1),
        ("rates: {}\n", "must be a list of rates", 1),
        (GOOD.replace("usd: 41.5", "usd: -1"), "must be an amount of 0 or more", 2),
        (GOOD.replace("kind: training-plan", "kind: plan"), "must be one of", 2),
        (GOOD.replace(" date: 2026-11-01", ""), "", 3),
        ("usage: [1]\n", "usage must be a mapping", 1),
        ("usage: {s3/PUTS: 1}\n", "unknown item `s3/PUTS`", 1),
        ("usage: {kms/requests: -1}\n", "0 or more, or", 1),
        ("usage: {kms/requests: many}\n", "a quantity of 10000 requests per month", 1),
        ("usage: {kms/requests: true}\n", "a quantity of 10000 requests per month", 1),
    ],
)
def test_an_error_has_its_position(tmp_path: Path, text: str, message: str, line: int) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(SpecErrors) as caught:
        price_files.read(path)
    (problem, *_) = caught.value.problems
    assert message in problem.message
    assert problem.position is not None
    assert problem.position.file == str(path)
    assert problem.position.line in (line, line - 1)


def test_all_errors_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("rates: [1, 2]\nusage: {a: 1, b: 2}\nmore: 1\n")
    with pytest.raises(SpecErrors) as caught:
        price_files.read(path)
    assert len(caught.value.problems) == 5
