"""The published report of an acceptance run."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from clusterwright.aws.session import AwsSession
from clusterwright.cluster_state.acceptance import RunReport, run_report
from clusterwright.cluster_state.not_read import NotRead

REPORT: dict[str, Any] = {
    "schema_version": 1,
    "run": "r",
    "level": "quick",
    "status": "ended",
    "reason": "",
    "started_at": "2026-11-23T08:00:00Z",
    "ended_at": "2026-11-23T08:01:00Z",
    "nodes": [
        {
            "name": "n1",
            "group": "workers",
            "instance_id": "i-1",
            "instance_type": "p5.48xlarge",
            "boot_id": "b",
            "verdict": "accepted",
            "reason": "",
            "action": "none",
            "checks": [{"id": "gpu-count", "verdict": "pass", "value": 8.0, "seconds": 1.0}],
        }
    ],
    "cluster_checks": [],
    "suspects": [],
    "baseline": [],
}


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> AwsSession:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return AwsSession("us-east-1")


def read(session: AwsSession, text: str | None) -> RunReport | NotRead | None:
    with Stubber(session.client("s3")) as stub:
        if text is None:
            stub.add_client_error("get_object", "NoSuchKey")
        else:
            data = text.encode()
            body = StreamingBody(io.BytesIO(data), len(data))
            stub.add_response("get_object", {"Body": body, "ContentLength": len(data)})
        return run_report(session, "scripts", "r")


def test_a_report_is_read(session: AwsSession) -> None:
    found = read(session, json.dumps(REPORT))
    assert isinstance(found, RunReport)
    assert (found.status, found.nodes[0].checks[0].value) == ("ended", 8.0)


def test_a_missing_report_is_none(session: AwsSession) -> None:
    assert read(session, None) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "state/acceptance/runs/r.json is not valid: schema_version: Field required"),
        (
            json.dumps({**REPORT, "status": "perhaps"}),
            "state/acceptance/runs/r.json is not valid: status: "
            "Input should be 'running', 'ended' or 'failed'",
        ),
    ],
)
def test_an_invalid_report_is_unknown(session: AwsSession, text: str, reason: str) -> None:
    found = read(session, text)
    assert isinstance(found, NotRead)
    assert found.reason == reason
