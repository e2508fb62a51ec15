"""Restrictions of the workflows: actions pinned to verified commits, minimal permissions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.ci.workflows import WORKFLOWS, read
from tools.lint.files import ROOT

PINS = json.loads((ROOT / ".github" / "actions.json").read_text())
GITLAB = ROOT / ".gitlab" / "clusterwright.gitlab-ci.yml"
PAGE = ROOT / "docs" / "how-to" / "review-a-change.md"


def uses(path: Path) -> Iterator[tuple[str, str]]:
    """Every action of a workflow, and the comment beside it."""
    for line in path.read_text().splitlines():
        found = re.search(r"uses:\s*(\S+)\s*(?:#\s*(\S+))?", line)
        if found:
            yield found.group(1), found.group(2) or ""


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_verified_commit(path: Path) -> None:
    known = {pin["action"]: pin for pin in PINS["actions"]}
    found = list(uses(path))
    assert found
    for action, version in found:
        name, _, commit = action.partition("@")
        assert name in known, f"{name} is not in .github/actions.json"
        assert re.fullmatch(r"[0-9a-f]{40}", commit), f"{name} is not pinned to a commit"
        assert commit == known[name]["commit"]
        assert version == known[name]["version"]
        assert known[name]["read_in"]


def test_unverified_pins_are_not_used() -> None:
    for pin in PINS["actions"]:
        assert pin["commit"] != "unknown", "an unknown action belongs into `unknown`"
    for pin in PINS["unknown"]:
        assert pin["commit"] == "unknown"
        assert pin["why"]


def test_documentation_lists_every_pin() -> None:
    text = PAGE.read_text()
    for pin in PINS["actions"]:
        assert pin["action"] in text
        assert pin["commit"] in text
    for pin in PINS["unknown"]:
        assert pin["what"] in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_permissions_are_granted_per_job(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        rights = job["permissions"]
        assert rights["contents"] == "read", f"{name} may write"
        assert "timeout-minutes" in job
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    assert "pull_request_target" not in workflow["on"]


def test_scripts_contain_no_event_data() -> None:
    for path in WORKFLOWS:
        for job in read(path)["jobs"].values():
            for step in job["steps"]:
                assert "${{" not in step.get("run", ""), f"{path.name}: {step.get('name')}"


def test_zizmor_finds_nothing() -> None:
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    assert program is not None, "make setup installs it"
    done = subprocess.run(
        [program, "--offline", "--no-progress", *map(str, WORKFLOWS)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def gitlab() -> dict[str, Any]:
    yaml = YAML(typ="rt", pure=True)
    found = yaml.load(GITLAB.read_text())
    assert isinstance(found, dict)
    return dict(found)


def test_gitlab_image_requires_a_digest() -> None:
    script = gitlab()[".clusterwright"]["before_script"][0]
    for image, code in (("python:3.13", 1), ("", 1), ("python@sha256:" + "0" * 64, 0)):
        done = subprocess.run(
            ["bash", "-c", script],
            env={"CLUSTERWRIGHT_IMAGE": image, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, image


def test_gitlab_runs_the_same_scripts() -> None:
    scripts = {path.name for path in (ROOT / "scripts" / "ci").glob("*.sh")}
    text = GITLAB.read_text()
    assert {name for name in scripts if name in text} == scripts - {
        "comment_github.sh",
        "environments.sh",
    }
    for job in ("review", "deploy", "drift"):
        names = gitlab()[job]["parallel"]["matrix"][0]["NAME"]
        assert sorted(names) == ["dev", "prod", "staging"]
