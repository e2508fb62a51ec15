"""`clusterwright render dashboards`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from clusterwright import files
from tests.support.command_line import clusterwright

ROOT = Path(__file__).parents[2]
SPEC = str(ROOT / "configs/examples/p5-8.yaml")
WORDS = ("render", "dashboards", SPEC, "--output")
NAMES = [
    "cluster.json", "nodes.json", "network.json", "storage.json", "slurm.json",
    "training-run.json", "goodput-and-money.json",
]  # fmt: skip


def _read(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in folder.iterdir()}


def test_dashboards_are_written_to_a_new_folder(tmp_path: Path) -> None:
    answer = clusterwright(*WORDS, "new/dashboards", folder=tmp_path)
    assert (answer.exit_code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "new/dashboards/cluster.json: Cluster, 13 panels"
    assert [line.split(":")[0] for line in lines] == [f"new/dashboards/{name}" for name in NAMES]
    found = _read(tmp_path / "new/dashboards")
    assert sorted(found) == sorted(NAMES)
    assert found["slurm.json"]["uid"] == "p5-8-slurm"


def test_json_names_the_files(tmp_path: Path) -> None:
    answer = clusterwright(*WORDS, "d", "--format", "json", folder=tmp_path)
    document = json.loads(answer.out)
    assert document["command"] == "render dashboards"
    assert document["exit_code"] == answer.exit_code == 0
    assert document["stale_files"] == []
    assert [row["file"] for row in document["dashboards"]] == [f"d/{name}" for name in NAMES]
    first = {k: v for k, v in document["dashboards"][0].items() if k != "panels"}
    assert first == {
        "name": "cluster", "title": "Cluster", "uid": "p5-8-cluster", "file": "d/cluster.json",
    }  # fmt: skip


def test_a_second_rendering_replaces_files_with_the_same_bytes(tmp_path: Path) -> None:
    clusterwright(*WORDS, "d", folder=tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()}
    (tmp_path / "d/nodes.json").write_text('{"tags": ["clusterwright"]}')
    assert clusterwright(*WORDS, "d", folder=tmp_path).exit_code == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()} == before


def test_a_file_of_others_is_kept_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for content in ("{", '{"tags": ["mine"]}', "[1]", '{"tags": 1}'):
        (tmp_path / "d/slurm.json").write_text(content)
        answer = clusterwright(*WORDS, "d", folder=tmp_path)
        assert answer.exit_code == 3
        assert answer.err == (
            "error: d/slurm.json exists and is not a dashboard that this command wrote\n\n"
            "hint: name another folder, or use --force\n"
        )
        assert [path.name for path in (tmp_path / "d").iterdir()] == ["slurm.json"]
        assert (tmp_path / "d/slurm.json").read_text() == content
    assert clusterwright(*WORDS, "d", "--force", folder=tmp_path).exit_code == 0
    assert len(_read(tmp_path / "d")) == len(NAMES)


def test_a_failed_write_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusterwright(*WORDS, "d", folder=tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()}

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_fill", full)
    answer = clusterwright(*WORDS, "d", folder=tmp_path)
    assert answer.exit_code == 3
    assert "d/cluster.json cannot be written: no space left on device" in answer.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()} == before


def test_files_of_an_earlier_platform_are_named(tmp_path: Path) -> None:
    clusterwright(*WORDS, "d", folder=tmp_path)
    shutil.copy(tmp_path / "d/nodes.json", tmp_path / "d/kubernetes.json")
    answer = clusterwright(*WORDS, "d", folder=tmp_path)
    assert answer.exit_code == 0
    assert answer.err == (
        "d/kubernetes.json is of an earlier rendering: this cluster has no such dashboard\n"
    )


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("dev-eks", "nodes have no exporter without observability.metrics.image"),
        (
            "dev-hyperpod-eks",
            "HyperPod's observability add-on collects the metrics, and has its own dashboards",
        ),
    ],
)
def test_a_cluster_without_metrics_is_refused(tmp_path: Path, spec: str, reason: str) -> None:
    path = ROOT / f"configs/{spec}.yaml"
    answer = clusterwright("render", "dashboards", str(path), "--output", "d", folder=tmp_path)
    assert answer.exit_code == 3
    assert f"error: {path}: this cluster has no metrics for dashboards: {reason}" in answer.err
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    answer = clusterwright(*WORDS, place, folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err.startswith(f"error: {place} ")
    assert "Traceback" not in answer.err


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d/cluster.json").mkdir(parents=True)
    answer = clusterwright(*WORDS, "d", folder=tmp_path)
    assert answer.exit_code == 3
    assert answer.err.startswith("error: d/cluster.json is a directory\n")
    assert len(list((tmp_path / "d").iterdir())) == 1


def test_output_is_required() -> None:
    answer = clusterwright("render", "dashboards", SPEC)
    assert answer.exit_code == 3
    assert "--output" in answer.err
