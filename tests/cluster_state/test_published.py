"""The published state: what is read, and every way in which it is unknown."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from clusterwright.aws.session import AwsSession
from clusterwright.cluster_state.not_read import NotRead, known
from clusterwright.cluster_state.published import (
    KEY,
    MAXIMUM_BYTES,
    SchedulerView,
    json_schema,
    parsed,
    publishing_node,
    scheduler_view,
)
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL, PCS_MINIMAL
from tests.support.specs import write

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
FILE: dict[str, Any] = {
    "schema_version": 1,
    "environment": "prod",
    "written_at": "2026-11-23T07:58:00Z",
    "controller": "ip-10-0-1-5",
    "daemons": {"slurmctld": "up", "slurmdbd": None},
    "nodes": [
        {
            "name": "workers-1",
            "group": "workers",
            "instance_id": "i-0abc",
            "states": ["IDLE", "DRAIN"],
            "reason": "clusterwright: xid",
            "reason_at": "2026-11-23T07:50:00Z",
            "of_a_newer_version": 1,
        }
    ],
    "jobs": {"RUNNING": 3},
    "acceptance": {"workers-1": {"state": "rejected", "reason": "xid: 79", "action": "replace"}},
}
PARAMETERS = {"Bucket": "scripts", "Key": KEY}


def view(**changes: Any) -> SchedulerView:
    return parsed(json.dumps({**FILE, **changes}), environment="prod", now=NOW)


def reason(found: SchedulerView) -> str:
    assert found.current is None
    assert found.unknown is not None
    return found.unknown.reason


def test_current_state() -> None:
    state = view().current
    assert state is not None
    assert state.nodes is not None
    assert state.nodes[0].states == ("IDLE", "DRAIN")
    assert state.acceptance is not None
    assert state.acceptance["workers-1"].action == "replace"


def test_what_the_controller_could_not_read_is_unknown() -> None:
    state = view(nodes=None, jobs=None).current
    assert state is not None
    assert (state.nodes, state.jobs, state.running, state.configuration) == (None,) * 4


def test_old_state_is_kept_and_is_not_current() -> None:
    found = view(written_at="2026-11-23T07:44:59Z")
    assert found.state is not None
    assert reason(found) == (
        "the controller published its state last at 2026-11-23 07:44:59 UTC, 15 minutes ago"
    )


def test_a_clock_that_is_ahead() -> None:
    found = view(written_at="2026-11-23T09:00:00Z")
    assert reason(found) == (
        "the clock of the controller is 60 minutes ahead: it wrote at 2026-11-23 09:00:00 UTC"
    )


def test_a_time_without_zone_is_utc() -> None:
    assert view(written_at="2026-11-23T07:58:00").current is not None


def test_the_state_of_another_environment() -> None:
    assert reason(view(environment="dev")) == (
        "state/scheduler.json is of the environment dev, not of prod"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not valid for this version of Clusterwright: Invalid JSON"),
        ("[]", "is not valid for this version of Clusterwright"),
        (json.dumps({**FILE, "schema_version": 2}), "schema_version: Input should be 1"),
        (json.dumps({**FILE, "nodes": [{}]}), "nodes.0.name: Field required"),
    ],
)
def test_an_invalid_file(text: str, words: str) -> None:
    assert words in reason(parsed(text, environment="prod", now=NOW))


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> AwsSession:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return AwsSession("us-east-1")


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("s3")) as stub:
        yield stub


def read(session: AwsSession) -> SchedulerView:
    return scheduler_view(session, "scripts", environment="prod", now=NOW)


def body(text: bytes) -> dict[str, Any]:
    return {"Body": StreamingBody(io.BytesIO(text), len(text)), "ContentLength": len(text)}


def test_read_from_the_bucket(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("get_object", body(json.dumps(FILE).encode()), PARAMETERS)
    assert read(session).current is not None


def test_nothing_was_published(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("get_object", "NoSuchKey", expected_params=PARAMETERS)
    assert reason(read(session)) == (
        "the controller has not published its state: s3://scripts/state/scheduler.json does not "
        "exist"
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [(MINIMAL, "the controller"), (PCS_MINIMAL, "the node of login")],
    ids=["hyperpod-slurm", "pcs"],
)
def test_the_node_that_publishes_is_named(
    session: AwsSession, stub: Stubber, spec: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    publisher = publishing_node(load_cluster(write(tmp_path / "s.yaml", spec)).cluster)
    assert publisher == expected
    stub.add_client_error("get_object", "NoSuchKey", expected_params=PARAMETERS)
    found = scheduler_view(session, "scripts", environment="prod", now=NOW, publisher=publisher)
    assert reason(found).startswith(f"{expected} has not published its state")


def test_denied(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("get_object", "AccessDenied", http_status_code=403)
    found = read(session)
    assert reason(found) == (
        "s3 GetObject in us-east-1 was denied: this identity lacks s3:GetObject"
    )
    assert found.unknown is not None
    assert found.unknown.iam_action == "s3:GetObject"


def test_too_large_and_not_utf_8(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("get_object", {**body(b"{}"), "ContentLength": MAXIMUM_BYTES + 1})
    assert "more than 33,554,432" in reason(read(session))
    stub.add_response("get_object", body(b"\xff"))
    assert "is not UTF-8" in reason(read(session))


def test_schema_describes_every_field() -> None:
    schema = json_schema()
    for part in (schema, *schema["$defs"].values()):
        for name, field in part["properties"].items():
            assert field.get("description"), name


def test_known() -> None:
    assert known(NotRead("x", "y")) is None
    assert known(None) is None
    assert known(3) == 3
