"""Bounded reading and atomic writing."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright import files


def test_device_is_read_up_to_the_limit() -> None:
    with pytest.raises(files.FileTooLargeError) as caught:
        files.read_bytes("/dev/zero", 1000)
    assert caught.value.strerror == "it has more than 1,000 bytes"
    assert caught.value.filename == "/dev/zero"


def test_text_is_read_without_the_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa\n")
    assert files.read_text(tmp_path / "f") == "a\n"
    assert files.read_bytes(tmp_path / "f", 5) == b"\xef\xbb\xbfa\n"
    (tmp_path / "f").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        files.read_text(tmp_path / "f")
    with pytest.raises(OSError, match="null"):
        files.read_bytes("a\0b")


@pytest.mark.parametrize("by_name", [False, True])
def test_file_is_replaced_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_name: bool
) -> None:
    if by_name:
        monkeypatch.delattr(os, "O_TMPFILE")
    path = tmp_path / "f"
    files.write_atomically(path, "one", overwrite=False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
    with pytest.raises(FileExistsError):
        files.write_atomically(path, "two", overwrite=False)
    assert path.read_text() == "one"
    files.write_atomically(path, b"two", mode=0o600)
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("by_name", [False, True])
def test_full_disk_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_name: bool
) -> None:
    path = tmp_path / "f"
    path.write_text("precious")
    if by_name:
        monkeypatch.delattr(os, "O_TMPFILE")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_over(path, "new")
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_over_keeps_links_and_devices(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    files.write_over(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    files.write_over(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()


def test_process_that_is_killed_leaves_no_file(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, signal\n"
        "from clusterwright import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"files.write_atomically(pathlib.Path({os.fspath(tmp_path / 'f')!r}), 'text')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
