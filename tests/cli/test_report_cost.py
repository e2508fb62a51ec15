"""`clusterwright report cost` as a user runs it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import boto3
import jsonschema
import pytest

from clusterwright.aws.session import AwsSession
from clusterwright.cli import report_cost
from clusterwright.cluster_spec import load_spec
from clusterwright.json_output.schemas import schemas
from clusterwright.pricing import actual_costs
from clusterwright_localaws import local_aws
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


ACCOUNT = load_spec(SPEC).cluster.account
TAGGED = {"tags": {"clusterwright:environment": "p5-2"}}
COSTS: list[dict[str, Any]] = [
    {"service": "Amazon SageMaker", "usd_per_day": 3000, "start": "-9d", "end": "+1d", **TAGGED},
    {"service": "Amazon FSx", "usd_per_day": 12, "start": "-9d", "end": "+1d", **TAGGED},
    {"service": "Amazon FSx", "usd_per_day": 7, "start": "-9d", "end": "+1d"},
]


NOW = dt.datetime.now(dt.UTC)


class Stopped(dt.datetime):
    """The time of these tests, which does not pass midnight."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        found = NOW.astimezone(tz)
        return cls.combine(found.date(), found.timetz())


def ago(days: int) -> dt.date:
    return NOW.date() - dt.timedelta(days=days)


@pytest.fixture
def of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """The command for a job of the last days, in the account of the file."""
    monkeypatch.setattr(report_cost, "dt", SimpleNamespace(**vars(dt) | {"datetime": Stopped}))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    path = tmp_path / "jobs.txt"
    times = f"{ago(6)}T00:00:00|{ago(6)}T00:00:00|{ago(4)}T00:00:00"
    job = f"7|llama3|ada|llm|training|COMPLETED|2|w-[1-2]|{times}|"
    path.write_text(f"{TABLE.splitlines()[0]}\n{job}\n")
    return ("report", "cost", SPEC, "--sacct", path, "--since", str(ago(6)))


def test_cost_explorer_stands_beside_each_day(of_now: tuple[Any, ...]) -> None:
    with local_aws(costs=COSTS):
        found = clusterwright(*of_now, "--until", str(ago(3)), "--actual", "--format", "json")
        text = clusterwright(*of_now, "--until", str(ago(3)), "--actual").out
    assert (found.exit_code, found.err) == (0, "")
    data = json.loads(found.out)
    jsonschema.validate(data, schemas()["report-cost-output.schema.json"])
    actual, ours = data["actual"], data["days"][0]["usd"]
    assert actual["tag"] == {
        "key": "clusterwright:environment", "value": "p5-2", "status": "Active",
    }  # fmt: skip
    assert [day["date"] for day in actual["days"]] == [str(ago(n)) for n in (6, 5, 4)]
    for day in actual["days"]:
        assert (day["instances_usd"], day["cluster_usd"]) == (3000, 3012)
        assert day["difference_usd"] == pytest.approx(3000 - ours)
    assert (actual["total"]["days"], actual["total"]["instances_usd"]) == (3, 9000)
    assert actual["total"]["usd"] == pytest.approx(data["total"]["usd"])
    assert actual["untagged_usd"] == 21
    notes = " ".join(actual["notes"])
    assert "no runs, users and accounts of Slurm" in notes
    assert "controller and login nodes, and the volumes of all nodes" in notes
    assert "Cost Explorer, USD with clusterwright:environment=p5-2" in text
    assert f"  {ago(6)}  " in text.split("Cost Explorer, USD")[1]
    assert all(len(line) <= 100 for line in text.splitlines())


def test_days_that_cost_explorer_has_not_completed_are_named(of_now: tuple[Any, ...]) -> None:
    until = f"{ago(0)}T00:30"
    with local_aws(costs=COSTS):
        found = clusterwright(*of_now, "--until", until, "--actual", "--format", "json")
    days = json.loads(found.out)["actual"]["days"]
    notes = [day["note"] for day in days[-3:]]
    assert notes == ["may still change", "may still change", "not in Cost Explorer yet"]
    assert days[-1]["instances_usd"] is None
    assert days[0]["difference_usd"] is not None


