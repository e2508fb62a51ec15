"""Containers of the spec, or stubs that a scenario deploys."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal import artefact_mirror
from clusterwright_rehearsal.scenario_api import containers
from clusterwright_rehearsal.scenario_api.outcomes import NotApplicable
from packages.rehearsal.tests.scenario_api.contexts import answering, context


def with_containers(folder: Path, **options: Any) -> Any:
    found = context(folder, spec={"slurm": {"containers": options or None}})
    found.wait_idle = Mock()
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, False),
        ({"pyxis": True}, False),
        ({"pyxis": True, "install": "mirrored"}, True),
        ({"pyxis": False, "install": "mirrored"}, False),
    ],
)
def test_what_nodes_download(tmp_path: Path, options: dict[str, Any], expected: bool) -> None:
    assert containers.are_downloaded(with_containers(tmp_path, **options)) is expected


def test_a_scenario_needs_a_compiler(tmp_path: Path) -> None:
    found = with_containers(tmp_path)
    answering(found, {})
    containers.require_compiler(found)
    answering(found, {"command -v tcc": (1, "")})
    with pytest.raises(NotApplicable, match="no compiler for Pyxis"):
        containers.require_compiler(found)


class TestInstall:
    @pytest.fixture
    def updated(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
        calls: list[tuple[str, ...]] = []
        monkeypatch.setattr(containers, "update_software", lambda _, *groups: calls.append(groups))
        return calls

    def test_the_controller_comes_first(
        self, tmp_path: Path, updated: list[tuple[str, ...]]
    ) -> None:
        found = with_containers(tmp_path, pyxis=True, install="mirrored")
        answering(found, {"srun --help": ""})
        containers.install(found)
        assert updated == [("controller",), ("login", "workers")]
        found.wait_idle.assert_called_once_with()

    def test_nodes_that_have_them_are_left_alone(
        self, tmp_path: Path, updated: list[tuple[str, ...]]
    ) -> None:
        found = with_containers(tmp_path, pyxis=True, install="mirrored")
        answering(found, {"srun --help": "  --container-image=IMAGE"})
        containers.install(found)
        assert updated == []

    def test_a_spec_without_containers_gets_stubs(
        self, tmp_path: Path, updated: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = with_containers(tmp_path)
        answering(found, {"srun --help": ""})
        monkeypatch.setattr(containers, "_add_other_artefacts", Mock())
        deployed: list[dict[str, Any]] = []

        def deploy(change: Any, artefacts: Path) -> None:
            spec: dict[str, Any] = {"slurm": {}, "lifecycle": {"steps": ["x"]}}
            change(spec)
            deployed.append({**spec, "cache": artefacts.is_dir()})

        found.deploy = deploy
        containers.install(found)
        (spec,) = deployed
        assert spec["slurm"]["containers"] == {"pyxis": True, "install": "mirrored"}
        assert spec["lifecycle"]["steps"] == ["x"]
        assert Path(spec["lifecycle"]["artefacts"]).is_file()
        assert spec["cache"]
        assert updated == []  # the fake deployment changed no spec


def test_artefacts_of_the_deployed_scripts(tmp_path: Path) -> None:
    files = [{"sha256": "ab", "file": "enroot.deb"}]
    text = json.dumps({"artefacts": {"bucket": "artefacts-bucket", "files": files}})
    sagemaker, s3 = Mock(), Mock()
    location = {"LifeCycleConfig": {"SourceS3Uri": "s3://scripts/v1/"}}
    sagemaker.describe_cluster.return_value = {"InstanceGroups": [location]}
    s3.get_object.return_value = {"Body": io.BytesIO(text.encode())}
    found = with_containers(tmp_path)
    found.aws = {"sagemaker": sagemaker, "s3": s3}.__getitem__
    assert containers.artefacts_of(found) == [
        {
            "sha256": "ab",
            "file": "enroot.deb",
            "bucket": "artefacts-bucket",
            "key": "artefacts/ab/enroot.deb",
        }
    ]
    s3.get_object.assert_called_once_with(Bucket="scripts", Key="v1/cluster.json")


def test_artefacts_of_other_steps_stay_in_the_lock_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Mock(used_by=["nccl"])
    mine = Mock(used_by=[containers.CONTAINERS])
    written: list[Any] = []
    lists = {"listed": [other, mine], "lock": ["stub"]}
    monkeypatch.setattr(artefact_mirror, "lock_path", lambda _: "listed")
    monkeypatch.setattr(containers, "read_lock", lambda path: lists[str(path)])
    monkeypatch.setattr(containers, "write_lock", lambda path, rows: written.append((path, rows)))
    containers._add_other_artefacts(with_containers(tmp_path), Path("lock"))
    assert written == [(Path("lock"), ["stub", other])]
