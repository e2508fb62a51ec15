"""`clusterwright init --project`: a repository that works with Clusterwright as a submodule."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright.platforms.registry import PLATFORMS
from tests.support.command_line import clusterwright, nothing_written
from tools.lint.files import ROOT

_WHO = {f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")}  # fmt: skip


def project(folder: Path, *options: str, platform: str = "hyperpod-slurm") -> Path:
    target = folder / "clusters"
    answer = clusterwright("init", "--platform", platform, "--project", target, *options)
    assert (answer.exit_code, answer.out) == (0, ""), answer.err
    assert answer.err == f"{target} is written; next: see {target / 'README.md'}\n"
    return target


@pytest.mark.parametrize("platform", PLATFORMS)
def test_spec_of_the_project_passes_the_offline_rules(platform: str, tmp_path: Path) -> None:
    folder = project(tmp_path, "--environment", "lab", platform=platform)
    answer = clusterwright("check", "configs/lab.yaml", "--offline", folder=folder)
    assert answer.exit_code == 0, answer.out


@pytest.mark.parametrize("name", ["README.md", "configs/base.yaml"])
def test_existing_file_is_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("precious")
    with nothing_written(tmp_path):
        answer = clusterwright("init", "--platform", "eks", "--project", tmp_path)
    assert answer.exit_code == 3
    assert f"{tmp_path / name} exists and is not overwritten" in answer.err
    assert clusterwright("init", "--platform", "eks", "--project", tmp_path, "--force").err == (
        f"{tmp_path} is written; next: see {tmp_path / 'README.md'}\n"
    )
    assert (tmp_path / name).read_text() != "precious"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--output", "x.yaml"], "--project and --output exclude each other"),
        (["--zone", "usw2-az1"], "--zone"),
    ],
)
def test_invalid_options_write_nothing(options: list[str], message: str, tmp_path: Path) -> None:
    words = ["init", "--platform", "hyperpod-slurm", "--project", str(tmp_path / "new"), *options]
    with nothing_written(tmp_path):
        answer = clusterwright(*words, folder=tmp_path)
    assert answer.exit_code == 3
    assert message in answer.err


@pytest.mark.parametrize(
    ("target", "message"),
    [("file", "is not a directory"), ("missing/clusters", "does not exist")],
)
def test_folder_must_be_possible(target: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answer = clusterwright("init", "--platform", "eks", "--project", tmp_path / target)
    assert answer.exit_code == 3
    assert message in answer.err


@pytest.mark.slow
def test_review_of_a_change_works_in_the_project(tmp_path: Path) -> None:
    """Check, cost, `cdk synth` and `diff`, as the project's workflow runs them."""
    folder = project(tmp_path)
    (folder / "vendor").mkdir()
    (folder / "vendor" / "clusterwright").symlink_to(ROOT)
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "clusterwright"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clusterwright "$@"\n')
    command.chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    path = [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | _WHO | {
        "PATH": os.pathsep.join(path), "PYTHONPATH": str(ROOT), "OFFLINE": "1"
    }  # fmt: skip

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{words}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    run("git", "init", "--quiet")
    run("git", "add", "--all", ".", ":!vendor")
    run("git", "commit", "--quiet", "--message", "Add the clusters")
    spec = folder / "configs" / "dev.yaml"
    spec.write_text(spec.read_text().replace("count: 2\n", "count: 4\n"))
    run("git", "commit", "--quiet", "--all", "--message", "Add two nodes")

    scripts = "vendor/clusterwright/scripts/ci"
    assert run(f"{scripts}/environments.sh") == '["dev"]\n'
    codes = run(f"{scripts}/review.sh", "dev", "HEAD~", str(tmp_path / "review"))
    assert dict(line.split() for line in codes.splitlines())["synth"] == "0"
    run(f"{scripts}/gate.sh", str(tmp_path / "review"))
    comment = (tmp_path / "review" / "comment.md").read_text()
    assert "dev-cluster/Cluster" in comment
    assert (folder / "cdk.out" / "dev-cluster.template.json").is_file()
