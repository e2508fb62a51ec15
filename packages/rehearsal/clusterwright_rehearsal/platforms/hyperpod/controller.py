"""Slurm of one cluster: munge's key, the controller's files and daemons, changes of nodes.

In the managed configuration HyperPod does all of it. In the scripted one it writes slurm.conf and
the key, and the scripts start the daemons (the contract of AWS's public base configuration).
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.drivers import Member
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.databases import Database
from clusterwright_rehearsal.nodes.platform_node import until
from clusterwright_rehearsal.platforms.hyperpod import slurm_files
from clusterwright_rehearsal.platforms.hyperpod.node import HyperPodNode

_KEY_BYTES = 1024
_DATABASE = "slurm_acct_db"
# HyperPod's name of it is not published.
RESERVATION = "sagemaker-deep-health-check"

Members = Callable[[], list[tuple[Member, Mapping[str, Any]]]]
"""Return every node of the cluster with the specification of its group."""


class Controller:
    """The Slurm controller; the other nodes wait until it is `ready`."""

    def __init__(self, cluster_name: str, members: Members, roles: Mapping[str, str]) -> None:
        self._cluster_name = cluster_name
        self._members = members
        self._roles = roles
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._lock = threading.RLock()
        self._node: HyperPodNode | None = None
        self.ready = threading.Event()
        self.failed: str | None = None
        self._written = ""

    def role(self, group_name: str) -> str | None:
        """`Controller`, `Login` or `Compute` of a group, in both configurations."""
        return self._roles.get(group_name)

    @property
    def address(self) -> str:
        return self._controller().address

    def give_key(self, node: HyperPodNode) -> None:
        """Write munge's key to a node and start munge."""
        node.start_munge(self._key)

    def write_configuration(self, node: HyperPodNode, *, accounting: bool) -> None:
        """Write slurm.conf and its companion files for the current nodes of the cluster."""
        compute = self._compute()
        controller = self._controller()
        conf = slurm_files.slurm_conf(
            self._cluster_name, controller, compute, accounting=accounting
        )
        node.machine.write_files(
            {
                f"{slurm_files.FOLDER}/slurm.conf": conf,
                f"{slurm_files.FOLDER}/gres.conf": slurm_files.gres_conf(compute),
                f"{slurm_files.FOLDER}/cgroup.conf": slurm_files.cgroup_conf(),
            }
        )
        with self._lock:
            self._node = node
            self._written = slurm_files.nodes_block(compute)
        node.must(
            f"mkdir -p /var/spool/slurmctld /var/log/slurm && chown -R slurm:slurm"
            f" /var/spool/slurmctld /var/log/slurm {slurm_files.FOLDER}"
        )

    def start(self, node: HyperPodNode, database: Database | None) -> None:
        """Start slurmdbd, then slurmctld, which would otherwise number jobs without accounting."""
        local = database is None
        if database is None:
            database = self._local_database(node)
        conf = slurm_files.slurmdbd_conf(self._controller(), database)
        node.machine.write_files({f"{slurm_files.FOLDER}/slurmdbd.conf": conf}, mode=0o600)
        node.must(
            f"chown slurm:slurm {slurm_files.FOLDER}/slurmdbd.conf"
            " && systemctl enable -q --now slurmdbd"
            + (" && systemctl enable -q mariadb" if local else "")
        )
        name = slurm_files.cluster_name(self._cluster_name)
        node.must(
            until("sacctmgr --noheader show cluster")
            + f" && {{ sacctmgr --noheader --parsable2 show cluster format=cluster"
            f" | grep -qx {name}"
            f" || sacctmgr --immediate --quiet add cluster {name}; }}"
        )
        node.must("systemctl enable -q --now slurmctld && " + until("scontrol ping"))
        self.ready.set()

    def wait(self, timeout_s: float) -> None:
        """Wait until slurmctld answers; raises RehearsalError on a timeout."""
        if not self.ready.wait(timeout_s):
            raise RehearsalError(f"the controller was not ready in {timeout_s:.0f} s")

    def start_slurmd(self, node: HyperPodNode) -> None:
        self._start_client(node, "slurmd", "SLURMD_OPTIONS")
        node.must(until(f"scontrol show node {node.machine.name}"))

    def start_login(self, node: HyperPodNode) -> None:
        """Start sackd; what the real image uses on login nodes is not known."""
        self._start_client(node, "sackd", "SACKD_OPTIONS")

    def _start_client(self, node: HyperPodNode, daemon: str, variable: str) -> None:
        option = f'{variable}="--conf-server {self.address}:{slurm_files.PORT}"\n'
        node.machine.write_files({f"/etc/default/{daemon}": option})
        node.must(
            "mkdir -p /var/log/slurm && for i in 1 2 3 4 5 6 7 8 9 10; do"
            f" systemctl enable -q --now {daemon} && exit 0; sleep 1; done; exit 1"
        )

    def update_nodes(self) -> None:
        """Update the nodes in slurm.conf and reconfigure slurmctld."""
        with self._lock:
            node = self._node
            if node is None or not self.ready.is_set() or not node.machine.is_up():
                return
            compute = self._compute()
            path = f"{slurm_files.FOLDER}/slurm.conf"
            old = node.must(f"cat {path}")
            new = slurm_files.with_nodes(old, compute)
            if new == old:
                return
            node.machine.write_files(
                {path: new, f"{slurm_files.FOLDER}/gres.conf": slurm_files.gres_conf(compute)}
            )
            node.must(f"chown slurm:slurm {path} && " + until("scontrol reconfigure"))

    def reserve(self, host: str) -> None:
        """Put a node into a maintenance reservation: its job continues, no other one starts."""
        self._reservations(
            f"create reservation ReservationName={RESERVATION}-{host} Nodes={host} StartTime=now"
            " Duration=infinite Users=root Flags=MAINT,IGNORE_JOBS"
        )

    def release(self, host: str) -> None:
        """End the node's maintenance reservation."""
        self._reservations(f"delete ReservationName={RESERVATION}-{host}")

    def has_job(self, host: str) -> bool:
        """Whether a job runs on a node."""
        node = self._node
        return node is not None and bool(
            node.must(f"squeue --noheader --nodelist={host} --states=RUNNING --format=%i").strip()
        )

    def _reservations(self, words: str) -> None:
        node = self._node
        if node is None:
            raise RehearsalError("the cluster has no Slurm controller yet")
        node.must(f"scontrol {words}")

    def rewrite_configuration(self) -> None:
        """Write slurm.conf again if nodes have changed (scripted configuration).

        It is an assumption that HyperPod's agent does this, and that it writes the whole file.
        """
        with self._lock:
            node = self._node
            changed = slurm_files.nodes_block(self._compute()) != self._written
            if node is not None and changed and node.machine.is_up():
                self.write_configuration(node, accounting=False)

    def _local_database(self, node: HyperPodNode) -> Database:
        password = secrets.token_hex(16)
        node.must(
            'systemctl start mariadb && mariadb -e "'
            f"create database if not exists {_DATABASE};"
            f" create user if not exists slurm@localhost;"
            f" alter user slurm@localhost identified by '{password}';"
            f' grant all on {_DATABASE}.* to slurm@localhost"'
        )
        return Database("localhost", 3306, _DATABASE, "slurm", password)

    def _controller(self) -> Member:
        found = [m for m, _ in self._members() if self.role(m.group_name) == "Controller"]
        if not found:
            raise RehearsalError("the cluster has no controller")
        return found[0]

    def _compute(self) -> list[tuple[Member, Mapping[str, Any]]]:
        return [(m, s) for m, s in self._members() if self.role(m.group_name) == "Compute"]
