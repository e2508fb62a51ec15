"""The cache folder: its path, and the files that are read from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clusterwright.aws import user_cache
from clusterwright.review import synthesis


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"HOME": "/home/x"},
        {"HOME": "/home/x", "XDG_CACHE_HOME": "/cache"},
        {"HOME": "/home/x", "CLUSTERWRIGHT_CACHE": "/own"},
        {"HOME": "/home/x", "CLUSTERWRIGHT_CACHE": ""},
    ],
)
def test_cache_has_one_folder(environment: dict[str, str]) -> None:
    assert user_cache.folder(environment, "synthesis") == synthesis.cache_folder(environment)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"HOME": "/home/x"}, Path("/home/x/.cache/clusterwright/models")),
        ({"HOME": "/home/x", "XDG_CACHE_HOME": "/cache"}, Path("/cache/clusterwright/models")),
        ({"HOME": "/home/x", "CLUSTERWRIGHT_CACHE": "/own"}, Path("/own/models")),
        ({"HOME": "/home/x", "CLUSTERWRIGHT_CACHE": ""}, None),
    ],
)
def test_folder_by_environment(environment: dict[str, str], expected: Path | None) -> None:
    assert user_cache.folder(environment, "models") == expected


def test_a_kept_file_is_read_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    user_cache.keep(path, b"first")
    assert user_cache.read(path) == b"first"
    user_cache.keep(path, b"second")
    assert user_cache.read(path) == b"second"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_is_not_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    path.chmod(mode)
    assert user_cache.read(path) is None


def test_what_is_not_a_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert user_cache.read(tmp_path / "pipe") is None
    assert user_cache.read(tmp_path) is None
    assert user_cache.read(tmp_path / "missing") is None


def test_a_file_of_another_user_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    user_cache.keep(path, b"content")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert user_cache.read(path) is None


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    user_cache.keep(tmp_path / "file" / "below", b"content")
    # A folder has the name of the file.
    (tmp_path / "taken" / "inner").mkdir(parents=True)
    user_cache.keep(tmp_path / "taken", b"content")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "taken"]
