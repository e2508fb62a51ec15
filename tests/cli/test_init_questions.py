"""`clusterwright init` asks on a terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from clusterwright.cli.main import main
from clusterwright.platforms.loading import load_cluster


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Terminal:
    monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_answers_become_the_spec(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = answer(monkeypatch, "slurm", "parallelcluster", "mine", "", "us-east-2", "", "3", "")
    assert main(["init"]) == 0
    cluster = load_cluster(folder / "mine.yaml").cluster
    assert (cluster.platform, cluster.environment) == ("parallelcluster", "mine")
    assert (cluster.account, cluster.region) == ("111122223333", "us-east-2")
    assert [g.count for g in cluster.compute if g.role == "compute"] == [3]
    assert "'slurm' is not one of" in screen.getvalue()
    assert "mine.yaml is written" in screen.getvalue()


def test_only_what_is_not_given_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "configs").mkdir()
    screen = answer(monkeypatch, "", "", "", "")
    options = ["--region", "us-east-1", "--count", "4", "--instance-type", "p5.48xlarge"]
    assert main(["init", *options]) == 0
    cluster = load_cluster(folder / "configs" / "dev.yaml").cluster
    assert [g.count for g in cluster.compute if g.role == "compute"] == [4]
    assert "AWS region" not in screen.getvalue()
    assert "Number of compute nodes" not in screen.getvalue()


def test_end_of_input_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    assert main(["init"]) == 130
    assert list(folder.iterdir()) == []


def test_without_a_terminal_the_platform_is_required(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init"]) == 3
    assert "Missing option '--platform'" in capsys.readouterr().err
    assert list(folder.iterdir()) == []
