"""Atomic copies, JSON files and links."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from clusterwright_checkpoints import files
from clusterwright_checkpoints.files import Unsuitable


def test_a_file_is_copied_with_its_mode(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "new" / "b"
    source.write_bytes(b"content")
    source.chmod(0o640)
    expected = {"size": 7, "sha256": hashlib.sha256(b"content").hexdigest()}
    assert files.copy(source, target) == expected
    assert target.read_bytes() == b"content"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in target.parent.iterdir()] == ["b"]
    assert files.copy(source, target) == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"CONTENT", "with different content"), (b"x", "with a different size")],
)
def test_another_file_is_not_replaced(tmp_path: Path, content: bytes, reason: str) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"content")
    target.write_bytes(content)
    with pytest.raises(Unsuitable, match=reason):
        files.copy(source, target)
    assert target.read_bytes() == content


def test_only_files_are_copied(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OSError):  # noqa: PT011 - the kernel refuses to follow it
        files.copy(tmp_path / "link", tmp_path / "b")
    with pytest.raises(Unsuitable, match="is neither a file nor a folder"):
        list(files.regular_files(tmp_path))


def test_files_in_order(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "c/d/e"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in files.regular_files(tmp_path)]
    assert found == ["a", "b/1", "b/2", "c/d/e"]


def test_a_json_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "MANIFEST.json"
    for content in ({"a": 1}, {"b": 2}):
        files.write_json(path, content)
        assert json.loads(path.read_text()) == content
    with pytest.raises(TypeError):
        files.write_json(path, {"c": {1}})
    assert json.loads(path.read_text()) == {"b": 2}
    assert [entry.name for entry in tmp_path.iterdir()] == ["MANIFEST.json"]


def test_a_link_is_moved(tmp_path: Path) -> None:
    link = tmp_path / "latest"
    files.half_made(link, "node-1").symlink_to("interrupted")
    for name in ("step-1", "step-2"):
        files.point(link, name, "node-1")
        assert link.readlink() == Path(name)
    assert [entry.name for entry in tmp_path.iterdir()] == ["latest"]
    files.sync_folder(tmp_path)
