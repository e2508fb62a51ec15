"""Bounded reading and atomic writing."""

from __future__ import annotations

import errno
import hashlib
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


def test_folder_has_one_limit_for_all_its_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_bytes(b"x" * 600)
    assert files.read_all(paths, 1200) == dict.fromkeys(paths, b"x" * 600)
    with pytest.raises(files.FileTooLargeError) as caught:
        files.read_all(paths, 1199)
    assert caught.value.filename == str(paths[1])
    assert caught.value.strerror == "with it the folder has more than 1,199 bytes"


def test_digest_and_copy_are_bounded(tmp_path: Path) -> None:
    path, target = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"x" * 600)
    assert files.sha256(path, 600) == hashlib.sha256(b"x" * 600).hexdigest()
    files.copy(path, target, 600)
    assert target.read_bytes() == b"x" * 600
    for act in (lambda: files.sha256(path, 599), lambda: files.copy(path, tmp_path / "c", 599)):
        with pytest.raises(files.FileTooLargeError, match="more than 599 bytes"):
            act()
    assert not (tmp_path / "c").exists()
    with pytest.raises(files.FileTooLargeError):
        files.sha256(Path("/dev/zero"), 10_000_000)


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


def test_draft_of_a_killed_process_is_removed_by_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    program = (
        "import os, pathlib, signal\n"
        "from clusterwright import files\n"
        "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"files.write_atomically(pathlib.Path({os.fspath(path)!r}), 'text')\n"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], check=False)
        assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    files.write_atomically(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("lost", [1, 3])
def test_file_is_written_again_when_another_process_takes_its_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    replace, left = Path.replace, [lost]

    def taken(draft: Path, target: Path) -> Path:
        if left[0]:
            left[0] -= 1
            draft.unlink()  # as the other process does before it links its own
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", taken)
    files.write_atomically(path, "new")
    assert (path.read_text(), left) == ("new", [0])
    assert list(tmp_path.iterdir()) == [path]
    left[0] = 1000
    with pytest.raises(OSError, match="other processes replace it"):
        files.write_atomically(path, "newer")
    assert path.read_text() == "new"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
