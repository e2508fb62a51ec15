"""Files in users' home directories, written by root without following links.

A home directory belongs to its user, who may create symbolic links in it, and is on a file system
that all nodes change in the same way at the same time. So folders are opened without following
links and used through their file descriptors; a file is created under a name with the node's name
and renamed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from clusterwright_node.errors import StepError
from clusterwright_node.machine import Machine, write_all

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BEGIN = "# BEGIN clusterwright (keys between these lines are replaced)"
_END = "# END clusterwright"
_LARGEST_FILE_BYTES = 1 << 20


class HomeFiles:
    """The home directory of one user below an open base folder. Use as a context manager."""

    def __init__(
        self, machine: Machine, base: str, name: str, uid: int, gid: int, token: str
    ) -> None:
        self._machine = machine
        self._path = "{}/{}".format(base.rstrip("/"), name)
        self._base = machine.path(base)
        self._name = name
        self._uid = uid
        self._gid = gid
        self._token = token

    def why_not_right(self, authorized: str) -> str | None:
        """What is missing or wrong; None if nothing is. Changes nothing."""
        with self._opened_base() as base, contextlib.ExitStack() as stack:
            home = self._open(stack, base, self._name)
            if home is None:
                return f"{self._path} does not exist"
            if self._owner(home) != (self._uid, self._gid):
                return f"{self._path} has the wrong owner"
            ssh = self._open(stack, home, ".ssh")
            if ssh is None:
                return f"{self._path}/.ssh does not exist" if authorized else None
            if self._owner(ssh) != (self._uid, self._gid) or _mode(ssh) != 0o700:
                return f"{self._path}/.ssh has the wrong owner or mode"
            if self._read(ssh) != with_keys(self._read(ssh), authorized):
                return f"{self._path}/.ssh/authorized_keys is outdated"
        return None

    def make_right(self, authorized: str) -> None:
        """Create the home directory, .ssh and authorized_keys. Other nodes may do the same at the
        same time.
        """
        with self._opened_base() as base, contextlib.ExitStack() as stack:
            home = self._folder(stack, base, self._name, self._path, 0o700)
            if not authorized and self._open(stack, home, ".ssh") is None:
                return
            ssh = self._folder(stack, home, ".ssh", self._path + "/.ssh", 0o700)
            if _mode(ssh) != 0o700:
                with self._machine.action(f"chmod {self._path}/.ssh"):
                    os.fchmod(ssh, 0o700)
            self._write_keys(ssh, authorized)

    def _folder(
        self, stack: contextlib.ExitStack, parent: int, name: str, path: str, mode: int
    ) -> int:
        with contextlib.suppress(FileExistsError):
            if self._open(stack, parent, name) is None:
                with self._machine.action("mkdir " + path):
                    os.mkdir(name, 0o700, dir_fd=parent)
        folder = self._open(stack, parent, name)
        if folder is None:
            raise StepError(
                f"{path} was removed while it was created",
                "find out what removes it",
                transient=True,
            )
        owner = self._owner(folder)
        if owner == (0, 0):
            # Created by this program on a node that has not done this yet. Set the owner last:
            # the right owner shows that all is done.
            with self._machine.action("chown " + path):
                os.fchmod(folder, mode)
                self._machine.set_owner(folder, self._uid, self._gid)
        elif owner != (self._uid, self._gid):
            raise StepError(
                f"{path} belongs to {owner[0]}:{owner[1]}, not to {self._name}"
                f" ({self._uid}:{self._gid})",
                "use the old numbers in the users file, or chown the files",
            )
        return folder

    def _write_keys(self, ssh: int, authorized: str) -> None:
        path = self._path + "/.ssh/authorized_keys"
        old = self._read(ssh)
        text = with_keys(old, authorized)
        if text == old:
            return
        temporary = f".authorized_keys.clusterwright-{self._token}"
        with self._machine.action("write " + path):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=ssh)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(temporary, flags, 0o600, dir_fd=ssh)
            try:
                write_all(handle, (text or "").encode("utf-8", "surrogateescape"))
                os.fchmod(handle, 0o600)
                self._machine.set_owner(handle, self._uid, self._gid)
                os.fsync(handle)
            finally:
                os.close(handle)
            self._machine.between("write " + path)
            if self._read(ssh) != old:
                os.unlink(temporary, dir_fd=ssh)
                raise StepError(f"{path} was changed concurrently", "none needed", transient=True)
            os.rename(temporary, "authorized_keys", src_dir_fd=ssh, dst_dir_fd=ssh)
            os.fsync(ssh)

    def _read(self, ssh: int) -> str | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            handle = os.open("authorized_keys", flags, dir_fd=ssh)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._astray("authorized_keys", error) from None
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_FILE_BYTES:
                raise StepError(
                    f"{self._path}/.ssh/authorized_keys is not a file of reasonable size",
                    "remove it",
                )
            with os.fdopen(handle, "rb", closefd=False) as stream:
                return stream.read().decode("utf-8", "surrogateescape")
        finally:
            os.close(handle)

    def _open(self, stack: contextlib.ExitStack, parent: int, name: str) -> int | None:
        try:
            handle = os.open(name, _FOLDER, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._astray(name, error) from None
        stack.callback(os.close, handle)
        return handle

    def _astray(self, name: str, error: OSError) -> Exception:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            return StepError(
                f"{name} of user {self._name} is a link or not a folder",
                "root follows no links in home directories: replace it with a folder or file",
            )
        return error

    def _owner(self, handle: int) -> tuple[int, int]:
        return self._machine.owner(handle)

    @contextlib.contextmanager
    def _opened_base(self) -> Iterator[int]:
        handle = os.open(self._base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield handle
        finally:
            os.close(handle)


def with_keys(old: str | None, authorized: str) -> str | None:
    """authorized_keys with the marked block replaced by `authorized`; other lines do not
    change.
    """
    kept: list[str] = []
    inside = False
    for line in (old or "").splitlines(keepends=True):
        if line.rstrip("\n") == _BEGIN:
            inside = True
        elif line.rstrip("\n") == _END and inside:
            inside = False
        elif not inside:
            kept.append(line)
    if not authorized:
        return "".join(kept) if old is not None else None
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    return "".join(kept) + f"{_BEGIN}\n{authorized}{_END}\n"


def _mode(handle: int) -> int:
    return stat.S_IMODE(os.fstat(handle).st_mode)
