"""An acceptance run on Kubernetes, with a program in kubectl's place."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright.cli import accept_follow
from clusterwright.cli.accept_follow import AcceptWork
from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns
from clusterwright.cluster_state.kubernetes_view import KubectlFailed
from clusterwright.operate.acceptance_results import AcceptReport, GroupPlan

RUN = "20261123T080000Z-1a2b"
REPORT = {
    "schema_version": 1,
    "run": RUN,
    "level": "quick",
    "status": "ended",
    "started_at": "2026-11-23T08:00:00Z",
    "nodes": [{"name": "a", "verdict": "accepted"}],
}
CONTROLLER = {"containers": [{"name": "controller", "args": []}]}
CRON_JOB = {"spec": {"jobTemplate": {"spec": {"template": {"spec": CONTROLLER}}}}}
LOST = KubectlFailed("kubectl failed: connection refused")
PLAN = GroupPlan("workers", "p5.48xlarge", 2, 90, Decimal("3.10"))


class Kubectl:
    """Gives its answers to questions for the report one after the other, the last for ever."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.created = 0

    def __call__(self, arguments: Sequence[str], given: str = "") -> str:
        if "create" in arguments:
            self.created += 1
            return ""
        if "cronjob" in arguments:
            return json.dumps(CRON_JOB)
        if "job" in arguments:
            return "{}"
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        packed = base64.b64encode(gzip.compress(json.dumps(answer).encode())).decode()
        return json.dumps({"binaryData": {"report.json.gz": packed}}) if answer else ""


def work(kubectl: Kubectl) -> AcceptWork:
    read: Any = SimpleNamespace(state=SimpleNamespace(deep_health=None))
    report = AcceptReport("f", "e", "a", "r", "quick", "planned", None, (PLAN,))
    return AcceptWork(read, KubernetesRuns("train", "f", kubectl), report)


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept_follow, "_POLL_SECONDS", 0.01)


def test_what_it_does_and_costs_is_printed_first(capsys: pytest.CaptureFixture[str]) -> None:
    kubectl = Kubectl(REPORT)
    run = work(kubectl).start(())
    assert isinstance(run, str)
    assert kubectl.created == 1
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.splitlines() == [
        "Tests 2 nodes at level quick with pods; running jobs are not interrupted.",
        "Planned: 3.0 node-minutes, 3.10 USD.",
        f"run {run}: started as a Job",
    ]


def test_an_error_of_kubectl_does_not_end_the_wait(capsys: pytest.CaptureFixture[str]) -> None:
    found = work(Kubectl(LOST, LOST, {}, REPORT)).follow(RUN, 30.0)
    assert (found.status, found.exit_code, found.unknown) == ("ended", 0, ())
    assert capsys.readouterr().err == (
        f"the run {RUN}: kubectl failed: connection refused; it is tried again\n"
    )


def test_a_run_that_was_never_read_is_unknown() -> None:
    found = work(Kubectl(LOST)).follow(RUN, 0.05)
    (part,) = found.unknown
    assert (found.status, found.exit_code, part.reason) == ("unknown", 2, str(LOST))
    assert part.hint == f"clusterwright accept f --run {RUN}"


def test_a_run_that_is_not_read_any_more_has_not_ended() -> None:
    found = work(Kubectl({**REPORT, "status": "running"}, LOST)).follow(RUN, 0.05)
    (part,) = found.unknown
    assert (found.status, found.exit_code) == ("running", 2)
    assert part.reason.endswith(f"not read any more: {LOST}")


def test_a_malformed_report_ends_the_wait_and_is_unknown() -> None:
    found = work(Kubectl({**REPORT, "level": "x"})).follow(RUN, 600.0)
    (part,) = found.unknown
    assert (found.status, found.exit_code, part.hint) == ("unknown", 2, None)
    assert "its report is not valid: level" in part.reason
