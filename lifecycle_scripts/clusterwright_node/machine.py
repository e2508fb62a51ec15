"""The machine of the program: its files below a root, its commands, its clock.

All access to the machine is in this module, so that tests run the real program on a fake machine
and can kill it between any two changes. Three kinds of access:

- `query`: a command that only reads, or a probe that leaves no change;
- `change`: a command that changes the machine;
- files: read, or written atomically (temporary file, fsync, rename, fsync of the
  folder).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import posixpath
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clusterwright_node.errors import CommandError, CommandOutOfTime

_PATH = (
    "/opt/slurm/bin:/opt/slurm/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)
_GRACE_SECONDS = 5.0
_PATIENCE = {"AWS_METADATA_SERVICE_TIMEOUT": "5", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "5"}
"""How long `aws` waits for the node's credentials. Its own second and single attempt (botocore,
configprovider.py) are too few while everything starts at once, and it then reports that there are
none.
"""
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Result:
    """The result of a command."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.returncode == 0

    @property
    def said(self) -> str:
        """The end of stderr, or of stdout, in one line."""
        words = " ".join((self.stderr.strip() or self.stdout.strip() or "no output").split())
        return words if len(words) <= 300 else "..." + words[-297:]


def failure_of(result: Result) -> CommandError:
    """The error for a command that should have exited 0."""
    command = " ".join(result.argv)
    return CommandError(f"`{command}` exited {result.returncode}: {result.said}")


