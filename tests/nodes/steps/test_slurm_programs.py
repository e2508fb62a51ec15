"""Slurm's programs of AWS PCS: the link, several versions, images without."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.nodes.world import World


def link(node: World) -> Path:
    return node.root / "opt/slurm"


def test_oldest_version_is_linked(world: Callable[..., World]) -> None:
    node = world("login-1", "pcs")
    (node.root / "opt/aws/pcs/scheduler/slurm-25.05").mkdir()
    (node.root / "opt/aws/pcs/scheduler/other").mkdir()
    assert node.run(only=["slurm_programs"]).code == 0
    assert str(link(node).readlink()) == "/opt/aws/pcs/scheduler/slurm-25.05"


def test_link_follows_the_versions_of_the_image(world: Callable[..., World]) -> None:
    node = world("login-1", "pcs")
    node.run(only=["slurm_programs"])
    (node.root / "opt/aws/pcs/scheduler/slurm-25.11").rename(
        node.root / "opt/aws/pcs/scheduler/slurm-26.05"
    )
    assert node.run(only=["slurm_programs"]).statuses()["slurm_programs"] == "applied"
    assert link(node).readlink().name == "slurm-26.05"


def test_image_without_slurm_fails(world: Callable[..., World]) -> None:
    node = world("login-1", "pcs")
    shutil.rmtree(node.root / "opt/aws/pcs/scheduler")
    ran = node.run(only=["slurm_programs"])
    assert ran.code == 1
    assert "the image has no Slurm in /opt/aws/pcs/scheduler" in ran.last


def test_other_slurm_in_the_image_is_not_hidden(world: Callable[..., World]) -> None:
    node = world("login-1", "pcs")
    link(node).mkdir(parents=True)
    ran = node.run(only=["slurm_programs"])
    assert ran.code == 1
    assert "/opt/slurm is a folder of the image" in ran.last


def test_other_platforms_have_their_own(world: Callable[..., World]) -> None:
    ran = world("login-1", "managed").run(only=["slurm_programs"])
    assert ran.statuses()["slurm_programs"] == "skipped"
