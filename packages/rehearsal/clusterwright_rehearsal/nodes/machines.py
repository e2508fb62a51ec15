"""One emulated machine: systemd-nspawn with a real systemd as its first process.

Each machine has its own host name, network namespace, process tree, cgroups, and a disk that is
an overlay on the image. The machine's folder contains `disk/` (the upper layer of the overlay),
`store/` (the instance store), `console.log`, and `machine.json`, through which another process can
locate the machine.

The options of nspawn are chosen for a host whose first process is not systemd and that may not
raise its own limits; each is needed there and harmless elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.network import Network
from clusterwright_rehearsal.registry import Registry, start_time

PATH = (
    "/opt/slurm/bin:/opt/slurm/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)
_CGROUPS = Path("/sys/fs/cgroup")
_REBOOT_CODE = 133
"""The exit code of systemd-nspawn with `--keep-unit` when the machine reboots (nspawn.c)."""
_BOOT_SECONDS = 60.0
_STOP_SECONDS = 30.0
_UP = ("running", "degraded", "starting")


@dataclass(frozen=True)
class CommandResult:
    """Exit code and output of a command inside a machine."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def ok(self) -> bool:
        return self.returncode == 0

    @property
    def output_tail(self) -> str:
        """The end of stderr, or of stdout if stderr is empty, in one line (500 characters)."""
        return " ".join((self.stderr.strip() or self.stdout.strip()).split())[-500:]


class MachineDown(RehearsalError):
    """The machine is not running."""


@dataclass
class Site:
    """The folder, image, network and registry that all machines of a run share."""

    run: str
    folder: Path
    image: Path
    network: Network
    registry: Registry

    @property
    def shared(self) -> Path:
        """The folder behind all shared file systems, mounted at /srv/emulation."""
        return self.folder / "shared"

    def cgroups(self) -> list[Path]:
        """The run's cgroup in each hierarchy; each machine has its own cgroup below it."""
        if (_CGROUPS / "cgroup.controllers").exists():
            found = [_CGROUPS]
        else:
            found = [p for name in ("unified", "systemd") if (p := _CGROUPS / name).is_dir()]
        return [path / f"clusterwright-{self.run}" for path in found]


