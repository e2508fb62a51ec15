"""The machine in the account of the service that runs slurmctld, slurmdbd and MariaDB.

Its address is that of the cluster's endpoints, which is all that the account of the cluster sees
of it: it is no node, and no scenario has a shell on it.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from clusterwright_localaws.drivers import PcsOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.databases import BARE
from clusterwright_rehearsal.nodes.machines import Machine, MachineDown
from clusterwright_rehearsal.nodes.platform_node import until
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.pcs import slurm_files
from clusterwright_rehearsal.platforms.pcs.settings import Settings

_DATABASE = "slurm_acct_db"
_DATABASES = "/var/lib/mysql"
_MARIADB_CONF = "/etc/mysql/mariadb.conf.d/90-pcs.cnf"
_MARIADB = f"[mysqld]\ndatadir={_DATABASES}\ninnodb_snapshot_isolation=OFF\n"
"""Debian's folder of databases depends on the suite, and Slurm does not support the isolation that
MariaDB 11.8 has by default (a message of slurmdbd 26.05).
"""
_STATE = "/var/spool/slurm.state"


class Controller:
    """The controller of one cluster."""

    def __init__(self, order: PcsOrder, account: AwsClients, vpc: Vpc, settings: Settings) -> None:
        self._account = account
        self._vpc = vpc
        self._settings = settings
        self.name = f"pcs-{order.name}"
        subnet = order.members["networking"]["subnetIds"][0]
        self._machine: Machine = vpc.machine(
            self.name, order.address, subnet, account, self._image(order)
        )
        self._password = secrets.token_urlsafe(24)
        self._written: dict[str, str] = {}
        self._is_set_up = False

    def apply(self, order: PcsOrder) -> None:
        """Start the daemons, or let slurmctld read changed files."""
        if self._machine.image != self._image(order):
            self._upgrade(order)
        if not self._machine.is_up():
            self._boot(order)
        texts = slurm_files.files(order, self.name)
        if texts == self._written:
            return
        self._machine.write_files(
            {f"{slurm_files.FOLDER}/{path}": text for path, text in texts.items()}
        )
        if slurm_files.has_accounting(order):
            self._start_accounting(order)
        if not self._written:
            self._must("systemctl enable -q --now slurmctld && " + until("scontrol ping"))
        else:
            self._must(until("scontrol reconfigure"))
            self._must(until("scontrol ping"))
        self._written = texts

    def suspend(self) -> None:
        """Stop the daemons; state and accounting are kept."""
        if self._machine.is_up():
            self._machine.stop()
            # After the next boot the daemons are started by their units.
            self._written = {}

    def end(self) -> None:
        """Stop and delete it."""
        self._machine.remove()

    def run(self, command: str) -> str:
        """Run one of Slurm's commands; the output is empty while the controller is down."""
        try:
            return self._machine.run(command).stdout
        except MachineDown:
            return ""

    def must(self, command: str) -> str:
        """Run a command, which must succeed."""
        return self._must(command)

    def take(self, name: str) -> list[str]:
        """The nodes that Slurm has asked to `resume` or `suspend` since the last call."""
        each = f"for file in {slurm_files.REQUESTS}/{name}.*"
        return self.run(
            f'{each}; do [ ! -e "$file" ] || {{ cat "$file"; rm "$file"; }}; done'
        ).split()

    def expect(self, node: str, address: str) -> None:
        """Set the address of a node that has registered."""
        update = f"scontrol update nodename={node} nodeaddr={address} nodehostname={node}"
        self._must(until(update))

    def slurmd_started(self, node: str) -> str:
        """When the slurmd that has last registered for a node started; empty for none."""
        shown = self.run(f"scontrol --oneliner show node {node}")
        found = re.search(r"\bSlurmdStartTime=(\S+)", shown)
        return found.group(1) if found and found.group(1) != "None" else ""

    def states(self) -> dict[str, str]:
        """Slurm's state of every node, in lowercase."""
        words = [line.split() for line in self.run("sinfo -h -N -o '%N %T'").splitlines()]
        return {pair[0]: pair[1].lower() for pair in words if len(pair) == 2}

    # --- starting

    def _image(self, order: PcsOrder) -> Path | None:
        return self._settings.images.get(str(order.members["scheduler"]["version"]))

    def _upgrade(self, order: PcsOrder) -> None:
        """Boot with another Slurm, whose daemons convert the state and the database."""
        self._machine.stop()
        self._machine.reinstall(self._image(order), [_STATE, _DATABASES])
        self._machine.write_files({_MARIADB_CONF: _MARIADB})
        self._boot(order)
        if slurm_files.has_accounting(order):
            self._must(f"chown -R mysql:mysql {_DATABASES}")
        self._written = {}

    def _boot(self, order: PcsOrder) -> None:
        machine = self._machine
        machine.write_files(
            {
                "/etc/hosts": f"127.0.0.1 localhost\n{order.address} {machine.name}\n",
                "/etc/emulation/hardware.json": json.dumps(
                    {
                        "instance_id": machine.name,
                        "instance_type": "",
                        "cpus": 1,
                        "accelerator": BARE,
                        "efa": 0,
                        "nvme": {"count": 0},
                    }
                ),
                # An empty unit file masks the service.
                "/etc/systemd/system/dlami-nvme.service": "",
                "/etc/tmpfiles.d/pcs.conf": f"d {slurm_files.REQUESTS} 0755 slurm slurm\n",
            }
        )
        machine.write_files(slurm_files.programs(), mode=0o755)
        machine.boot()
        key = base64.b64decode(self._shared_secret(order))
        machine.write_files({slurm_files.KEY: key}, mode=0o600)
        # Also after a reboot: /run is empty then.
        self._must(
            f"chown slurm:slurm {slurm_files.KEY}"
            f" && install -d -o slurm -g slurm {slurm_files.REQUESTS} {_STATE}"
            " && for name in slurmctld slurmdbd; do touch /var/log/$name.log"
            " && chown slurm:slurm /var/log/$name.log; done"
        )

    def _start_accounting(self, order: PcsOrder) -> None:
        path = f"{slurm_files.FOLDER}/slurmdbd.conf"
        text = slurm_files.slurmdbd_conf(order, self.name, self._password)
        self._machine.write_files({path: text}, mode=0o600)
        statements = (
            f"create database if not exists {_DATABASE};"
            f"create user if not exists slurm@localhost identified by '{self._password}';"
            f"grant all on {_DATABASE}.* to slurm@localhost;"
        )
        self._must("systemctl enable -q --now mariadb")
        ran = self._machine.run(["/usr/bin/mariadb"], stdin=statements)
        if not ran.ok:
            raise RehearsalError(f"{self.name}: MariaDB: {ran.output_tail}")
        self._must(
            f"chown slurm:slurm {path} && systemctl enable -q --now slurmdbd && "
            + until("sacctmgr show clusters -Pn")
            + f" && {{ sacctmgr show clusters -Pn format=cluster | grep -qx {order.name}"
            f" || sacctmgr -iQ add cluster {order.name}; }}"
        )

    def _shared_secret(self, order: PcsOrder) -> str:
        key = order.members["slurmConfiguration"]["authKey"]
        found = self._account.client("secretsmanager").get_secret_value(
            SecretId=key["secretArn"], VersionId=key["secretVersion"]
        )
        return str(found["SecretString"])

    def _must(self, command: str) -> str:
        ran = self._machine.run(command)
        if not ran.ok:
            raise RehearsalError(f"{self.name}: `{command}`: {ran.output_tail}")
        return ran.stdout


def down(states: dict[str, str], names: Sequence[str]) -> set[str]:
    """Those of the nodes whose slurmd does not answer."""
    return {name for name in names if states.get(name, "").rstrip("#~!%$@^-").startswith("down")}
