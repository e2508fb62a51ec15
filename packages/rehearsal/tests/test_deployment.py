"""The deployment of a rehearsal and its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal import artefact_mirror, deployment
from clusterwright_rehearsal.cdk import DeploymentFailed
from clusterwright_rehearsal.findings import Findings

SPEC = {"environment": "prod"}
CONFIG, ASSEMBLY = Path("prod.yaml"), Path("cdk.out")


@pytest.fixture
def cdk(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(artefact_mirror, "needed_artefacts", lambda _: None)
    found = Mock(url="http://localhost:1", account="111122223333", region="us-east-1")
    found.synthesise.return_value = ASSEMBLY
    return found


def run(cdk: Any) -> tuple[bool, Findings, list[str]]:
    findings, said = Findings(), []  # type: ignore[var-annotated]
    held = deployment.deploy(cdk, CONFIG, SPEC, findings, said.append)
    return held, findings, said


def test_a_deployment_that_succeeds_keeps_its_promise(cdk: Any) -> None:
    held, findings, said = run(cdk)
    assert held
    (promise,) = findings.promises
    assert (promise.id, promise.status, promise.reason) == ("deployment.deploys", "held", None)
    assert said == ["cdk bootstrap and synth", "cdk deploy"]
    cdk.synthesise.assert_called_once_with(CONFIG)
    cdk.deploy.assert_called_once_with(ASSEMBLY)


@pytest.mark.parametrize("method", ["bootstrap", "synthesise", "deploy"])
def test_each_failure_breaks_it_with_its_cause(cdk: Any, method: str) -> None:
    getattr(cdk, method).side_effect = DeploymentFailed(method, "CREATE_FAILED Thing")
    held, findings, _ = run(cdk)
    (promise,) = findings.promises
    assert not held
    assert promise.status == "broken"
    assert promise.reason == f"cdk {method} failed: CREATE_FAILED Thing"


def test_artefacts_are_mirrored_between_the_bucket_and_the_rest(
    cdk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3, steps = Mock(), []
    cdk.deploy.side_effect = lambda _, *stacks: steps.append(stacks)
    monkeypatch.setattr(artefact_mirror, "needed_artefacts", lambda _: "needed")
    monkeypatch.setattr(artefact_mirror, "lock_path", lambda _: Path("lock"))
    monkeypatch.setattr(artefact_mirror, "missing_notes", lambda _: ["one is missing"])
    monkeypatch.setattr(deployment, "AwsClients", lambda *_: Mock(client=lambda _: s3))

    def mirror(client: Any, needed: str, lock: Path) -> str:
        steps.append((client is s3, needed, str(lock)))
        return "outcomes"

    monkeypatch.setattr(artefact_mirror, "mirror_to_bucket", mirror)
    held, findings, _ = run(cdk)
    assert held
    assert steps == [("prod-lifecycle",), (True, "needed", "lock"), ()]
    assert findings.notes == ["one is missing"]
