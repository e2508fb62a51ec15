"""Bounded reading and atomic writing of files that the user names."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

MAXIMUM_BYTES: Final = 10_000_000
"""Far above any plan, list of outputs or lock file; a larger file, or a device, is a mistake."""

MAXIMUM_FOLDER_BYTES: Final = 268_435_456
"""All files of a folder of scripts: half of the default ephemeral storage of a Lambda function
(512 MiB, Lambda developer guide, quotas), which stores the archive and its content."""

_BLOCK_BYTES: Final = 1_048_576
_ATTEMPTS: Final = 100
"""To replace a file that other processes replace at the same time."""

# Errors of a file system that cannot create a file without a name.
_NOT_SUPPORTED: Final = frozenset(
    {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.ENOSYS}
)


class FileTooLargeError(OSError):
    """The file is larger than the reader accepts; `strerror` states the limit."""

    def __init__(self, path: Path, maximum_bytes: int, *, together: bool = False) -> None:
        what = "with it the folder has" if together else "it has"
        reason = f"{what} more than {maximum_bytes:,} bytes"
        super().__init__(errno.EFBIG, reason, os.fspath(path))


def read_bytes(path: str | os.PathLike[str], maximum_bytes: int = MAXIMUM_BYTES) -> bytes:
    """Return the content of a file.

    Raises
    ------
    FileTooLargeError
        It has more than `maximum_bytes`; a device or a pipe is read up to there.
    OSError
        It cannot be read.
    """
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(maximum_bytes + 1)
    except ValueError as error:  # a name with a null character
        raise OSError(errno.EINVAL, str(error), os.fspath(path)) from None
    if len(content) > maximum_bytes:
        raise FileTooLargeError(Path(path), maximum_bytes)
    return content


def read_text(path: str | os.PathLike[str], maximum_bytes: int = MAXIMUM_BYTES) -> str:
    """Return the UTF-8 text of a file, without a byte order mark.

    Raises
    ------
    UnicodeDecodeError
        It is not UTF-8.
    FileTooLargeError, OSError
        As `read_bytes`.
    """
    return read_bytes(path, maximum_bytes).decode("utf-8-sig")


def read_all(
    paths: Iterable[Path], maximum_bytes: int = MAXIMUM_FOLDER_BYTES
) -> dict[Path, bytes]:
    """Return the contents of files that together have at most `maximum_bytes`.

    Raises
    ------
    FileTooLargeError
        With this file the limit is exceeded.
    OSError
        One cannot be read.
    """
    found: dict[Path, bytes] = {}
    left = maximum_bytes
    for path in paths:
        try:
            found[path] = read_bytes(path, left)
        except FileTooLargeError:
            raise FileTooLargeError(path, maximum_bytes, together=True) from None
        left -= len(found[path])
    return found


def sha256(path: Path, maximum_bytes: int = MAXIMUM_FOLDER_BYTES) -> str:
    """Return the SHA-256 digest of a file in hexadecimal digits, without holding it in memory.

    Raises
    ------
    FileTooLargeError, OSError
        As `read_bytes`.
    """
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            size += len(block)
            if size > maximum_bytes:
                raise FileTooLargeError(path, maximum_bytes)
            digest.update(block)
    return digest.hexdigest()


def copy(source: Path, target: Path, maximum_bytes: int = MAXIMUM_FOLDER_BYTES) -> None:
    """Copy a file into a folder of our own.

    Raises
    ------
    FileTooLargeError
        It has more than `maximum_bytes`.
    OSError
        It cannot be read or written.
    """
    if source.stat().st_size > maximum_bytes:
        raise FileTooLargeError(source, maximum_bytes)
    shutil.copyfile(source, target)


def write_over(path: Path, text: str) -> None:
    """Write a file that may exist: a regular file atomically, a device or a pipe as it is.

    A symbolic link stays, and its target is written.

    Raises
    ------
    OSError
        The file cannot be written; what was there is unchanged.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        write_atomically(path.resolve(), text)


def write_atomically(
    path: Path, content: bytes | str, *, overwrite: bool = True, mode: int = 0o666
) -> None:
    """Write a file in one step: readers see the old content or the new, never a part.

    On Linux the file has no name until it is complete, so that a process that is killed leaves
    nothing, or one complete draft, which the next write of the file removes. Text is written as
    UTF-8.

    Parameters
    ----------
    mode:
        The permissions, from which those of the umask are removed.

    Raises
    ------
    FileExistsError
        The file exists, and `overwrite` is false.
    OSError
        The file cannot be written; what was there is unchanged.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    for _ in range(_ATTEMPTS):
        try:
            descriptor = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
        except AttributeError:  # not Linux
            _write_by_name(path, data, overwrite, mode)
            return
        except OSError as error:
            if error.errno not in _NOT_SUPPORTED:
                raise
            _write_by_name(path, data, overwrite, mode)
            return
        try:
            _fill(descriptor, data)
            if _link(descriptor, path, overwrite):
                return
        finally:
            os.close(descriptor)
    raise OSError(errno.EBUSY, "other processes replace it", os.fspath(path))


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)  # some file systems report a full disk only here


def _link(descriptor: int, path: Path, overwrite: bool) -> bool:
    """Name the file; return whether no other process took the draft of the same file."""
    source = f"/proc/self/fd/{descriptor}"
    # Only with a directory descriptor does Python follow the link in /proc (linkat).
    try:
        os.link(source, path, src_dir_fd=descriptor, follow_symlinks=True)
    except FileExistsError:
        if not overwrite:
            raise
    else:
        return True
    # One name for each file and user, so that the draft of a killed process does not stay.
    name = hashlib.sha256(f"{os.getuid()}/{path.name}".encode("utf-8", "surrogateescape"))
    draft = path.with_name(f".{name.hexdigest()[:16]}.draft")
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft, src_dir_fd=descriptor, follow_symlinks=True)
        _replace(draft, path)
    except (FileExistsError, FileNotFoundError):
        return False
    return True


def _write_by_name(path: Path, data: bytes, overwrite: bool, mode: int) -> None:
    draft = _draft_name(path)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            _fill(descriptor, data)
        finally:
            os.close(descriptor)
        if not overwrite:
            os.link(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if overwrite:
        _replace(draft, path)
    else:
        draft.unlink()


def _replace(draft: Path, path: Path) -> None:
    try:
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _draft_name(path: Path) -> Path:
    # Short, because the name of the file may have the maximum length.
    return path.with_name(f".{secrets.token_hex(8)}.draft")
