"""A small file system that nodes share; the scenario `training` mounts it on machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api.small_file_system import resize, small_file_system
from packages.rehearsal.tests.scenario_api.contexts import answering, context

NO_PROCESS = 2**22 + 1


def test_a_mount_that_fails_is_undone_and_says_why(tmp_path: Path) -> None:
    found = context(tmp_path)
    commands = answering(found, {})
    found.machine(None, None).leader = NO_PROCESS
    with (
        pytest.raises(RehearsalError, match=f"/fsx/small cannot be mounted: .*{NO_PROCESS}"),
        small_file_system(found, found.compute, "/fsx/small", 8),
    ):
        pytest.fail("it was not mounted")
    assert commands[0] == "mount -t tmpfs -o size=8m,mode=1777 tmpfs /fsx/small"
    assert commands[1:] == ["umount --lazy /fsx/small"] * 2


def test_the_size_is_changed_on_one_node(tmp_path: Path) -> None:
    found = context(tmp_path)
    commands = answering(found, {})
    resize(found.compute[0], "/fsx/small", 64)
    assert commands == ["mount -o remount,size=64m /fsx/small"]
