"""The steps of each workflow, run as a runner does, against the local AWS."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ci.conftest import NAME, Checkout
from tests.ci.workflows import FOLDER, WORKFLOWS, Runner, read, steps
from tools.lint.files import ROOT

ACCOUNT = "111122223333"
SAME = "github.event.pull_request.head.repo.full_name == github.repository"
OFFLINE = f"vars.AWS_REVIEW_ROLE_ARN != '' && {SAME} && '0' || '1'"

# Not run here, each for a reason: third-party actions.
ACTIONS_ONLY = {
    "Assume the read-only role",
    "Assume the environment's role",
    "Upload the findings",
}


def values(checkout: Checkout, *, offline: str) -> dict[str, str]:
    return {
        "matrix.name": NAME,
        "github.event.pull_request.base.sha": checkout.base,
        OFFLINE: offline,
        "vars.CLUSTERWRIGHT_STRICT": "",
        "github.token": "token",
        "github.repository": "acme/clusters",
        "github.event.pull_request.number": "7",
    }


def runner(
    checkout: Checkout, folder: Path, *, offline: str = "0", url: str | None = None
) -> Runner:
    environment = checkout.environment(FORGE=str(folder / "comments.json"))
    if url is not None:
        environment |= {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
    return Runner(checkout.path, folder, values(checkout, offline=offline), environment)


def test_every_workflow_step_is_tested_or_an_action() -> None:
    for path in WORKFLOWS:
        for job, body in read(path)["jobs"].items():
            for step in steps(read(path), job):
                known = "run" in step or step["uses"].startswith("actions/checkout@")
                assert known or step["name"] in ACTIONS_ONLY, f"{path.name}: {step}"
            assert body["runs-on"] == "ubuntu-24.04"


def test_environments_are_those_with_a_spec(checkout: Checkout, tmp_path: Path) -> None:
    one = runner(checkout, tmp_path)
    for path in WORKFLOWS:
        if "environments" not in read(path)["jobs"]:
            continue
        assert set(one.run(read(path), "environments").values()) == {0}, one.log
        # The shell's sort order, which depends on its locale.
        assert sorted(json.loads(one.output("names"))) == [
            *("dev", "dev-eks", "dev-hyperpod-eks", "dev-parallelcluster"),
            "dev-pcs",
            *("prod", "staging"),
        ]


def test_a_file_with_the_environment_of_another_stops_the_workflows(tmp_path: Path) -> None:
    """Otherwise dev's reviewers would approve a deployment of prod."""
    (tmp_path / "configs").mkdir()
    for name, environment in (("dev", '"prod"  # of the old cluster'), ("prod", "prod")):
        text = f"environment: {environment}\nregion: us-east-1\n"
        (tmp_path / "configs" / f"{name}.yaml").write_text(text)
    (tmp_path / "configs" / "base.yaml").write_text("region: us-east-1\n")
    script = os.fspath(ROOT / "scripts" / "ci" / "environments.sh")
    done = subprocess.run([script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    said = "error: configs/dev.yaml has the environment 'prod' of another file (CW-E010)\n"
    assert done.stderr == said
    (tmp_path / "configs" / "dev.yaml").write_text("environment: 'dev' # ours\n")
    done = subprocess.run([script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["dev", "prod"]


def test_a_failed_list_of_environments_fails_its_step() -> None:
    """The exit code of a command substitution in an argument of `echo` is lost."""
    for path in WORKFLOWS:
        for body in read(path)["jobs"].values():
            for step in body["steps"]:
                assert not re.search(r"echo .*\$\(", step.get("run", "")), f"{path.name}: {step}"


@pytest.mark.slow
def test_pull_request_is_reviewed_without_credentials(checkout: Checkout, tmp_path: Path) -> None:
    one = runner(checkout, tmp_path, offline="1")
    codes = one.run(read(FOLDER / "review.yml"), "review")
    assert codes == {"Set up": 0, "Review": 0, "Comment": 0, "Gate": 0}, one.log
    (comment,) = json.loads((tmp_path / "comments.json").read_text())
    assert comment["body"].startswith(f"<!-- clusterwright-diff:{NAME} -->")
    assert "compute" in comment["body"]
    assert comment["body"] in one.summary
    sarif = json.loads((one.temp / "review" / "check.sarif").read_text())
    assert sarif["version"] == "2.1.0"


@pytest.mark.slow
@pytest.mark.enable_socket
def test_pull_request_is_reviewed_with_insufficient_quota(
    checkout: Checkout, tmp_path: Path, local_aws_url: Callable[[str], str]
) -> None:
    one = runner(checkout, tmp_path, url=local_aws_url("new-account"))
    # The marker is public: a person and another bot have written it.
    strangers = [
        {"id": number, "login": login, "body": f"<!-- clusterwright-diff:{NAME} --> mine"}
        for number, login in enumerate(("eve", "other-app[bot]"), start=1)
    ]
    (tmp_path / "comments.json").write_text(json.dumps(strangers))
    codes = one.run(read(FOLDER / "review.yml"), "review")
    assert codes == {"Set up": 0, "Review": 0, "Comment": 0, "Gate": 1}, one.log
    assert "check: failed with 1" in one.log
    # A second push: the existing comment is updated.
    assert one.run(read(FOLDER / "review.yml"), "review", only="Comment") == {"Comment": 0}
    assert "updated comment" in one.log
    *others, comment = json.loads((tmp_path / "comments.json").read_text())
    assert others == strangers, "another user's comment was overwritten"
    assert "**fail**" in comment["body"]


@pytest.mark.slow
@pytest.mark.enable_socket
def test_merge_deploys_and_drift_is_reported_after_a_manual_change(
    checkout: Checkout, tmp_path: Path, local_aws_url: Callable[[str], str]
) -> None:
    url = local_aws_url("generous")
    one = runner(checkout, tmp_path / "deploy", url=url)
    subprocess.run(
        [f"{checkout.path}/.venv/bin/cdk", "bootstrap", f"aws://{ACCOUNT}/us-east-1", "--app", ""],
        cwd=tmp_path,
        env={**one.environment, "PATH": f"{checkout.path}/.venv/bin:{one.environment['PATH']}"},
        check=True,
        capture_output=True,
    )
    drifting = runner(checkout, tmp_path / "before", url=url)
    assert drifting.run(read(FOLDER / "drift.yml"), "drift")["Gate"] == 1

    codes = one.run(read(FOLDER / "deploy.yml"), "deploy")
    expected = {"Set up": 0, "Check": 0, "Compare with what is deployed": 0, "Deploy": 0}
    assert codes == expected, one.log[-3000:]
    assert f"### {NAME}" in one.summary

    after = runner(checkout, tmp_path / "after", url=url)
    codes = after.run(read(FOLDER / "drift.yml"), "drift")
    assert codes == {"Set up": 0, "Compare": 0, "Gate": 0}, after.log + after.summary
    assert "as in the file" in after.summary
