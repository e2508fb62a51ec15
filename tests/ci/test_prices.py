"""The scheduled refresh of prices: what is asked, what is proposed, and when nothing is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci.workflows import FOLDER, Runner, read
from tools.lint.files import ROOT

# `expand` states the region of each spec; `catalog refresh` changes a file of the catalogue.
_CLUSTERWRIGHT = """#!{python}
import json, os, pathlib, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join(words) + "\\n")
if words[0] == "expand":
    name = pathlib.Path(words[1]).stem
    print(json.dumps({{"region": "us-west-2" if name == "prod" else "us-east-1"}}, indent=1))
else:
    pathlib.Path("catalogue/prices.json").write_text(os.environ["PRICE"])
    change = {{"data_set": "prices", "fact": "p5.48xlarge", "before": None, "after": "a|b"}}
    print(json.dumps({{"changes": [change] * int(os.environ["CHANGES"]), "confirmed": 7}}))
"""
_GH = """#!/bin/sh
echo "gh $*" >>"${CALLS}"
[ "$2" = list ] && cat "${CALLS}.open" 2>/dev/null
[ -n "${GH_TOKEN}" ]
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with specs, a catalogue and a remote, and programs that record their calls."""
    programs, work = tmp_path / "programs", tmp_path / "work"
    for folder in (programs, work / "configs", work / "catalogue", work / "scripts"):
        folder.mkdir(parents=True)
    for name, text in (("clusterwright", _CLUSTERWRIGHT), ("gh", _GH)):
        (programs / name).write_text(text.format(python=sys.executable) if "{p" in text else text)
        (programs / name).chmod(0o755)
    (programs / "make").write_text('#!/bin/sh\n[ "$*" = setup ]\n')
    (programs / "make").chmod(0o755)
    (work / "scripts" / "ci").symlink_to(ROOT / "scripts" / "ci")
    for name in ("dev", "prod"):
        (work / "configs" / f"{name}.yaml").write_text(f"environment: {name}\n")
    (work / "configs" / "base.yaml").write_text("region: eu-west-1\n")
    (work / "catalogue" / "prices.json").write_text("55")
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    git(work, "init", "--quiet", "--initial-branch", "main")
    git(work, "remote", "add", "origin", os.fspath(tmp_path / "remote.git"))
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "base")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    done = subprocess.run(
        ["git", *own, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def refreshed(place: Path, *, price: str, changes: int = 1) -> Runner:
    one = Runner(
        place / "work",
        place / "runner",
        {"secrets.PRICES_TOKEN": "secret-token"},
        {
            "PATH": f"{place / 'programs'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": os.fspath(place),
            "CALLS": os.fspath(place / "calls"),
            "CLUSTERWRIGHT_CATALOG": "catalogue",
            "PRICE": price,
            "CHANGES": str(changes),
        },
    )
    codes = one.run(read(FOLDER / "prices.yml"), "refresh")
    assert codes == {"Set up": 0, "Refresh": 0, "Propose": 0}, one.log
    return one


def test_changed_prices_become_a_pull_request(place: Path) -> None:
    one = refreshed(place, price="56")
    calls = (place / "calls").read_text().splitlines()
    refresh = [call for call in calls if call.startswith("catalog")]
    assert refresh == [
        "catalog refresh --part prices --region us-east-1 --region us-west-2 --write --format json"
    ]
    (created,) = [call for call in calls if call.startswith("gh pr create")]
    assert "--head clusterwright/prices" in created
    pushed = git(place / "remote.git", "show", "clusterwright/prices:catalogue/prices.json")
    assert pushed == "56"
    assert "| p5.48xlarge | – | a\\|b |" in one.summary
    assert "secret-token" not in one.log + "".join(calls)


def test_an_open_pull_request_is_updated(place: Path) -> None:
    (place / "calls.open").write_text("12\n")
    one = refreshed(place, price="56", changes=201)
    calls = (place / "calls").read_text()
    assert "gh pr edit 12 --body-file" in calls
    assert "pr create" not in calls
    assert "... and 1 more." in one.summary


def test_unchanged_prices_propose_nothing(place: Path) -> None:
    one = refreshed(place, price="55", changes=0)
    assert "the prices are up to date" in one.log
    assert "gh " not in (place / "calls").read_text()
    assert git(place / "remote.git", "branch", "--list") == ""


def test_gitlab_opens_a_merge_request_by_push_options(place: Path) -> None:
    work = place / "work"
    git(place / "remote.git", "config", "receive.advertisePushOptions", "true")
    hook = place / "remote.git" / "hooks" / "pre-receive"
    hook.write_text('#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION >"$GIT_DIR/options"\n')
    hook.chmod(0o755)
    (work / "catalogue" / "prices.json").write_text("57")
    subprocess.run(
        ["bash", "scripts/ci/propose_prices.sh", os.fspath(place)],
        cwd=work,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": os.fspath(place),
            "GITLAB_CI": "true",
            "PRICES_TOKEN": "secret-token",
            "CI_PROJECT_URL": os.fspath(place / "remote"),
            "CI_DEFAULT_BRANCH": "main",
            "CLUSTERWRIGHT_CATALOG": "catalogue",
        },
        check=True,
        capture_output=True,
    )
    options = (place / "remote.git" / "options").read_text()
    assert "merge_request.create" in options
    assert "merge_request.target=main" in options


def test_a_token_is_required(place: Path) -> None:
    done = subprocess.run(
        ["bash", "scripts/ci/propose_prices.sh", os.fspath(place)],
        cwd=place / "work",
        env={"PATH": "/usr/bin:/bin", "HOME": os.fspath(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "a token that may push" in done.stderr


def test_job_may_only_read_with_its_own_token() -> None:
    workflow = read(FOLDER / "prices.yml")
    assert workflow["jobs"]["refresh"]["permissions"] == {"contents": "read", "id-token": "write"}
    assert json.dumps(workflow).count("secrets.") == 1
