"""Slurm's own daemons in namespaces of their own: a real slurmctld to hold our files against.

The root file system of a node image is mounted once more, with a layer of its own on top, in new
mount, network, host name and process namespaces. What happens there is gone with their first
process.
Needs root and Linux.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

CONFIGURATION = "/opt/slurm/etc"
LOG = "/var/log/slurm/slurmctld.log"
_START = """
set -e
mount --make-rprivate /
mount -t tmpfs -o size=2g tmpfs "$WORK"
mkdir -p "$WORK/upper" "$WORK/work" "$WORK/root"
mount -t overlay overlay -o "lowerdir=$IMAGE,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
mount -t proc proc "$WORK/root/proc"
mount --rbind /dev "$WORK/root/dev"
mount -t tmpfs tmpfs "$WORK/root/run"
hostname "$NAME"
ip link set lo up
ip address add "$ADDRESS/32" dev lo
printf '127.0.0.1 localhost\\n%s %s\\n' "$ADDRESS" "$NAME" >"$WORK/root/etc/hosts"
mkdir -p "$WORK/root/run/munge" "$WORK/root/var/log/slurm" "$WORK/root/var/spool/slurmctld"
chroot "$WORK/root" chown slurm:slurm /var/log/slurm /var/spool/slurmctld
chroot "$WORK/root" chown munge:munge /run/munge
key="$WORK/root/etc/munge/munge.key"
test -s "$key" || head -c 128 /dev/urandom >"$key"
chroot "$WORK/root" chown munge:munge /etc/munge/munge.key
chmod 400 "$key"
chroot "$WORK/root" setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged
echo ready
# A first process that buries daemons whose parents are gone.
while :; do
  sleep 1000 &
  wait $!
done
"""


@dataclass(frozen=True)
class Answer:
    """Output of a command."""

    returncode: int
    text: str
    seconds: float


class RealSlurm:
    """One machine with an image's Slurm, and a controller called `ip-10-1-0-10`."""

    NAME = "ip-10-1-0-10"
    ADDRESS = "10.1.0.10"

    def __init__(self, image: Path, work: Path) -> None:
        work.mkdir(parents=True, exist_ok=True)
        self._root = work / "root"
        self._log = (work.parent / (work.name + ".log")).open("w")
        self._process = subprocess.Popen(
            ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child",
             "bash", "-c", _START],
            env={**os.environ, "IMAGE": str(image), "WORK": str(work), "NAME": self.NAME,
                 "ADDRESS": self.ADDRESS},
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            self.close()
            raise RuntimeError(Path(self._log.name).read_text() or "no namespace could be made")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        self._inside = children.read_text().split()[0]
        self._daemons: list[subprocess.Popen[str]] = []

    def __enter__(self) -> RealSlurm:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the first process, and everything in its namespaces with it."""
        self._process.kill()
        self._process.wait()
        for daemon in getattr(self, "_daemons", ()):
            daemon.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    @property
    def root_from_outside(self) -> Path:
        """The machine's root, as seen by other processes."""
        return Path(f"/proc/{self._inside}/root") / str(self._root).lstrip("/")

    def argv(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` inside."""
        enter = ["nsenter", "-t", self._inside, "-m", "-n", "-u", "-p"]
        return [*enter, "chroot", str(self._root), *command]

    def run(self, *command: str, stdin: str | None = None, timeout: float = 60) -> Answer:
        """Run a command inside; return its output and errors together."""
        began = time.monotonic()
        done = subprocess.run(
            self.argv(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            text=True,
            timeout=timeout,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"},
        )
        return Answer(done.returncode, done.stdout, time.monotonic() - began)

    def check(self, *command: str, stdin: str | None = None) -> str:
        """As `run`, for a command that must succeed; returns its output."""
        answer = self.run(*command, stdin=stdin)
        assert answer.returncode == 0, f"{shlex.join(command)}: {answer.text}\n{self.log()}"
        return answer.text

    def version(self) -> str:
        """For example `24.11.5`."""
        return self.check("slurmctld", "-V").split()[-1]

    def write(self, files: Mapping[str, str | None], folder: str = CONFIGURATION) -> None:
        """Write files; those that are None are removed."""
        for name, text in files.items():
            path = f"{folder}/{name}"
            if text is None:
                self.check("rm", "-f", path)
            else:
                self.check("tee", path, stdin=text)

    def spawn(self, *command: str) -> None:
        """Start a daemon in the foreground."""
        self._daemons.append(
            subprocess.Popen(
                self.argv(command),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                text=True,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"},
            )
        )

    def start_controller(self, timeout: float = 60) -> float:
        """Start slurmctld without its saved state. Return the seconds until sinfo answers."""
        self.stop_controller()
        self.check("sh", "-c", f"rm -rf /var/spool/slurmctld/* {LOG}")
        return self.resume_controller(timeout)

    def resume_controller(self, timeout: float = 60) -> float:
        """Start slurmctld with its saved state."""
        began = time.monotonic()
        self.spawn("slurmctld", "-D")
        while time.monotonic() - began < timeout:
            # sinfo itself waits for a starting controller; call it only when the controller
            # listens.
            if self.run("scontrol", "ping").returncode == 0 and not self.run("sinfo").returncode:
                return time.monotonic() - began
            if self._daemons[-1].poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"slurmctld does not respond:\n{self.log()}")

    def stop_controller(self) -> None:
        # Debian's is called slurmctld-wlm; a reconfiguration leaves another process.
        while self.run("pkill", "-KILL", "slurmctld").returncode == 0:
            time.sleep(0.01)
        for daemon in self._daemons:
            daemon.poll()

    def log(self, lines: int = 40) -> str:
        """The last lines of slurmctld's log, or of its output before it had one."""
        said = self.run("tail", "-n", str(lines), LOG)
        if said.returncode == 0:
            return said.text
        return "\n".join(Path(self._log.name).read_text().splitlines()[-lines:])

    def complaints(self) -> list[str]:
        """Errors in slurmctld's log that are about its configuration."""
        expected = (
            "Could not open",  # state files of a first start
            "No such file or directory",
            "No last_config_lite",
            "state save file",
            "recover",
            "No job state",
            "No reservation state",
            "No trigger state",
            "Incomplete",
            "fed_mgr",
            "High latency",  # of a busy machine
        )
        return [
            line
            for line in self.run("cat", LOG).text.splitlines()
            if ("error:" in line or "fatal:" in line)
            and not any(word in line for word in expected)
        ]
