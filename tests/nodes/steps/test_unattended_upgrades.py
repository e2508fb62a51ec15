"""The step that excludes interdependent packages from unattended upgrades."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.unattended_upgrades import APART, TOGETHER, left_alone
from tests.nodes.world import World

CONF = "etc/apt/apt.conf.d/90clusterwright"


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_only_interdependent_packages_are_excluded(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    assert node.run().statuses()["unattended_upgrades"] == "applied"
    assert left_alone(node.root / CONF, *TOGETHER, *APART) == set(TOGETHER)
    assert node.run().statuses()["unattended_upgrades"] == "unchanged"


def test_changed_file_is_restored(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    (node.root / CONF).write_text("Unattended-Upgrade::Package-Blacklist {\n};\n")
    assert node.run().statuses()["unattended_upgrades"] == "applied"
    assert left_alone(node.root / CONF, "linux-aws") == {"linux-aws"}


def test_an_image_without_apt_is_skipped(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "etc/apt/apt.conf.d").rmdir()
    run = node.run()
    assert run.end_of("unattended_upgrades")["hint"] == "the image has no apt"
    assert not (node.root / CONF).exists()
