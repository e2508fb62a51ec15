"""The step that downloads artefacts from the cluster's bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from clusterwright_node.artefacts import FOLDER

from tests.nodes.world import ARTEFACT_BUCKET, ARTEFACTS, World, mirror_containers


@pytest.fixture
def node(world: Callable[..., World]) -> World:
    made = world("workers-1")
    mirror_containers(made)
    return made


def edit_file(node: World, index: int, **changes: Any) -> None:
    node.edit("cluster.json", lambda c: c["artefacts"]["files"][index].update(changes))


def files(node: World) -> dict[str, str]:
    """File name to contents of the downloaded files."""
    folder = node.root / FOLDER.lstrip("/")
    return {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}


def gets(run: Any) -> list[tuple[str, ...]]:
    return [argv for argv in run.machine.ran if argv[:2] == ("aws", "s3api")]


def test_every_listed_file_is_downloaded_under_its_checksum(node: World) -> None:
    run = node.run()
    assert run.statuses()["artefacts"] == "applied", run.text
    assert files(node) == dict(ARTEFACTS.values())
    for argv in gets(run):
        assert argv[argv.index("--bucket") + 1] == ARTEFACT_BUCKET
        assert argv[argv.index("--region") + 1] == "us-east-1"
    for path in (node.root / FOLDER.lstrip("/")).rglob("*"):
        assert path.stat().st_mode & 0o022 == 0, "nobody else may change it"


def test_second_run_downloads_nothing(node: World) -> None:
    assert node.run().code == 0
    node.change(objects={}, aws_error="AccessDenied")
    run = node.run()
    assert run.statuses()["artefacts"] == "unchanged"
    assert gets(run) == []


@pytest.mark.parametrize("size", [True, False])
def test_object_that_differs_from_the_list_is_refused_and_removed(node: World, size: bool) -> None:
    objects = node.state["objects"]
    name = next(key for key in objects if key.endswith("enroot_3.4.1-1_amd64.deb"))
    objects[name] = objects[name] + "!" if size else objects[name][::-1]
    node.change(objects=objects)
    run = node.run()
    assert run.code == 1
    assert run.statuses()["artefacts"] == "failed"
    assert "container_programs" not in run.statuses()
    for word in (
        "step artefacts failed on workers-1",
        "enroot 1 (x86_64)",
        f"s3://{name}",
        "has 35 bytes, expected 34" if size else "it has SHA-256",
        "What to do: find out who has changed the object",
    ):
        assert word in run.last, run.last
    assert "enroot_3.4.1-1_amd64.deb" not in files(node)
    assert not [name for name in files(node) if name.endswith("-new")]
    assert len(gets(run)) == 1, "another try would bring the same"


def test_unknown_checksum_is_refused_before_any_download(node: World) -> None:
    edit_file(node, 2, sha256="unknown", size_bytes="unknown")
    run = node.run()
    assert run.code == 1
    assert "the checksum of pyxis 1 (any) is unknown" in run.last
    assert "artefacts mirror <config> --pin" in run.last
    assert gets(run) == []


def test_missing_object_is_named(node: World) -> None:
    node.change(objects={})
    run = node.run()
    assert f"s3://{ARTEFACT_BUCKET}/artefacts/" in run.last
    assert "does not exist. What to do: run `clusterwright artefacts mirror" in run.last
    assert len(gets(run)) == 1


def test_access_denied_names_the_missing_permission(node: World) -> None:
    node.change(aws_error="An error occurred (AccessDenied) when calling the GetObject operation")
    run = node.run()
    assert "AccessDenied" in run.last
    assert "s3:GetObject" in run.last
    assert len(gets(run)) == 5, "rights may take a moment to arrive"


def test_file_changed_on_the_node_is_downloaded_again(node: World) -> None:
    assert node.run().code == 0
    path = next(node.root.rglob("v0.19.0.tar.gz"))
    path.write_text("another source !!!!")
    assert node.run().statuses()["artefacts"] == "applied"
    assert files(node)["v0.19.0.tar.gz"] == "the source of pyxis"


def test_only_files_of_the_node_architecture_are_downloaded(node: World) -> None:
    edit_file(node, 1, architecture="arm64", sha256="unknown", size_bytes="unknown")
    assert node.run().statuses()["artefacts"] == "applied"
    assert sorted(files(node)) == ["enroot_3.4.1-1_amd64.deb", "v0.19.0.tar.gz"]


def test_step_is_skipped_without_artefacts(world: Callable[..., World]) -> None:
    assert world("workers-1").run().statuses()["artefacts"] == "skipped"