class Machine:
    """The real machine. Tests use a subclass."""

    def __init__(self, root: str = "/") -> None:
        self.root = Path(root)
        self._observing = False
        self._limit_seconds: float | None = None

    # --- time and names

    def monotonic(self) -> float:
        return time.monotonic()

    def cpu_seconds(self) -> float:
        """CPU time, user and system, of this process and of its children that have ended."""
        return sum(os.times()[:4])

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def timestamp(self) -> str:
        """Now, in UTC, with milliseconds."""
        now = time.time()
        return (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
            + f".{int(now * 1000) % 1000:03d}Z"
        )

    def hostname(self) -> str:
        return socket.gethostname()

    def is_root(self) -> bool:
        return os.geteuid() == 0

    # --- commands

    def has_command(self, name: str) -> bool:
        return shutil.which(name, path=self._search_path()) is not None

    def query(self, *argv: str, timeout_seconds: float = 20.0) -> Result:
        """Run a command that only reads. Does not raise for a non-zero exit code."""
        return self._checked(argv, timeout_seconds)

    def change(self, *argv: str, timeout_seconds: float = 300.0) -> Result:
        """Run a command that changes the machine. Raises CommandError unless it exits 0."""
        with self.action("run " + " ".join(argv)):
            result = self._checked(argv, timeout_seconds)
        if not result.ok:
            raise failure_of(result)
        return result

    def can_connect(self, host: str, port: int, timeout_seconds: float = 3.0) -> bool:
        """Whether something accepts TCP connections there."""
        try:
            with socket.create_connection((host, port), timeout=timeout_seconds):
                return True
        except OSError:
            return False

    # --- files; every path is absolute and seen from the root

    def path(self, path: str) -> Path:
        assert path.startswith("/"), path
        return self.root / path.lstrip("/")

    def exists(self, path: str) -> bool:
        return self.path(path).exists()

    def read_text(self, path: str) -> str | None:
        """The text of a file, None if there is none."""
        try:
            return self.path(path).read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def mode_of(self, path: str) -> int | None:
        """Permission bits, None if the path does not exist."""
        try:
            return stat.S_IMODE(self.path(path).stat().st_mode)
        except FileNotFoundError:
            return None

    def has_text(self, path: str, text: str, mode: int) -> bool:
        """Whether a file has this text and these permission bits."""
        return self.read_text(path) == text and self.mode_of(path) == mode

    def sha256_of(self, path: str) -> str | None:
        """The digest of a file, which need not be text; None if there is none."""
        try:
            with self.path(path).open("rb") as reading:
                found = hashlib.sha256()
                for chunk in iter(lambda: reading.read(_CHUNK_BYTES), b""):
                    found.update(chunk)
            return found.hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def size_of(self, path: str) -> int | None:
        """The size of a file in bytes, None if there is none."""
        try:
            return self.path(path).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def owner_of(self, path: str) -> tuple[int, int] | None:
        """UID and GID of a file or folder, None if it does not exist."""
        try:
            handle = os.open(self.path(path), os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            return self.owner(handle)
        finally:
            os.close(handle)

    def listing(self, path: str) -> Sequence[str]:
        """Sorted names in a folder; empty if there is no folder."""
        try:
            return sorted(entry.name for entry in self.path(path).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return ()

    def write_text(self, path: str, text: str, mode: int = 0o644) -> None:
        """Replace a file atomically. The owner of an existing file is kept."""
        target = self.path(path)
        self.make_directory(posixpath.dirname(path))
        with self.action("write " + path):
            # The lock allows one run at a time, so a temporary file is left over from a killed
            # run.
            temporary = target.with_name(f".{target.name}.clusterwright-new")
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
            handle = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600
            )
            try:
                write_all(handle, text.encode())
                with contextlib.suppress(FileNotFoundError):
                    old = target.stat()
                    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                        os.fchown(handle, old.st_uid, old.st_gid)
                os.fchmod(handle, mode)
                os.fsync(handle)
            finally:
                os.close(handle)
            self.between("write " + path)
            temporary.replace(target)
            sync_directory(target.parent)

    def adopt(self, fresh: str, path: str, mode: int = 0o644) -> None:
        """Rename a file that a command has written, durably; root becomes its owner.

        Both are in one folder.
        """
        source, target = self.path(fresh), self.path(path)
        with self.action("adopt " + path):
            handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                os.fchmod(handle, mode)
                os.fsync(handle)
            finally:
                os.close(handle)
            self.between("adopt " + path)
            source.replace(target)
            sync_directory(target.parent)

    def make_directory(self, path: str, mode: int = 0o755) -> None:
        """Create a folder and its parents. An existing folder does not change."""
        target = self.path(path)
        if target.is_dir():
            return
        with self.action("mkdir " + path):
            target.mkdir(parents=True, exist_ok=True)
            _set_mode(target, mode)

    def set_mode(self, path: str, mode: int) -> None:
        """Change the mode of a file or folder, without following links."""
        with self.action("chmod " + path):
            _set_mode(self.path(path), mode)

    def set_file_owner(self, path: str, uid: int, gid: int) -> None:
        """Change the owner of a file or folder, without following links."""
        with self.action("chown " + path):
            handle = os.open(self.path(path), os.O_RDONLY | os.O_NOFOLLOW)
            try:
                self.set_owner(handle, uid, gid)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file if it exists."""
        with self.action("remove " + path), contextlib.suppress(FileNotFoundError):
            self.path(path).unlink()

    # --- ownership, separate because only root can change it

    def owner(self, handle: int) -> tuple[int, int]:
        """UID and GID of an open file or folder."""
        found = os.fstat(handle)
        return found.st_uid, found.st_gid

    def set_owner(self, handle: int, uid: int, gid: int) -> None:
        os.fchown(handle, uid, gid)

    # --- hooks for tests

    @contextlib.contextmanager
    def action(self, label: str) -> Iterator[None]:
        """The context of one change of the machine."""
        if self._observing:
            raise AssertionError(f"a check must not change the machine: {label}")
        self.before(label)
        yield
        self.after(label)

    @contextlib.contextmanager
    def observing(self) -> Iterator[None]:
        """A context in which every change is an error."""
        outer, self._observing = self._observing, True
        try:
            yield
        finally:
            self._observing = outer

    @contextlib.contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """A context in which commands end at the latest `seconds` from now."""
        outer, self._limit_seconds = self._limit_seconds, self.monotonic() + seconds
        try:
            yield
        finally:
            self._limit_seconds = outer

    def before(self, label: str) -> None:
        """Called before each change."""

    def between(self, label: str) -> None:
        """Called in the middle of a change."""

    def after(self, label: str) -> None:
        """Called after each change."""

    def execute(self, argv: Sequence[str], timeout_seconds: float) -> Result:
        """Run a command. Raises FileNotFoundError, or TimeoutError after killing the command."""
        environment: dict[str, str] = dict(os.environ, PATH=self._search_path(), LC_ALL="C")
        for name, value in _PATIENCE.items():
            environment.setdefault(name, value)
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            self._kill(process)
            raise TimeoutError from None
        except BaseException:
            self._kill(process)
            raise
        return Result(tuple(argv), process.returncode, stdout, stderr)

    def _checked(self, argv: Sequence[str], timeout_seconds: float) -> Result:
        failure = CommandError
        if self._limit_seconds is not None:
            left_seconds = max(0.1, self._limit_seconds - self.monotonic())
            if left_seconds < timeout_seconds:
                timeout_seconds, failure = left_seconds, CommandOutOfTime
        try:
            return self.execute(argv, timeout_seconds)
        except FileNotFoundError:
            raise CommandError(
                f"the image has no command {argv[0]}", "use a HyperPod image that contains it"
            ) from None
        except TimeoutError:
            raise failure(
                "`{}` did not end within {:.0f} s and was killed".format(
                    " ".join(argv), timeout_seconds
                ),
                "a mount or a service that it uses hangs; see dmesg",
            ) from None

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        """Kill the command and its children, without waiting for one that hangs in the
        kernel.
        """
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_SECONDS)

    def _search_path(self) -> str:
        return os.environ.get("PATH", "") + ":" + _PATH if os.environ.get("PATH") else _PATH


def write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _set_mode(path: Path, mode: int) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fchmod(handle, mode)
    finally:
        os.close(handle)


def sync_directory(path: Path) -> None:
    """Make a rename in the folder durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
