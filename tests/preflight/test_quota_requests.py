"""`check --request-quotas`.

requests, their dates, filing once, and requests that cannot be filed.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.quotas import IncreaseRequest
from clusterwright.json_output.schemas import schemas
from clusterwright.preflight import quota_requests
from clusterwright.preflight.quota_requests import stages
from clusterwright_localaws import local_aws
from tests.preflight.accounts import client
from tests.support import specs
from tests.support.command_line import Answer, clusterwright

ONLY = ("--only", "CW-Q001,CW-Q003,CW-Q005")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with local_aws("new-account"):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        yield


def asked(folder: Path, *options: str, **changes: Any) -> Answer:
    path = specs.write(folder / "spec.yaml", specs.changed({"compute.1.count": 20, **changes}))
    return clusterwright("check", path, *ONLY, "--request-quotas", *options, folder=folder)


def data(folder: Path, *options: str, **changes: Any) -> dict[str, Any]:
    answer = asked(folder, *options, "--format", "json", **changes)
    found: dict[str, Any] = json.loads(answer.out)
    jsonschema.validate(found, schemas()["check-output.schema.json"])
    assert found["exit_code"] == answer.exit_code == 1
    requests: dict[str, Any] = found["quota_requests"]
    return requests


def open_requests() -> list[dict[str, Any]]:
    answer = client("service-quotas").list_requested_service_quota_change_history()
    found: list[dict[str, Any]] = answer["RequestedQuotas"]
    return found


@pytest.mark.usefixtures("account")
def test_requests_are_only_shown_without_a_terminal(tmp_path: Path) -> None:
    answer = asked(tmp_path)
    assert "not filed, because stdin is not a terminal" in answer.err
    text = (tmp_path / "quota-request-test.md").read_text()
    assert text in answer.out
    assert "- requested: **20**; applied: 0" in text
    assert "staged ramp: 5 (bring-up and acceptance tests), then 10 (scaling tests)" in text
    assert "Latest date to file: unknown, because the spec does not set the start" in text
    assert "account team" not in text
    assert open_requests() == []


@pytest.mark.usefixtures("account")
def test_yes_files_each_request_once(tmp_path: Path) -> None:
    first = data(tmp_path, "--yes")
    assert {r["state"] for r in first["requests"]} == {"filed"}
    filed = {r["QuotaCode"]: (r["Id"], r["DesiredValue"]) for r in open_requests()}
    assert filed == {r["quota_code"]: (r["request_id"], r["desired"]) for r in first["requests"]}
    again = data(tmp_path, "--yes")
    assert {r["state"] for r in again["requests"]} == {"open"}
    assert {r["request_id"] for r in again["requests"]} == {i for i, _ in filed.values()}
    assert len(open_requests()) == len(filed)
    more = data(tmp_path, "--yes", **{"compute.1.count": 40})
    short = next(r for r in more["requests"] if r["quota_code"] == "L-8762A75F")
    assert (short["state"], short["open_for"], short["desired"]) == ("open", 20, 40)
    assert "less than is needed" in short["message"]
    assert len(open_requests()) == len(filed)


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize(("answer", "count"), [("y\n", 3), ("n\n", 0), ("\n", 0)])
def test_terminal_asks_for_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, count: int
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    monkeypatch.setattr("clusterwright.cli.check_quota_requests._at_a_terminal", lambda: True)
    asked(tmp_path)
    assert len(open_requests()) == count


@pytest.mark.usefixtures("account")
def test_dates_are_counted_back_from_the_run(tmp_path: Path) -> None:
    run = {"run": {"hours": 24, "start": "2999-03-31"}}
    known = data(tmp_path, "--lead-days", "30", **run)
    assert (known["file_by"], known["file_by_unknown"]) == ("2999-03-01", None)
    unknown = data(tmp_path, **run)
    assert unknown["file_by"] is None
    assert "AWS's lead time is unknown" in unknown["file_by_unknown"]
    late = asked(tmp_path, "--lead-days", "30", run={"hours": 24, "start": "2020-03-31"})
    assert "That day has passed." in late.out


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize(("workers", "team"), [(510, False), (511, True)])
def test_account_team_is_recommended_from_512_nodes(
    tmp_path: Path, workers: int, team: bool
) -> None:
    found = data(tmp_path, **{"compute.1.count": workers, "network.cidr": "10.0.0.0/16"})
    assert (found["nodes"], found["account_team"]) == (workers + 1, team)


@pytest.mark.usefixtures("account")
def test_nothing_is_filed_without_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: Any) -> Any:
        raise AwsUnavailable(
            service="service-quotas",
            operation="ListRequestedServiceQuotaChangeHistoryByQuota",
            region="us-east-1",
            reason="denied",
            detail="no",
        )

    monkeypatch.setattr(quota_requests.quotas, "increase_requests", denied)
    found = data(tmp_path, "--yes")
    assert {r["state"] for r in found["requests"]} == {"refused"}
    action = "servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota"
    assert all(action in r["message"] for r in found["requests"])
    assert open_requests() == []


def test_request_with_an_unknown_status_counts_as_open() -> None:
    states = {"PENDING": False, "CASE_OPENED": False, "NEW": False, "APPROVED": True}
    for status, decided in states.items():
        assert IncreaseRequest("1", status, 8, None).decided is decided


@pytest.mark.parametrize(
    ("limit", "desired", "values"),
    [
        (0, 64, [16, 32, 64]),
        (20, 66, [33, 66]),
        (60, 64, [64]),
        (0, 7, [7]),
        (0, 9, [3, 5, 9]),
        (8, 4096, [1024, 2048, 4096]),
    ],
)
def test_staged_increase_starts_above_the_current_quota(
    limit: float, desired: float, values: list[float]
) -> None:
    assert [stage.value for stage in stages(limit, desired)] == values