def test_an_inactive_tag_is_named(of_now: tuple[Any, ...]) -> None:
    with local_aws(costs=COSTS[2:]):
        found = clusterwright(*of_now, "--until", str(ago(3)), "--actual", "--format", "json")
    actual = json.loads(found.out)["actual"]
    assert (actual["total"]["days"], actual["total"]["difference_usd"]) == (0, None)
    assert {day["note"] for day in actual["days"]} == {"no cost has the tag"}
    assert "unknown to Cost Explorer as a cost allocation tag" in " ".join(actual["notes"])


def test_a_period_of_today_asks_nothing(of_now: tuple[Any, ...]) -> None:
    words = [*of_now[:-1], str(ago(0)), "--until", f"{ago(-1)}T12:00"]
    with local_aws(costs=COSTS):
        found = clusterwright(*words, "--actual", "--format", "json")
    data = json.loads(found.out)
    assert (found.exit_code, data["actual"]) == (2, None)
    assert "is not over" in next(
        one["reason"] for one in data["unknown"] if one["what"] == "Cost Explorer"
    )


def test_a_period_of_the_future_asks_nothing(of_now: tuple[Any, ...]) -> None:
    words = [*of_now[:-1], "9999-12-30", "--until", "9999-12-31T23:59:59"]
    found = clusterwright(*words, "--actual", "--format", "json")
    data = json.loads(found.out)
    assert (found.exit_code, data["actual"]) == (2, None)
    (unknown,) = (one for one in data["unknown"] if one["what"] == "Cost Explorer")
    assert unknown["reason"] == f"the period begins after today, {ago(0)} in UTC"


@pytest.mark.parametrize(
    ("operation", "kept"), [("GetCostAndUsage", False), ("ListCostAllocationTags", True)]
)
def test_a_refused_call_is_unknown(of_now: tuple[Any, ...], operation: str, kept: bool) -> None:
    faults = [{"service": "ce", "operation": operation, "error": "AccessDeniedException"}]
    with local_aws(costs=COSTS, faults=faults):
        found = clusterwright(*of_now, "--until", str(ago(3)), "--actual", "--format", "json")
    data = json.loads(found.out)
    assert (found.exit_code, data["actual"] is not None) == (2, kept)
    assert f"ce:{operation}" in " ".join(one["reason"] for one in data["unknown"])


def test_without_the_flag_nothing_is_read(
    of_now: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actual_costs, "spending_between", None)
    monkeypatch.setattr(AwsSession, "__init__", None)
    found = clusterwright(*of_now, "--until", str(ago(3)), "--format", "json")
    assert (found.exit_code, json.loads(found.out)["actual"]) == (0, None)


def test_the_printed_policy_is_enough_and_each_action_is_needed(
    of_now: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = clusterwright("report", "cost", SPEC, "--iam-policy", "--format", "json")
    data = json.loads(printed.out)
    jsonschema.validate(data, schemas()["report-cost-output.schema.json"])
    (statement,) = data["policy"]["Statement"]
    assert set(statement["Action"]) == set(actual_costs.ACTIONS)
    assert json.loads(clusterwright("report", "cost", SPEC, "--iam-policy").out) == data["policy"]
    words = (*of_now, "--until", str(ago(3)), "--actual", "--format", "json")
    with local_aws(costs=COSTS, iam="enforced", account=ACCOUNT):
        iam = boto3.client("iam", "us-east-1")
        iam.create_user(UserName="reader")
        key = iam.create_access_key(UserName="reader")["AccessKey"]

        def answer(actions: list[str]) -> dict[str, Any]:
            document = {**data["policy"], "Statement": [{**statement, "Action": actions}]}
            iam.put_user_policy(
                UserName="reader", PolicyName="only", PolicyDocument=json.dumps(document)
            )
            monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
            monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])
            found: dict[str, Any] = json.loads(clusterwright(*words).out)
            return found

        assert answer(statement["Action"])["unknown"] == []
        for action in statement["Action"]:
            kept = [one for one in [*statement["Action"], "s3:ListBucket"] if one != action]
            (*_, unknown) = answer(kept)["unknown"]
            assert action in unknown["reason"]


def test_without_accounting_is_wrong_use() -> None:
    found = clusterwright("report", "cost", SPEC)
    assert found.exit_code == 3
    assert "--sacct" in found.err
