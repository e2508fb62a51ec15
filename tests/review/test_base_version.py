"""The base of a comparison: a commit, written to another folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clusterwright.review import base_version
from clusterwright.review.base_version import (
    BaseNotFound,
    Commit,
    commit_of,
    repository_of,
    tracked_files,
    write_tree,
)


def git(folder: Path, *words: str) -> str:
    identity = (
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "init.defaultBranch=main",
    )
    done = subprocess.run(
        ["git", *identity, "-C", os.fspath(folder), *words],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "configs").mkdir(parents=True)
    (root / "configs" / "dev.yaml").write_text("a: 1\n")
    (root / ".gitignore").write_text("*.out\n")
    git(root.parent, "init", "--quiet", os.fspath(root))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def test_a_commit_is_written_without_changing_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "configs" / "dev.yaml").write_text("a: 2\n")
    before = git(repository, "status", "--porcelain")
    commit = commit_of(repository_of(repository / "configs" / "dev.yaml"), "HEAD")
    write_tree(commit, tmp_path / "tree")
    assert (tmp_path / "tree" / "configs" / "dev.yaml").read_text() == "a: 1\n"
    assert git(repository, "status", "--porcelain") == before
    assert git(repository, "worktree", "list").count("\n") == 0
    assert not (tmp_path / "tree.index").exists()


def test_the_environment_of_a_hook_is_not_used(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", os.fspath(tmp_path / "elsewhere"))
    assert repository_of(repository / "configs" / "dev.yaml") == repository.resolve()


def test_a_name_shows_its_commit(repository: Path) -> None:
    commit = commit_of(repository, "main")
    assert commit.shown == f"main ({commit.digest[:7]})"
    assert commit_of(repository, commit.digest).shown == commit.digest


def test_a_commit_that_does_not_exist(repository: Path) -> None:
    with pytest.raises(BaseNotFound) as caught:
        commit_of(repository, "origin/main")
    assert caught.value.message == "--base: repository has no commit 'origin/main'"
    assert "git fetch origin main" in caught.value.hint


def test_a_name_that_looks_like_an_option(repository: Path) -> None:
    with pytest.raises(BaseNotFound):
        commit_of(repository, "--all")


def test_a_file_outside_a_repository(tmp_path: Path) -> None:
    with pytest.raises(BaseNotFound, match="is not in a git repository"):
        repository_of(tmp_path / "spec.yaml")
    with pytest.raises(BaseNotFound, match="missing does not exist"):
        repository_of(tmp_path / "missing" / "spec.yaml")


def test_a_tree_that_git_cannot_read(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(BaseNotFound, match="git read-tree failed"):
        write_tree(Commit(repository, "x", "0" * 40), tmp_path / "tree")


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_version.shutil, "which", lambda _: None)
    with pytest.raises(BaseNotFound) as caught:
        repository_of(repository / ".gitignore")
    assert caught.value.hint == "install git"


def test_files_that_git_does_not_ignore(repository: Path) -> None:
    (repository / "new.yaml").write_text("")
    (repository / "log.out").write_text("")
    assert tracked_files(repository) == [".gitignore", "configs/dev.yaml", "new.yaml"]
