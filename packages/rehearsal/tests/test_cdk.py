"""The CDK's command line: its words, environment and failures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from clusterwright_rehearsal import cdk as module
from clusterwright_rehearsal import registry
from clusterwright_rehearsal.cdk import Cdk, DeploymentFailed
from clusterwright_rehearsal.errors import RehearsalError


class Runs:
    """Calls of the program; each prints `output` and exits with `code`."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.code, self.output = 0, ""

    def __call__(self, words: list[str], **more: Any) -> MagicMock:
        self.calls.append({"words": words[1:], **more})
        more["stdout"].write(self.output)
        if "--outputs-file" in words:
            path = Path(words[words.index("--outputs-file") + 1])
            path.write_text(json.dumps({"prod-cluster": {"Name": "x"}}))
        process = MagicMock(pid=os.getpid())
        process.wait.return_value = self.code
        return process


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    found = Runs()
    monkeypatch.setattr(subprocess, "Popen", found)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "/bin/cdk")
    return found


@pytest.fixture
def cdk(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cdk:
    monkeypatch.setenv("AWS_PROFILE", "production")
    return Cdk("http://localhost:1", "111122223333", "us-east-1", tmp_path)


def test_nothing_leads_to_a_real_account(cdk: Cdk, runs: Runs) -> None:
    cdk.bootstrap()
    environment = runs.calls[0]["env"]
    assert "AWS_PROFILE" not in environment
    assert environment["AWS_ENDPOINT_URL"] == "http://localhost:1"
    assert environment["AWS_CONFIG_FILE"] == os.devnull
    assert runs.calls[0]["words"] == ["bootstrap", "aws://111122223333/us-east-1"]
    assert runs.calls[0]["cwd"].name == "bootstrap"


def test_validation_is_disabled_as_in_other_syntheses(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDK_VALIDATION", "false")
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "999988887777")
    Cdk("http://localhost:1", "111122223333", "us-east-1", tmp_path).bootstrap()
    environment = runs.calls[0]["env"]
    assert environment["CDK_VALIDATION"] == "false"
    assert "CDK_DEFAULT_ACCOUNT" not in environment


def test_each_spec_has_its_own_assembly(cdk: Cdk, runs: Runs, tmp_path: Path) -> None:
    before, after, reverted = (tmp_path / f"{name}.yaml" for name in ("a", "b", "c"))
    before.write_text("count: 2")
    after.write_text("count: 3")
    reverted.write_text("count: 2")
    first, second = cdk.synthesise(before), cdk.synthesise(after)
    assert first != second
    assert cdk.synthesise(reverted) == first
    assert [call["words"] for call in runs.calls] == [
        ["synth", "--quiet", "-c", f"config={path}", "--output", str(output)]
        for path, output in ((before, first), (after, second))
    ]
    assert runs.calls[0]["cwd"] == module.CHECKOUT


def test_each_command_is_recorded_for_the_clean_up(cdk: Cdk, tmp_path: Path) -> None:
    cdk.bootstrap()
    (process,) = registry.read(tmp_path / registry.FILE)
    assert (process.kind, process.name) == ("process", str(os.getpid()))
    assert process.detail.endswith(" cdk bootstrap")


def test_interrupted_command_is_ended(
    cdk: Cdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = MagicMock(pid=os.getpid())
    process.wait.side_effect = KeyboardInterrupt
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: process)
    with pytest.raises(KeyboardInterrupt):
        cdk.bootstrap()
    process.kill.assert_called_once_with()


@pytest.mark.parametrize(("stacks", "words"), [((), ["--all"]), (("a", "b"), ["a", "b"])])
def test_a_deployment_returns_its_outputs(
    cdk: Cdk, runs: Runs, stacks: tuple[str, ...], words: list[str]
) -> None:
    assert cdk.deploy(Path("out"), *stacks) == {"prod-cluster": {"Name": "x"}}
    called = runs.calls[0]["words"]
    assert called[: 1 + len(words)] == ["deploy", *words]
    assert called[called.index("--require-approval") + 1] == "never"


def test_a_failure_is_that_of_the_last_command(cdk: Cdk, runs: Runs) -> None:
    runs.output = "Error: of the first\n"
    cdk.bootstrap()
    runs.code, runs.output = 1, "\x1b[31mprod | CREATE_FAILED | AWS::X::Y | Thing no\x1b[0m\n"
    with pytest.raises(DeploymentFailed) as caught:
        cdk.deploy(Path("out"))
    assert caught.value.message == (
        "cdk deploy failed: prod | CREATE_FAILED | AWS::X::Y | Thing no"
    )
    assert "$ cdk bootstrap" in cdk.log.read_text()


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("a\nb\n", "a / b"),
        ("x\n ❌ prod failed\nerror: no\ny", "❌ prod failed / error: no"),
        ("UPDATE_FAILED one\nCREATE_FAILED two", "UPDATE_FAILED one"),
        ("error " * 600, f"{'error ' * 600}"[:1500]),
    ],
)
def test_the_cause_of_a_failure(output: str, expected: str) -> None:
    assert DeploymentFailed("synth", output).message == f"cdk synth failed: {expected}"


def test_without_the_cdk_there_is_no_rehearsal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(RehearsalError, match="cdk is not installed") as caught:
        Cdk("http://localhost:1", "111122223333", "us-east-1", tmp_path)
    assert caught.value.hint == "run it from a checkout after `make setup`"


def test_without_a_checkout_there_is_no_app(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKOUT", tmp_path)
    with pytest.raises(RehearsalError, match=r"there is no app\.py here"):
        Cdk("http://localhost:1", "111122223333", "us-east-1", tmp_path)
