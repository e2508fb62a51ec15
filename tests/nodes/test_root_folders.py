"""Folders of root below folders that every user may write to."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from clusterwright_node import root_folders
from clusterwright_node.errors import StepError

from tests.nodes.stub_node import StubMachine, stub_node

PATH = "/scratch/docker"


class Folders(StubMachine):
    def make_directory(self, path: str, mode: int = 0o755) -> None:
        self.files.setdefault(path, "")
        self.modes.setdefault(path, mode & 0o755)

    def set_mode(self, path: str, mode: int) -> None:
        self.modes[path] = mode


@pytest.fixture
def node() -> Any:
    found = stub_node()
    found.machine = Folders()
    return found


def test_a_folder_is_made_with_its_mode(node: Any) -> None:
    assert not root_folders.is_there(node, PATH, 0o711)
    root_folders.make(node, PATH, 0o711)
    assert root_folders.is_there(node, PATH, 0o711)
    root_folders.make(node, PATH, 0o777)
    assert node.machine.modes[PATH] == 0o777


def test_a_folder_of_a_user_is_refused(node: Any) -> None:
    node.machine.files[PATH] = ""
    node.machine.owners[PATH] = (1000, 1000)
    for use in (root_folders.is_there, root_folders.make):
        with pytest.raises(StepError, match="/scratch/docker belongs to UID 1000, not to root"):
            use(node, PATH, 0o711)


def test_a_link_is_refused(node: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def owner_of(path: str) -> None:
        raise OSError(errno.ELOOP, "too many links", path)

    monkeypatch.setattr(node.machine, "owner_of", owner_of)
    with pytest.raises(StepError, match="/scratch/docker is a link"):
        root_folders.is_there(node, PATH, 0o711)


def test_other_errors_are_not_hidden(node: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def owner_of(path: str) -> None:
        raise PermissionError(errno.EACCES, "denied", Path(path))

    monkeypatch.setattr(node.machine, "owner_of", owner_of)
    with pytest.raises(PermissionError):
        root_folders.owner_without_links(node, PATH)
