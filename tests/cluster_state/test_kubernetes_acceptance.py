"""Acceptance runs through kubectl."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest

from clusterwright.cluster_state import kubernetes_acceptance, kubernetes_context
from clusterwright.cluster_state.acceptance import RunReport
from clusterwright.cluster_state.kubernetes_acceptance import KubernetesRuns, kubernetes_runs
from clusterwright.cluster_state.kubernetes_view import KubectlFailed
from clusterwright.cluster_state.not_read import NotRead

RUN = "20261123T080000Z-1a2b"
REPORT = {
    "schema_version": 1,
    "run": RUN,
    "level": "quick",
    "status": "ended",
    "started_at": "2026-11-23T08:00:00Z",
    "ended_at": "2026-11-23T08:01:00Z",
    "nodes": [{"name": "a", "verdict": "accepted"}],
}
CONTROLLER = {
    "spec": {
        "jobTemplate": {
            "spec": {
                "backoffLimit": 0,
                "template": {
                    "spec": {
                        "containers": [
                            {"name": "controller", "args": ["--level=quick", "--hold", "--held"]}
                        ]
                    }
                },
            }
        }
    }
}


class Kubectl:
    """Answers by kind; an exception is raised."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.created: list[dict[str, Any]] = []
        self.called: list[list[str]] = []

    def __call__(self, arguments: Sequence[str], given: str = "") -> str:
        words = list(arguments)
        self.called.append(words)
        kind = "create" if "create" in words else next((k for k in self.answers if k in words), "")
        if kind == "create" and given:
            self.created.append(json.loads(given))
        answer = self.answers.get(kind, "")
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)


def runs(kubectl: Kubectl) -> KubernetesRuns:
    return KubernetesRuns("train", "prod.yaml", kubectl)


def packed(content: Any) -> dict[str, Any]:
    text = json.dumps(content).encode()
    return {"binaryData": {"report.json.gz": base64.b64encode(gzip.compress(text)).decode()}}


def test_a_run_is_a_job_of_the_controller() -> None:
    kubectl = Kubectl(cronjob=CONTROLLER)
    assert runs(kubectl).start(RUN, "standard", ["a", "b"]) is None
    (job,) = kubectl.created
    assert job["metadata"] == {
        "name": "run-20261123t080000z-1a2b",
        "namespace": "clusterwright-acceptance",
    }
    assert job["spec"]["template"]["spec"]["containers"][0]["args"] == [
        "--namespace=clusterwright-acceptance",
        "--level=standard",
        "--hold",
        f"--run={RUN}",
        "--node=a",
        "--node=b",
    ]
    assert kubectl.called[0][:5] == [
        "--context",
        "train",
        "--namespace",
        "clusterwright-acceptance",
        "get",
    ]


@pytest.mark.parametrize(
    ("kubectl", "reason", "hint"),
    [
        (Kubectl(), "has no CronJob acceptance", "render kubernetes prod.yaml --part acceptance"),
        (Kubectl(cronjob={}), "unknown form", None),
        (Kubectl(cronjob="x"), "unknown form", None),
        (Kubectl(cronjob=KubectlFailed("forbidden")), "forbidden", "rights to create Jobs"),
        (
            Kubectl(cronjob=CONTROLLER, create=KubectlFailed("cannot create jobs")),
            "cannot create jobs",
            "rights to create Jobs",
        ),
    ],
)
def test_why_a_run_is_not_started(kubectl: Kubectl, reason: str, hint: str | None) -> None:
    found = runs(kubectl).start(RUN, "quick", [])
    assert isinstance(found, NotRead)
    assert reason in found.reason
    assert (hint or "") in (found.hint or "")


def test_the_report_of_a_run() -> None:
    found = runs(Kubectl(configmap=packed(REPORT))).report(RUN)
    assert isinstance(found, RunReport)
    assert [(one.name, one.verdict) for one in found.nodes] == [("a", "accepted")]
    assert runs(Kubectl(job={"status": {"active": 1}})).report(RUN) is None
    assert runs(Kubectl()).report(RUN) is None


@pytest.mark.parametrize(
    ("kubectl", "reason"),
    [
        (Kubectl(configmap=packed({**REPORT, "level": "x"})), "its report is not valid: level"),
        (Kubectl(configmap={"binaryData": {"report.json.gz": "AAAA"}}), "cannot be read"),
        (Kubectl(configmap={}), "cannot be read"),
        (Kubectl(configmap="x"), "cannot be read"),
        (
            Kubectl(
                job={
                    "status": {
                        "conditions": [
                            {"type": "Failed", "status": "True", "message": "BackoffLimitExceeded"}
                        ]
                    }
                }
            ),
            "it ended without a report: BackoffLimitExceeded",
        ),
    ],
)
def test_why_a_report_is_not_there(kubectl: Kubectl, reason: str) -> None:
    found = runs(kubectl).report(RUN)
    assert isinstance(found, NotRead)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("kubectl", "reason"),
    [
        (Kubectl(job="x"), "did not print JSON"),
        (Kubectl(configmap=KubectlFailed("no route")), "no route"),
    ],
)
def test_what_may_be_read_later_is_an_error(kubectl: Kubectl, reason: str) -> None:
    with pytest.raises(KubectlFailed, match=reason):
        runs(kubectl).report(RUN)


def test_the_report_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubernetes_acceptance, "MAXIMUM_BYTES", 10)
    found = runs(Kubectl(configmap=packed(REPORT))).report(RUN)
    assert isinstance(found, NotRead)
    assert found.reason == "its report is too large"


class Endpoint:
    endpoint = "https://ours"


CONFIG = {
    "clusters": [{"name": "ours", "cluster": {"server": "https://ours"}}],
    "contexts": [{"name": "train", "context": {"cluster": "ours"}}],
}


class Spec:
    environment, region = "train", "us-east-1"


@pytest.mark.parametrize(
    ("endpoint", "config", "found"),
    [
        (Endpoint, CONFIG, "train"),
        (None, CONFIG, "there is no EKS cluster train"),
        (Endpoint, {}, "no context of the kubeconfig has the server https://ours"),
        (Endpoint, KubectlFailed("kubectl is not installed"), "kubectl is not installed"),
    ],
)
def test_the_context_is_that_of_the_cluster(
    monkeypatch: pytest.MonkeyPatch, endpoint: Any, config: Any, found: str
) -> None:
    monkeypatch.setattr(kubernetes_context, "cluster_name", lambda _: "train")
    monkeypatch.setattr(kubernetes_context.eks, "kubernetes_cluster", lambda *_: endpoint)
    session, spec = object(), Spec()
    answer = kubernetes_runs(session, spec, "f", Kubectl(config=config))  # type: ignore[arg-type]
    value = answer.context if isinstance(answer, KubernetesRuns) else answer.reason
    assert value == found
