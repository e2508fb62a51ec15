"""Tests of CW-E010."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.platforms.loading import load_cluster
from tests.preflight.harness import Harness
from tests.support import specs


def named(folder: Path, file: str, environment: str) -> LoadedSpec:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    return load_cluster(specs.write(path, specs.changed({"environment": environment})))


def test_a_file_in_configs_with_the_environment_of_another(rule: Harness, tmp_path: Path) -> None:
    """Its workflow would deploy prod's stacks with dev's approvals and role."""
    rule.fails(
        "CW-E010",
        spec=named(tmp_path, "configs/dev.yaml", "prod"),
        path="environment",
        message="the file is configs/dev.yaml, but its environment is `prod`",
        numbers=("prod", None, "dev"),
    )


@pytest.mark.parametrize(
    ("file", "tested"),
    [
        ("configs/prod.yaml", True),
        ("configs/examples/large.yaml", False),
        ("prod-draft.yaml", False),
        ("configs/.prod.x7f2.yaml", False),
    ],
)
def test_names_that_agree_and_files_that_no_workflow_selects(
    rule: Harness, tmp_path: Path, file: str, tested: bool
) -> None:
    rule.passes("CW-E010", spec=named(tmp_path, file, "prod"), tested=tested)


def test_a_relative_path_is_the_same_file(
    rule: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path, "configs/dev.yaml", "prod")
    monkeypatch.chdir(tmp_path / "configs")
    spec = load_cluster(Path("dev.yaml"))
    rule.fails("CW-E010", spec=spec, path="environment", message="is configs/dev.yaml")
