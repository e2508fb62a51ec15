"""`clusterwright report cost` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright

SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"
TABLE = """\
JobID|JobName|User|Account|Partition|State|NNodes|NodeList|Submit|Start|End|Comment
7|llama3|ada|llm|training|COMPLETED|2|w-[1-2]|2026-11-02T00:00:00|2026-11-02T01:00:00|\
2026-11-02T13:00:00|run=llama-a
7.0|llama3|ada|llm|training|COMPLETED|2|w-[1-2]|2026-11-02T00:00:00|2026-11-02T01:00:00|\
2026-11-02T13:00:00|
8|eval|bob|llm|training|RUNNING|1|w-1|2026-11-02T14:00:00|2026-11-02T14:00:00|Unknown|
"""


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.txt"
    path.write_text(TABLE)
    return path


def test_node_hours_and_cost(jobs: Path) -> None:
    period = ("--since", "2026-11-02", "--until", "2026-11-02T18:00")
    found = clusterwright("report", "cost", SPEC, "--sacct", jobs, *period, "--format", "json")
    assert (found.exit_code, found.err) == (0, "")
    data = json.loads(found.out)
    jsonschema.validate(data, schemas()["report-cost-output.schema.json"])
    assert data["total"]["node_hours"] == 36
    assert [(user["name"], user["node_hours"]) for user in data["users"]] == [
        ("ada", 24),
        ("bob", 4),
    ]
    assert data["total"]["idle_node_hours"] == 8
    rate = data["forecast_usd_per_day"] / 48
    assert data["total"]["idle_usd"] == pytest.approx(8 * rate)
    text = clusterwright("report", "cost", SPEC, "--sacct", jobs, *period).out
    assert "llama-a" in text
    assert "2026-11-02" in text


def test_prices_of_the_user(jobs: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "rates:\n"
        "  - {instance_type: p5.48xlarge, kind: hyperpod-on-demand, region: us-east-1, usd: 10,"
        " unit: instance-hour, source: contract, date: 2026-11-01}\n"
    )
    options = ("--prices", prices, "--format", "json")
    found = clusterwright("report", "cost", SPEC, "--sacct", jobs, *options)
    assert found.exit_code == 0, found.out
    assert json.loads(found.out)["forecast_usd_per_day"] == 480


def test_empty_period_is_wrong_use(jobs: Path) -> None:
    found = clusterwright(
        "report", "cost", SPEC, "--sacct", jobs, "--since", "2026-12-01", "--until", "2026-11-01"
    )
    assert found.exit_code == 3
    assert "the period has no time" in found.err
    assert "--since" in found.err


def test_file_of_another_program_is_wrong_use(tmp_path: Path) -> None:
    path = tmp_path / "jobs.txt"
    path.write_text("hello\n")
    found = clusterwright("report", "cost", SPEC, "--sacct", path)
    assert found.exit_code == 3
    assert "sacct --json" in found.err
