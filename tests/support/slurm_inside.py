"""The node program's machine inside RealSlurm: its files, its commands, real Slurm, real MariaDB.

There is no systemd inside, and no AWS: two commands stand in for them. `systemctl` starts and
stops the daemons themselves, `aws` answers from two files.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from clusterwright_node.machine import Machine, Result

from tests.support.real_slurm import RealSlurm

SECRETS = "/srv/secrets"
TOPOLOGY = "/srv/topology.json"

SYSTEMCTL = """#!/bin/bash
verb=$1 unit=${2%.service}
declare -A program=([munge]=munged [mariadb]=mariadbd [slurmdbd]=slurmdbd [slurmctld]=slurmctld)
# A slurmctld that read its files again is called by the file behind Debian's alternative.
name="${program[$unit]}(-wlm)?"
case $verb in
  show)
    # A daemon that reads its files again hands over to a new process, which one look may miss.
    active=inactive
    for _ in 1 2 3; do pgrep -x "$name" >/dev/null && active=active && break; sleep 0.1; done
    printf 'LoadState=loaded\\nActiveState=%s\\nUnitFileState=enabled\\n' "$active"
    printf 'NeedDaemonReload=no\\n' ;;
  enable | daemon-reload) ;;
  stop | restart)
    while pkill -x "$name"; do sleep 0.05; done
    [ "$verb" = stop ] && exit 0 ;;&
  start | restart)
    pgrep -x "$name" >/dev/null && exit 0
    case $unit in
      munge) setpriv --reuid=munge --regid=munge --clear-groups munged ;;
      mariadb)
        install -d -o mysql /run/mysqld
        setsid mariadbd --user=mysql </dev/null >/var/log/mariadb.log 2>&1 &
        until mariadb-admin ping >/dev/null 2>&1; do sleep 0.05; done ;;
      *)
        install -d -o slurm /run/slurmdbd /run/slurmctld
        as="setpriv --reuid=slurm --regid=slurm --clear-groups"
        setsid $as "$unit" -D </dev/null >"/tmp/$unit.log" 2>&1 & ;;
    esac ;;
esac
"""

AWS = f"""#!/bin/bash
case "$1 $2" in
  "secretsmanager get-secret-value") cat "{SECRETS}/${{4##*/}}" ;;
  "ec2 describe-instance-topology") cat {TOPOLOGY} ;;
  *) exit 252 ;;
esac
"""


class InsideMachine(Machine):
    """The real machine, with every path and command inside the namespaces."""

    def __init__(self, slurm: RealSlurm) -> None:
        super().__init__(str(slurm.root_from_outside))
        self._slurm = slurm
        self.ran: list[tuple[str, ...]] = []
        self.changes: list[str] = []

    def hostname(self) -> str:
        return self._slurm.NAME

    def has_command(self, name: str) -> bool:
        return self._slurm.run("sh", "-c", f"command -v {shlex.quote(name)}").returncode == 0

    def can_connect(self, host: str, port: int, timeout_seconds: float = 3.0) -> bool:
        return self._slurm.run("bash", "-c", f"</dev/tcp/{host}/{port}").returncode == 0

    def before(self, label: str) -> None:
        self.changes.append(label)

    def execute(self, argv: Sequence[str], timeout_seconds: float) -> Result:
        self.ran.append(tuple(argv))
        done = subprocess.run(
            self._slurm.argv(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=min(timeout_seconds, 60),
            check=False,
            env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"},
        )
        return Result(tuple(argv), done.returncode, done.stdout, done.stderr)


def prepare(slurm: RealSlurm) -> None:
    """Install the two commands, and a MariaDB folder with its own settings."""
    for name, text in (("systemctl", SYSTEMCTL), ("aws", AWS)):
        path = Path(slurm.root_from_outside) / "usr/local/bin" / name
        path.write_text(text)
        path.chmod(0o755)
    (Path(slurm.root_from_outside) / SECRETS.lstrip("/")).mkdir(parents=True, exist_ok=True)
