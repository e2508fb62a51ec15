"""The step that creates home directories and SSH keys; details are in test_home_files."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.nodes.world import World, input_files

KEY = input_files("managed")["cluster.json"]["users"][0]["ssh_public_keys"][0]


def test_user_has_a_home_and_keys(world: Callable[..., World]) -> None:
    node = world("login-1")
    assert node.run().statuses()["user_homes"] == "applied"
    home = node.root / "home/ada"
    assert home.stat().st_mode & 0o7777 == 0o700
    assert (home / ".ssh").stat().st_mode & 0o7777 == 0o700
    keys = home / ".ssh/authorized_keys"
    assert keys.stat().st_mode & 0o7777 == 0o600
    assert KEY in keys.read_text().splitlines()


def test_removed_key_is_revoked_and_the_users_own_keys_are_kept(
    world: Callable[..., World],
) -> None:
    node = world("login-1")
    node.run()
    keys = node.root / "home/ada/.ssh/authorized_keys"
    keys.write_text("ssh-rsa AAAA own\n" + keys.read_text())
    node.edit("cluster.json", lambda c: c["users"][0].update(ssh_public_keys=[]))
    assert node.run().statuses()["user_homes"] == "applied"
    assert keys.read_text() == "ssh-rsa AAAA own\n"
    assert node.run().statuses()["user_homes"] == "unchanged"


def test_home_of_another_uid_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1")
    run = node.run()
    descriptor = os.open(node.root / "home/ada", os.O_RDONLY)
    run.machine.set_owner(descriptor, 4711, 4711)
    os.close(descriptor)
    again = node.run()
    assert again.code == 1
    assert "/home/ada belongs to 4711:4711, not to ada (5001:5001)" in again.last
    assert "chown" in again.last
