"""The step that moves Docker to the scratch disks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.nodes.fake_machine import FakeMachine
from tests.nodes.world import World

DAEMON_JSON = "etc/docker/daemon.json"
DROP_IN = "etc/systemd/system/docker.service.d/90-clusterwright.conf"
RESTART = ("systemctl", "restart", "docker.service")


def with_settings(node: World, settings: Any) -> World:
    path = node.root / DAEMON_JSON
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
    return node


def test_only_data_root_of_daemon_json_changes(world: Callable[..., World]) -> None:
    image = {"runtimes": {"nvidia": {"path": "nvidia-container-runtime"}}, "graph": "/old"}
    node = with_settings(world("workers-1"), image)
    run = node.run()
    assert run.statuses()["docker_storage"] == "applied"
    assert json.loads((node.root / DAEMON_JSON).read_text()) == {
        "runtimes": image["runtimes"],
        "data-root": "/opt/dlami/nvme/docker",
    }
    assert "RequiresMountsFor=/opt/dlami/nvme\n" in (node.root / DROP_IN).read_text()
    assert run.machine.ran.count(RESTART) == 1
    again = node.run()
    assert again.statuses()["docker_storage"] == "unchanged"
    assert RESTART not in again.machine.ran


def test_other_folder_on_the_scratch_disks_is_kept(world: Callable[..., World]) -> None:
    settings = {"data-root": "/opt/dlami/nvme/docker/data-root"}
    node = with_settings(world("workers-1"), settings)
    node.run()
    assert json.loads((node.root / DAEMON_JSON).read_text()) == settings


def test_similar_path_is_not_on_the_scratch_disks(
    world: Callable[..., World],
) -> None:
    node = with_settings(world("workers-1"), {"data-root": "/opt/dlami/nvme2"})
    node.run()
    assert json.loads((node.root / DAEMON_JSON).read_text())["data-root"].startswith(
        "/opt/dlami/nvme/"
    )


def test_docker_is_not_restarted_while_containers_run(world: Callable[..., World]) -> None:
    node = world("workers-1", containers=["4f9c"])
    for _ in range(2):
        run = node.run()
        assert run.code == 0
        assert RESTART not in run.machine.ran
        assert any("after its next restart" in text for text in run.notices())
    node.change(containers=[])
    run = node.run()
    assert RESTART in run.machine.ran
    assert node.run().statuses()["docker_storage"] == "unchanged"


def test_stopped_docker_is_not_started(world: Callable[..., World]) -> None:
    node = world("workers-1", units={})
    run = node.run()
    assert run.statuses()["docker_storage"] == "applied"
    assert RESTART not in run.machine.ran


def test_unit_with_its_own_root_is_not_changed(world: Callable[..., World]) -> None:
    """With both the flag and the file, Docker would not start."""
    node = world("workers-1")
    unit = "[Service]\nExecStart=/usr/bin/dockerd --data-root /srv/docker -H fd://\n"
    units = dict(node.state["image_units"], **{"docker.service": unit})
    node.change(image_units=units)
    run = node.run()
    assert run.code == 0
    assert not (node.root / DAEMON_JSON).exists()
    assert any("/srv/docker; not changed" in text for text in run.notices())


def test_invalid_json_fails_the_step(world: Callable[..., World]) -> None:
    for text, said in (("{", "is not JSON"), ("[]", "is not a JSON object")):
        node = with_settings(world("workers-1"), text)
        run = node.run()
        assert run.code == 1
        assert said in run.last
        assert (node.root / DAEMON_JSON).read_text() == text


def test_users_without_sudo_are_removed_from_the_group(world: Callable[..., World]) -> None:
    members = {"id": 990, "members": ["ada", "ubuntu"]}
    node = world("workers-1")
    node.change(group=dict(node.state["group"], docker=members))
    assert node.run().statuses()["docker_storage"] == "applied"
    assert node.state["group"]["docker"]["members"] == ["ubuntu"]
    trusted = world("workers-1")
    trusted.change(group=dict(trusted.state["group"], docker=members))
    trusted.edit("cluster.json", lambda c: c["users"][0].update(sudo=True))
    trusted.run()
    assert "ada" in trusted.state["group"]["docker"]["members"]


def test_step_is_skipped_without_docker_or_scratch(world: Callable[..., World]) -> None:
    node = world("workers-1", missing_commands=["dockerd"])
    assert node.run().end_of("docker_storage")["hint"] == "the image has no Docker"
    assert world("controller-1").run().statuses()["docker_storage"] == "skipped"


def test_folder_of_another_user_is_refused(world: Callable[..., World]) -> None:
    """The owner could replace Docker's files there and become root."""
    node = world("workers-1")
    node.run()
    owned = FakeMachine(node.folder)
    owned.set_file_owner("/opt/dlami/nvme/docker", 5001, 5001)
    run = node.run()
    assert run.code == 1
    assert "/opt/dlami/nvme/docker belongs to UID 5001, not to root" in run.last