@dataclass
class Machine:
    """A machine by its host name, which is unique in a run.

    Methods raise `RehearsalError` if nspawn does not start, and `MachineDown` if it has ended.
    """

    site: Site
    name: str
    address: str
    image: Path | None = None
    """The image below its disk; None for that of the run."""
    _nspawn: subprocess.Popen[bytes] | None = None
    _leader: int | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def folder(self) -> Path:
        return self.site.folder / "machines" / self.name

    @property
    def root(self) -> Path:
        """The machine's root on the host; use it only while the machine is down."""
        return self.folder / "root"

    def write_files(self, files: Mapping[str, str | bytes], mode: int = 0o644) -> None:
        """Write files to the machine's disk, also before its first boot. Paths are absolute."""
        base = Path(f"/proc/{self._leader}/root") if self.is_up() else self.folder / "disk"
        if not self.is_up():
            base.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            target = base / path.lstrip("/")
            self._make_folders(base, target.parent)
            temporary = target.with_name(f".{target.name}.writing")
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
            temporary.chmod(mode)
            temporary.rename(target)

    def boot(self) -> None:
        """Start the machine from its disk, and wait until its systemd answers."""
        with self._lock:
            self._prepare()
            self._start()
            self._wait_for_leader()
            self._write_description()

    def crash(self) -> None:
        """Terminate the instance at once, without a shutdown."""
        with self._lock, contextlib.suppress(KeyError):
            self.site.network.isolate(self.name)
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop every process at once, until the machine is terminated."""
        for folder in self.site.cgroups():
            switch = folder / self.name / "cgroup.freeze"  # cgroup v2 only
            if switch.exists():
                switch.write_text("1")
                return
        raise RehearsalError(f"{self.name} cannot be frozen: this host has no cgroup v2")

    def stop(self) -> None:
        """Shut down in an orderly way."""
        self._end(signal.SIGRTMIN + 3)

    def reboot(self) -> None:
        """Shut down and start again; the disk and the instance store are kept."""
        self.stop()
        self.boot()

    def wipe(self) -> None:
        """Delete the disk and the instance store of a machine that is down."""
        for name in ("disk", "work", "store"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def reinstall(self, image: Path | None, kept: Sequence[str]) -> None:
        """Give a machine that is down a new disk on another image, with the folders `kept`.

        Their files keep the numbers of their owners, which can have other names on the image.
        """
        disk, former, lower = self.folder / "disk", self.folder / "former-disk", self._lower
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        disk.rename(former)
        self.image = image
        for path in (one.lstrip("/") for one in kept):
            target = disk / path
            # Files that have never changed are in the image only.
            for source in (lower / path, former / path):
                if source.is_dir():
                    self._make_folders(self.folder, target)
                    _copy_contents(source, target)
            if target.is_dir():
                # Of this folder the machine sees no files of its new image.
                os.setxattr(target, "trusted.overlay.opaque", b"y")
        shutil.rmtree(former)

    def remove(self) -> None:
        """Terminate the machine and delete everything except its console log."""
        self._end(signal.SIGKILL)
        self.site.network.disconnect(self.name)
        self.wipe()
        (self.folder / "machine.json").unlink(missing_ok=True)

    def locate(self) -> None:
        """Read the machine's first process from `machine.json`, which another process wrote."""
        try:
            description = json.loads((self.folder / "machine.json").read_text())
        except (FileNotFoundError, ValueError):
            self._leader = None
        else:
            self._leader = (
                description["leader"]
                if start_time(description["leader"]) == description["started"]
                else None
            )

    @property
    def leader(self) -> int | None:
        """The process id of the machine's first process on the host, while it is up."""
        return self._leader if self.is_up() else None

    def is_up(self) -> bool:
        return self._leader is not None and start_time(self._leader) != ""

    @property
    def reboots(self) -> bool:
        """Whether it has shut down to reboot by itself; `reboot` starts it again."""
        return self._nspawn is not None and self._nspawn.poll() == _REBOOT_CODE

    def wait_until_down(self) -> None:
        """Return when the machine's first process has ended."""
        process = self._nspawn
        if process is not None:
            process.wait()

    def run(
        self,
        command: str | Sequence[str],
        *,
        user: str = "root",
        timeout_s: float = 120.0,
        environment: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> CommandResult:
        """Run a command inside; a string is run by bash. The exit code is 124 on a timeout."""
        started = time.monotonic()
        process = self.start(command, user=user, environment=environment, stdin=stdin is not None)
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            kill_group(process)
            stdout, stderr = process.communicate()
            return CommandResult(124, stdout, stderr, time.monotonic() - started)
        except BaseException:
            kill_group(process)
            raise
        return CommandResult(process.returncode, stdout, stderr, time.monotonic() - started)

    def start(
        self,
        command: str | Sequence[str],
        *,
        user: str = "root",
        environment: Mapping[str, str] | None = None,
        stdin: bool = False,
        merge: bool = False,
    ) -> subprocess.Popen[str]:
        """Start a command inside and leave it running; `merge` redirects stderr to stdout."""
        if not self.is_up():
            raise MachineDown(f"{self.name} is not running")
        words = ["/bin/bash", "-c", command] if isinstance(command, str) else list(command)
        variables = {
            "PATH": PATH,
            "HOME": "/root",
            "USER": user,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **self._environment(),
            **(environment or {}),
        }
        if user != "root":
            words = ["/usr/sbin/runuser", "-u", user, "--", *words]
            variables["HOME"] = f"/home/{user}"
        return subprocess.Popen(
            self.enter_command([*_env(variables), *words]),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def enter_command(self, words: Sequence[str]) -> list[str]:
        """The command on the host that runs `words` inside, in the machine's own cgroup."""
        procs = [folder / self.name / "payload" / "cgroup.procs" for folder in self.site.cgroups()]
        join = "".join(f"echo $$ >{shlex.quote(str(p))} 2>/dev/null; " for p in procs)
        enter = ["nsenter", "-t", str(self._leader), "-m", "-u", "-i", "-n", "-p", "-C", "--"]
        return ["/bin/sh", "-c", f'{join}exec "$@"', "sh", *enter, *words]

    def console(self) -> str:
        try:
            return (self.folder / "console.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    # --- starting and stopping

    @property
    def _lower(self) -> Path:
        return self.image or self.site.image

    def _prepare(self) -> None:
        if self.is_up():
            raise RehearsalError(f"{self.name} is already running")
        for name in ("disk", "work", "root", "store"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.site.shared.mkdir(exist_ok=True)
        for folder in self.site.cgroups():
            self.site.registry.add("cgroup", str(folder / self.name))
            (folder / self.name).mkdir(parents=True, exist_ok=True)
        self.site.registry.add("mount", str(self.root))
        options = (
            f"lowerdir={self._lower},upperdir={self.folder / 'disk'},"
            f"workdir={self.folder / 'work'}"
        )
        done = subprocess.run(
            ["mount", "-t", "overlay", "-o", options, f"cw-{self.name}", str(self.root)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RehearsalError(f"{self.name}: overlay: {done.stderr.strip()}")
        if not Path(f"/run/netns/cw-{self.site.run}-{self.name}").exists():
            self.site.network.connect(self.name, self.address)
        else:
            self.site.network.reconnect(self.name)

    def _start(self) -> None:
        procs = [folder / self.name / "cgroup.procs" for folder in self.site.cgroups()]
        join = "".join(f"echo $$ >{shlex.quote(str(path))}; " for path in procs)
        environment = dict(os.environ) | {
            "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1",
            "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1",
            "SYSTEMD_SECCOMP": "0",
        }
        with (self.folder / "console.log").open("ab") as console:
            self._nspawn = subprocess.Popen(
                ["/bin/sh", "-c", f'{join}exec "$@"', "sh", *self._nspawn_command()],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        self.site.registry.add_process(self._nspawn.pid, f"nspawn of {self.name}")

    def _nspawn_command(self) -> list[str]:
        return [
            "systemd-nspawn",
            "--quiet",
            "--register=no",
            "--keep-unit",
            "--boot",
            "--console=pipe",
            f"--directory={self.root}",
            f"--machine={self.name}",
            f"--hostname={self.name}",
            f"--network-namespace-path=/run/netns/cw-{self.site.run}-{self.name}",
            "--capability=all",
            "--resolv-conf=off",
            "--timezone=off",
            "--link-journal=no",
            f"--bind={self.site.shared}:/srv/emulation",
            f"--bind={self.folder / 'store'}:/srv/instance-store",
        ]

    def _wait_for_leader(self) -> None:
        assert self._nspawn is not None
        ends = time.monotonic() + _BOOT_SECONDS
        leader: int | None = None
        while time.monotonic() < ends:
            if self._nspawn.poll() is not None:
                raise RehearsalError(
                    f"{self.name}: systemd-nspawn ended: {self.console().strip()[-400:]}"
                )
            # Read in each pass: the first child is a helper that starts the machine's init.
            leader = _child_of(self._nspawn.pid)
            if leader is not None and self._answers(leader):
                self._leader = leader
                self.site.registry.add_process(leader, f"first process of {self.name}")
                return
            time.sleep(0.03)
        raise RehearsalError(f"{self.name} did not start within {_BOOT_SECONDS:.0f} s")

    def _answers(self, leader: int) -> bool:
        if not Path(f"/proc/{leader}/root/run/dbus/system_bus_socket").exists():
            return False
        done = subprocess.run(
            ["nsenter", "-t", str(leader), "-a", "systemctl", "is-system-running"],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip() in _UP

    def _end(self, signal_number: int) -> None:
        with self._lock:
            process, leader = self._nspawn, self._leader
            if process is not None and process.poll() is None:
                if leader is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(leader, signal_number)
                else:
                    process.kill()
                try:
                    process.wait(5.0 if signal_number == signal.SIGKILL else _STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    if leader is not None:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(leader, signal.SIGKILL)
                    process.kill()
                    process.wait()
            self._leader = None
            subprocess.run(["umount", "--lazy", str(self.root)], capture_output=True, check=False)
            self._remove_cgroups()

    def _remove_cgroups(self) -> None:
        for folder in self.site.cgroups():
            for path in sorted((folder / self.name).rglob("*"), reverse=True):
                if path.is_dir():
                    with contextlib.suppress(OSError):
                        path.rmdir()
            with contextlib.suppress(OSError):
                (folder / self.name).rmdir()

    def _write_description(self) -> None:
        (self.folder / "machine.json").write_text(
            json.dumps(
                {
                    "name": self.name,
                    "address": self.address,
                    "leader": self._leader,
                    "started": start_time(self._leader or 0),
                }
            )
        )

    def _environment(self) -> dict[str, str]:
        path = self.folder / "environment.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def set_environment(self, variables: Mapping[str, str]) -> None:
        """Set variables for all commands that `run` starts, also after a restart of the worker."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "environment.json").write_text(json.dumps(dict(variables)))

    @staticmethod
    def _make_folders(base: Path, folder: Path) -> None:
        missing = []
        while folder != base and not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        for directory in reversed(missing):
            directory.mkdir(mode=0o755, exist_ok=True)


def _env(variables: Mapping[str, str]) -> list[str]:
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items())]


def _copy_contents(source: Path, target: Path) -> None:
    """Copy a folder over another; marks of removed files of an overlay replace the files."""
    words = ["cp", "-dR", "--preserve=mode,ownership,timestamps", "--remove-destination"]
    done = subprocess.run(
        [*words, f"{source}/.", str(target)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RehearsalError(f"{source}: {done.stderr.strip()}")


def _child_of(pid: int) -> int | None:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a command that `Machine.start` started, with its process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
