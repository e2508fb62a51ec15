"""The step that makes Lustre writable for users."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nodes.world import World

CONFIGURATIONS = pytest.mark.parametrize(
    "configuration", ["managed", "scripted", "parallelcluster"]
)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@CONFIGURATIONS
def test_new_file_system_and_checkpoints_are_writable_for_users(
    world: Callable[..., World], configuration: str
) -> None:
    node = world("controller-1", configuration)
    run = node.run()
    assert run.statuses()["shared_folders"] == "applied"
    assert mode(node.root / "fsx") == mode(node.root / "fsx/checkpoints") == 0o1777
    assert node.run().statuses()["shared_folders"] == "unchanged"


def test_repository_folder_is_opened_but_not_data_of_root(
    world: Callable[..., World],
) -> None:
    """FSx creates the folders of associations, and fills them."""
    node = world("controller-1")
    for name in ("data", "checkpoints"):
        (node.root / "fsx" / name).mkdir()
    (node.root / "fsx/checkpoints/step-1").mkdir()
    node.run()
    assert mode(node.root / "fsx") == mode(node.root / "fsx/checkpoints") == 0o1777
    assert mode(node.root / "fsx/data") == 0o755


def test_folders_changed_by_users_are_kept(world: Callable[..., World]) -> None:
    node = world("controller-1")
    (node.root / "fsx").chmod(0o750)
    (node.root / "fsx/checkpoints").mkdir()
    run = node.run()
    run.machine.set_file_owner("/fsx/checkpoints", 5001, 5001)
    (node.root / "fsx/checkpoints").chmod(0o755)
    assert node.run().statuses()["shared_folders"] == "unchanged"
    assert (mode(node.root / "fsx"), mode(node.root / "fsx/checkpoints")) == (0o750, 0o755)
    # A root folder as created by FSx, in which a team already has a folder.
    (node.root / "fsx").chmod(0o755)
    assert node.run().statuses()["shared_folders"] == "unchanged"
    assert mode(node.root / "fsx") == 0o755


@CONFIGURATIONS
def test_existing_file_system_is_not_changed(
    world: Callable[..., World], configuration: str
) -> None:
    """Stated in `existing`; its owner may restrict the root deliberately."""
    node = world("controller-1", configuration)
    node.edit("cluster.json", lambda c: c["lustre"][0].update(existing=True))
    assert node.run().statuses()["shared_folders"] == "skipped"
    assert mode(node.root / "fsx") == 0o755
    assert not (node.root / "fsx/checkpoints").exists()


@pytest.mark.parametrize("name", ["login-1", "workers-1"])
def test_controller_runs_the_step_for_all_nodes(world: Callable[..., World], name: str) -> None:
    node = world(name)
    assert node.run().end_of("shared_folders")["hint"] == "the controller does it for every node"
    assert mode(node.root / "fsx") == 0o755


def test_root_squash_fails_with_the_reason(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.nodes.fake_machine import FakeMachine

    def set_mode(self: FakeMachine, path: str, wanted: int) -> None:
        if path.startswith("/fsx"):
            raise PermissionError(1, "Operation not permitted", path)
        super(FakeMachine, self).set_mode(path, wanted)

    monkeypatch.setattr(FakeMachine, "set_mode", set_mode, raising=False)
    run = world("controller-1").run()
    assert run.code == 1
    assert "root may not open /fsx to users" in run.last
    assert "squashes root" in run.last


def test_interrupted_run_is_completed_by_the_next(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.run()
    # As between the creation of the folder and its change of mode.
    (node.root / "fsx/checkpoints").chmod(0o755)
    assert node.run().statuses()["shared_folders"] == "applied"
    assert mode(node.root / "fsx/checkpoints") == 0o1777
