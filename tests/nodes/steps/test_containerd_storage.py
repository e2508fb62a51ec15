"""The step that moves containerd's images off the root volume."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.containerd import CONF, PACKAGED, with_containerd
from tests.nodes.world import World

DROP_IN = "etc/systemd/system/containerd.service.d/90-clusterwright.conf"
RESTART = ("systemctl", "restart", "containerd.service")
RESTART_DOCKER = ("systemctl", "restart", "docker.service")


def read(node: World) -> dict[str, Any]:
    return tomllib.loads((node.root / CONF).read_text())


def test_only_root_of_the_file_changes(world: Callable[..., World]) -> None:
    node = with_containerd(world("workers-1"))
    run = node.run()
    assert run.statuses()["containerd_storage"] == "applied"
    assert read(node) == {
        **tomllib.loads(PACKAGED),
        "root": "/opt/dlami/nvme/containerd",
    }
    assert "RequiresMountsFor=/opt/dlami/nvme\n" in (node.root / DROP_IN).read_text()
    ran = list(run.machine.ran)
    assert ran.count(RESTART) == 1
    assert RESTART_DOCKER in ran[ran.index(RESTART) :], "Docker looks for its images anew"
    again = node.run()
    assert again.statuses()["containerd_storage"] == "unchanged"
    assert RESTART not in again.machine.ran


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        'root = "/var/lib/containerd"\nversion = 2\n',
        "version = 3\nroot = '/var/lib/containerd' # here\n[plugins]\n",
        "[plugins]\n  [plugins.'io']\n    root = '/x'\n",
    ],
)
def test_every_format_of_the_file_is_supported(
    world: Callable[..., World], text: str | None
) -> None:
    node = with_containerd(world("workers-1"), text)
    assert node.run().statuses()["containerd_storage"] == "applied"
    before = tomllib.loads(text or "")
    assert read(node) == {**before, "root": "/opt/dlami/nvme/containerd"}
    assert node.run().statuses()["containerd_storage"] == "unchanged"


def test_existing_folder_on_that_volume_is_kept(world: Callable[..., World]) -> None:
    text = 'root = "/opt/dlami/nvme/images"\n'
    node = with_containerd(world("workers-1"), text)
    node.run()
    assert (node.root / CONF).read_text() == text
    assert (node.root / "opt/dlami/nvme/images").is_dir()


def test_containerd_is_not_restarted_while_containers_run(world: Callable[..., World]) -> None:
    node = with_containerd(world("workers-1", containers=["4f9c"]))
    for _ in range(2):
        run = node.run()
        assert run.code == 0
        assert RESTART not in run.machine.ran
        assert any("after its next restart" in text for text in run.notices())
    node.change(containers=[])
    assert RESTART in node.run().machine.ran
    assert node.run().statuses()["containerd_storage"] == "unchanged"


def test_unit_with_its_own_root_is_not_changed(world: Callable[..., World]) -> None:
    unit = "[Service]\nExecStart=/usr/bin/containerd --root /srv/containerd\n"
    node = with_containerd(world("workers-1"), PACKAGED, unit)
    run = node.run()
    assert (node.root / CONF).read_text() == PACKAGED
    assert any("/srv/containerd; not changed" in text for text in run.notices())


def test_step_is_skipped_without_a_volume_or_containerd(
    world: Callable[..., World],
) -> None:
    node = with_containerd(world("controller-1"))
    end = node.run().end_of("containerd_storage")
    assert (end["status"], "nothing is mounted at /opt/sagemaker" in end["hint"]) == (
        "skipped",
        True,
    )
    run = world("workers-1").run()
    assert run.end_of("containerd_storage")["hint"] == "the image has no containerd.service"


@pytest.mark.parametrize("name", ["controller-1", "login-1"])
@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_additional_volume_is_used_without_local_disks(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    """Containers, Docker and Enroot alike; a volume mounted read-only is not used."""
    node = with_containerd(world(name, configuration))
    volume = {
        "target": "/opt/sagemaker",
        "source": "/dev/nvme1n1",
        "fstype": "xfs",
        "options": "rw,noatime",
        "by_image": True,
    }
    (node.root / "opt/sagemaker").mkdir(parents=True)
    steps = ("containerd_storage", "docker_storage", "enroot_storage")
    node.change(mounts=[*node.state["mounts"], {**volume, "options": "ro"}])
    statuses = node.run().statuses()
    assert {statuses[step] for step in steps} == {"skipped"}
    node.change(mounts=[*node.state["mounts"][:-1], volume])
    statuses = node.run().statuses()
    assert {statuses[step] for step in steps} == {"applied"}
    assert read(node)["root"] == "/opt/sagemaker/containerd"
    assert "/opt/sagemaker/docker" in (node.root / "etc/docker/daemon.json").read_text()
    assert "/opt/sagemaker/enroot" in (node.root / "etc/enroot/enroot.conf").read_text()
    statuses = node.run().statuses()
    assert {statuses[step] for step in steps} == {"unchanged"}
