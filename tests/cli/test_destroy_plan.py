"""`clusterwright destroy-plan`, and the commands of docs/how-to/delete-a-cluster.md."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import jsonschema
import pytest

from clusterwright.cli.destroy_plan import cdk_words
from clusterwright.json_output.schemas import schemas
from tests.docs.shown import shown_commands
from tests.support.cdk_life import ACCOUNT, life
from tests.support.command_line import clusterwright
from tests.support.synthesis import ROOT

PAGE = ROOT / "docs" / "how-to" / "delete-a-cluster.md"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.getbasetemp() / "diff-cache"
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(folder))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("configs/prod.yaml", "-c env=prod"),
        ("configs/examples/p5-8.yaml", "-c config=configs/examples/p5-8.yaml"),
        ("my clusters/a.yaml", "-c config='my clusters/a.yaml'"),
    ],
)
def test_cdk_words_select_the_same_spec(path: str, words: str) -> None:
    assert cdk_words(Path(path)) == words


@pytest.mark.parametrize(
    "name", ["dev", "dev-eks", "dev-hyperpod-eks", "dev-parallelcluster", "dev-pcs"]
)
def test_every_platform_has_a_plan(name: str) -> None:
    answer = clusterwright("destroy-plan", f"configs/{name}.yaml", "--offline", "--format", "json")
    assert answer.exit_code == 0, answer.err
    found = json.loads(answer.out)
    jsonschema.validate(found, schemas()["destroy-plan-output.schema.json"])
    assert found["read_account"] is False
    assert found["steps"][-1]["command"] == f"cdk destroy -c env={name} --all"
    assert found["stacks"][-1] in (f"{name}-identity", f"{name}-network")
    kubernetes = [s for s in found["steps"] if s["command"].startswith("kubectl ")]
    assert bool(kubernetes) is ("eks" in name)


def test_protected_cluster_cannot_be_deleted_at_once() -> None:
    answer = clusterwright(
        "destroy-plan", "configs/prod.yaml", "--offline", "--format", "markdown"
    )
    assert answer.exit_code == 1
    assert answer.out.startswith("### Deletion of prod: ")
    assert "prod-network cannot be deleted" in answer.out


def test_account_without_credentials_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")
    answer = clusterwright("destroy-plan", "configs/dev.yaml")
    assert answer.exit_code == 2
    assert "what the account has" in answer.out


def test_wrong_spec_is_refused(tmp_path: Path) -> None:
    answer = clusterwright("destroy-plan", str(tmp_path / "none.yaml"), "--format", "json")
    assert answer.exit_code == 3
    assert json.loads(answer.out)["command"] == "destroy-plan"


@pytest.mark.slow
@pytest.mark.enable_socket
def test_commands_of_the_page_leave_what_the_plan_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [shown.command for shown in shown_commands(PAGE) if shown.run_by is not None]
    assert len(commands) == 3
    with life(tmp_path) as aws:
        before = set(aws.stacks())
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        aws.cdk(*commands[0].split()[1:])
        answer = clusterwright(*commands[1].split()[1:], "--format", "json")
        # No controller runs, so nothing says which jobs run.
        assert answer.exit_code == 2, answer.out
        found = json.loads(answer.out)
        assert found["read_account"] is True
        assert [entry["what"] for entry in found["unknown"]] == ["running jobs"]
        aws.cdk(*commands[2].split()[1:])
        assert set(aws.stacks()) == before
        groups = aws.client("logs").describe_log_groups()["logGroups"]
        left = {group["logGroupName"] for group in groups}
        systems = aws.client("fsx").describe_file_systems()["FileSystems"]
        buckets = {b["Name"] for b in aws.client("s3").list_buckets()["Buckets"]}
    patterns = [
        re.compile(re.escape(entry["name"]).replace(r"\*", ".*")) for entry in found["remaining"]
    ]
    assert systems == []
    for name in left | buckets:
        assert any(p.fullmatch(name) for p in patterns), f"{name} is not in the plan"
