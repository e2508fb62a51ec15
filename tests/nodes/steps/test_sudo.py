"""The step that grants sudo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.nodes.world import World

SUDOERS = "etc/sudoers.d/90-clusterwright"


def with_sudo(cluster: dict[str, Any]) -> None:
    cluster["users"][0]["sudo"] = True


def test_user_with_sudo_has_a_validated_file(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", with_sudo)
    run = node.run()
    assert run.statuses()["sudo"] == "applied"
    path = node.root / SUDOERS
    assert path.read_text() == "ada ALL=(ALL) NOPASSWD:ALL\n"
    assert path.stat().st_mode & 0o7777 == 0o440
    assert any(argv[0] == "visudo" for argv in run.machine.ran)
    assert not (node.root / "var/lib/clusterwright/sudoers.candidate").exists()


def test_sudo_is_revoked(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", with_sudo)
    node.run()
    node.edit("cluster.json", lambda c: c["users"][0].update(sudo=False))
    assert node.run().statuses()["sudo"] == "applied"
    assert not (node.root / SUDOERS).exists()


def test_file_mode_is_restored(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", with_sudo)
    node.run()
    (node.root / SUDOERS).chmod(0o666)
    assert node.run().statuses()["sudo"] == "applied"
    assert (node.root / SUDOERS).stat().st_mode & 0o7777 == 0o440


def test_nothing_is_written_without_sudo_users(world: Callable[..., World]) -> None:
    node = world("login-1", missing_commands=["visudo"])
    assert node.run().statuses()["sudo"] == "unchanged"


def test_nothing_is_installed_without_visudo(world: Callable[..., World]) -> None:
    node = world("login-1", missing_commands=["visudo"])
    node.edit("cluster.json", with_sudo)
    run = node.run()
    assert run.code == 1
    assert "the image has no command visudo" in run.last
    assert not (node.root / SUDOERS).exists()
