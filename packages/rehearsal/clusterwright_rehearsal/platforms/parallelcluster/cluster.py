"""One cluster: head node, login nodes, static compute nodes, and clustermgtd.

Compute nodes are started as soon as slurmctld answers, also while the head node's custom action is
running: when the real clustermgtd starts them is not known, and this is the more difficult case.
"""

from __future__ import annotations

import dataclasses
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from clusterwright_localaws.drivers import ClusterOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.databases import Database
from clusterwright_rehearsal.nodes.machines import MachineDown
from clusterwright_rehearsal.nodes.metadata import Instance
from clusterwright_rehearsal.nodes.platform_node import domain_of, until
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.parallelcluster import slurm_files
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import (
    ClusterNode,
    cluster_nodes,
)
from clusterwright_rehearsal.platforms.parallelcluster.node import (
    ActionFailed,
    ParallelClusterNode,
    head_node_failure,
    power_saving_programs,
    slurmd_files,
)
from clusterwright_rehearsal.platforms.parallelcluster.settings import Settings

PROTECTED = (
    "Cluster has been set to PROTECTED mode due to failures detected in static node provisioning."
)
"""The message of ParallelCluster (models/cluster_resources.py of aws-parallelcluster 3.16.1)."""
_KEY_BYTES = 1024
_SHARED = "/srv/emulation"


class RunningCluster:
    """The machines of one cluster."""

    def __init__(
        self,
        order: ClusterOrder,
        account: AwsClients,
        vpc: Vpc,
        settings: Settings,
        timeline: Callable[..., None],
    ) -> None:
        self._order = order
        self._account = account
        self._vpc = vpc
        self._settings = settings
        self._timeline = timeline
        self._lock = threading.RLock()
        self._nodes: dict[str, ParallelClusterNode] = {}
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._ended = False
        self._lost: dict[str, float] = {}
        """Instance id → time at which its loss was first observed."""
        self._busy: set[str] = set()
        """Host names of nodes that are being launched or replaced."""
        self._given_up: set[str] = set()
        self._applied: Mapping[str, Any] | None = None
        """The configuration of the last successful create or update."""
        self._pool = ThreadPoolExecutor(32, thread_name_prefix="nodes")

    # --- operations of the driver

    def start_again(self, host: str) -> None:
        """Launch a node again that failed too often, as `pcluster update-compute-fleet` does."""
        with self._lock:
            self._given_up.discard(host)

    def create(self) -> str:
        """Start every node; return why the cluster failed, or an empty string."""
        found = cluster_nodes(self._account, self._order.name, self._order.configuration)
        head, others = found[0], found[1:]
        node = self._new_node(head)
        self._boot(node)
        self._set_up_head(node)
        rest = self._pool.submit(self._start_all, others)
        failure = self._head_action(node, "OnNodeConfigured")
        self._applied = self._order.configuration
        return failure or rest.result()

    def update(self, order: ClusterOrder) -> str:
        """Update the cluster as cfn-hup does; return why the update failed, or an empty string.

        Slurm's files are written again, then OnNodeUpdated runs on the head node. New nodes are
        started; running nodes are kept until they are replaced. (The real clustermgtd replaces the
        nodes of changed queues according to QueueUpdateStrategy.)

        The rollback of a failed update runs no script: the real executor checks whether an update
        is in progress.
        """
        found = cluster_nodes(self._account, order.name, order.configuration)
        with self._lock:
            self._order = order
            current = {node.order.instance_id: node for node in self._nodes.values()}
            alive = {entry.instance_id for entry in found}
        for node in current.values():
            if node.order.instance_id not in alive and node.order.node_type != "HeadNode":
                self._remove_node(node)
        head = self._head()
        changed = found[0]
        if changed.instance_id != head.order.instance_id:
            raise RehearsalError("replacing the head node is not supported")
        head.order = dataclasses.replace(head.order, actions=changed.actions)
        self._write_slurm(head, first=False)
        # update_head_node.rb restarts slurmctld, after `--cleanup` of block_topology if queues
        # have
        # changed, which they do here with every version of the scripts.
        head.must(
            f"rm -f {slurm_files.FOLDER}/topology.conf && systemctl restart slurmctld && "
            + until("scontrol ping")
            + " && "
            + until("scontrol reconfigure")
        )
        failure = ""
        if order.configuration != self._applied:
            failure = self._head_action(head, "OnNodeUpdated")
        new = self._numbered([node for node in found[1:] if node.instance_id not in current])
        failure = self._start_all(new) or failure
        if failure:
            head.phase = "running"  # the head node keeps running
            return f"Update failed ({failure})"
        self._applied = order.configuration
        return ""

    def replace_unhealthy_nodes(self) -> None:
        """One iteration of clustermgtd over the static nodes."""
        # A state that was read before a node ran says nothing about it.
        ran = {node.order.instance_id for node in self.nodes() if node.phase == "running"}
        drained = self._drained()
        self._end_terminated()
        for node in self.nodes():
            name = node.machine.name
            if node.order.node_type != "ComputeFleet" or name in self._busy | self._given_up:
                continue
            if node.machine.reboots:
                self._busy.add(name)
                self._pool.submit(self._restart, node)
                continue
            known = drained if node.order.instance_id in ran else {}
            reason = self._unhealthy_reason(node, known)
            if reason is not None and not self._ended:
                self._busy.add(name)
                self._pool.submit(self._replace, node, reason)

    def nodes(self) -> list[ParallelClusterNode]:
        with self._lock:
            return list(self._nodes.values())

    def end(self) -> None:
        """Terminate every machine."""
        with self._lock:
            self._ended = True
            nodes = list(self._nodes.values())
            self._nodes.clear()
        list(self._pool.map(lambda node: node.machine.remove(), nodes))
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- one node

    def _new_node(self, member: ClusterNode) -> ParallelClusterNode:
        self._timeline("created", member)
        machine = self._vpc.machine(member.host, member.address, member.subnet_id, self._account)
        self._vpc.add_host(member.host, member.address)
        node = ParallelClusterNode(machine, member, self._vpc.folder, self._order.log_group_name)
        with self._lock:
            self._nodes[member.name] = node
        return node

    def _boot(self, node: ParallelClusterNode) -> None:
        member = node.order
        started = time.monotonic()
        hosts = {} if member.node_type == "HeadNode" else self._hosts()
        node.prepare(
            self._order.name,
            self._order.region,
            self._vpc.endpoint,
            self._vpc.resolver_address,
            hosts,
        )
        self._vpc.metadata.add(self._instance(member))
        self._vpc.add_file_systems(self._account)
        self._vpc.databases.start_new(self._account)
        node.machine.boot()
        node.timings["boot"] = time.monotonic() - started
        node.phase = "platform"
        self._timeline("booted", member, seconds=node.timings["boot"])
        # Without CAP_SYS_RESOURCE limits cannot be raised, and pam_limits would refuse sessions of
        # users with raised limits.
        node.must(
            "sed -i -E 's/^(session\\s+)required(\\s+pam_limits.so)/\\1optional\\2/' /etc/pam.d/*"
        )
        node.mount([*self._shared(node), *self._storage()])
        node.start_munge(self._key)

    def _start_node(self, member: ClusterNode) -> None:
        started = time.monotonic()
        node = self._new_node(member)
        try:
            self._boot(node)
            if member.resource:
                self._register_in_slurm(node)
            node.timings["platform"] = time.monotonic() - started - node.timings.get("boot", 0.0)
            self._timeline("platform", member, seconds=node.timings["platform"])
            self._run_action(node, "OnNodeConfigured")
            if member.resource:
                self._start_slurmd(node)
        except (RehearsalError, OSError) as error:
            if self._ended:
                return
            text = error.message if isinstance(error, RehearsalError) else str(error)
            node.phase = "failed"
            self._timeline("failed", member, text=text, seconds=time.monotonic() - started)
            raise
        node.phase = "running"
        self._timeline("running", member, action="create", seconds=time.monotonic() - started)

    def _run_action(self, node: ParallelClusterNode, event: str) -> None:
        if self._settings.hold_scripts:
            node.place_action(event, self._account)
        self._hold(node)
        node.phase = "scripts"
        node.run_action(event, self._account)

    def _head_action(self, node: ParallelClusterNode, event: str) -> str:
        started = time.monotonic()
        try:
            self._run_action(node, event)
        except ActionFailed as error:
            node.phase = "failed"
            seconds = time.monotonic() - started
            self._timeline("failed", node.order, text=error.message, seconds=seconds)
            # The reason that cfn-signal reports when a cluster is created.
            return error.message if event == "OnNodeUpdated" else head_node_failure(error.message)
        node.phase = "running"
        self._timeline("running", node.order, action=event, seconds=time.monotonic() - started)
        return ""

    def _start_all(self, found: Sequence[ClusterNode]) -> str:
        """Start nodes, launching failed ones again; return the first failure or ""."""
        work = [(member, self._pool.submit(self._start_node, member)) for member in found]
        failures = [self._outcome(member, each) for member, each in work]
        return next((text for text in failures if text), "")

    def _outcome(self, member: ClusterNode, work: Future[None]) -> str:
        try:
            work.result()
        except (RehearsalError, OSError) as error:
            text = error.message if isinstance(error, RehearsalError) else str(error)
            if not member.resource:
                return f"login node {member.host}: {text}"
            again = self._relaunch_failed(self._nodes[member.name])
            return f"{PROTECTED} {member.host}: {again}" if again else ""
        return ""

    def _relaunch_failed(self, node: ParallelClusterNode) -> str:
        """Launch a node whose custom action failed again, as clustermgtd does.

        Returns the last failure after the maximum number of launches, or an empty string.
        """
        text = "it was not launched again"
        for _ in range(self._settings.launches - 1):
            try:
                self._relaunch(node, "Static node bootstrap failed")
            except (RehearsalError, OSError) as error:
                text = error.message if isinstance(error, RehearsalError) else str(error)
                node = self._nodes.get(node.order.name, node)
            else:
                return ""
        with self._lock:
            self._given_up.add(node.machine.name)
        node.machine.stop()
        return text

    # --- clustermgtd

    def _unhealthy_reason(self, node: ParallelClusterNode, drained: dict[str, str]) -> str | None:
        if not node.machine.is_up():
            first = self._lost.setdefault(node.order.instance_id, time.monotonic())
            if time.monotonic() - first < self._settings.detection_s:
                return None
            return "instance is terminated"
        if node.phase == "running" and node.machine.name in drained:
            return f"node state is {drained[node.machine.name]}"
        return None

    def _end_terminated(self) -> None:
        """End the machines of compute nodes whose instances somebody terminated in EC2."""
        ids = {
            node.order.instance_id: node
            for node in self.nodes()
            if node.order.node_type == "ComputeFleet" and node.machine.name not in self._busy
        }
        ended = [{"Name": "instance-state-name", "Values": ["shutting-down", "terminated"]}]
        pages = self._account.client("ec2").get_paginator("describe_instances")
        for page in pages.paginate(Filters=ended):
            for reservation in page["Reservations"]:
                for instance in reservation["Instances"]:
                    node = ids.get(instance["InstanceId"])
                    if node is not None and node.machine.is_up():
                        node.machine.crash()

    def _drained(self) -> dict[str, str]:
        """Host name → Slurm state of nodes that are down, or drained without a job.

        Nodes that reboot, with the marks `@` and `^` of sinfo, are healthy
        (aws-parallelcluster-node, slurm_resources.py, `is_rebooting`).
        """
        head = self._head()
        try:
            ran = head.machine.run("sinfo -h -N -o '%N %T'")
        except MachineDown:
            return {}
        states = (line.split() for line in ran.stdout.splitlines())
        return {
            words[0]: words[1]
            for words in states
            if len(words) == 2 and re.sub(r"[*~#!%$-]", "", words[1]) in ("drained", "down")
        }

    def _replace(self, node: ParallelClusterNode, reason: str) -> None:
        name = node.machine.name
        try:
            self._relaunch(node, reason)
        except (RehearsalError, OSError) as error:
            if self._ended:
                return
            text = error.message if isinstance(error, RehearsalError) else str(error)
            print(f"clustermgtd: {name}: {text}", flush=True)
            again = self._relaunch_failed(self._nodes.get(node.order.name, node))
            if again:
                print(f"clustermgtd: no further launches of {name}: {again}", flush=True)
        finally:
            self._busy.discard(name)

    def _restart(self, node: ParallelClusterNode) -> None:
        """Start an instance again that its `RebootProgram` has shut down; no action runs."""
        started = time.monotonic()
        node.phase = "booting"
        try:
            node.machine.stop()
            node.machine.write_files(slurmd_files(node, says_booted=True))
            node.machine.boot()
            node.place_action("OnNodeConfigured", self._account)
        except (RehearsalError, OSError) as error:
            if not self._ended:
                print(f"reboot of {node.machine.name}: {error}", flush=True)
        finally:
            node.phase = "running"
            self._busy.discard(node.machine.name)
        self._timeline("reboot", node.order, seconds=time.monotonic() - started)

    def _relaunch(self, node: ParallelClusterNode, reason: str) -> None:
        """Replace the node's instance by a new one with another id and address."""
        old = node.order
        self._head().must(
            until(
                f"scontrol update nodename={node.machine.name} state=down"
                f" reason='Static node maintenance: {reason}'"
            )
        )
        self._timeline("lost", old)
        ec2 = self._account.client("ec2")
        node.machine.remove()
        self._vpc.metadata.remove(old.address)
        described = ec2.describe_instances(InstanceIds=[old.instance_id])
        (instance,) = described["Reservations"][0]["Instances"]
        # Launched before the old one is terminated, so that it gets another address.
        (fresh,) = ec2.run_instances(
            ImageId=instance["ImageId"],
            InstanceType=instance["InstanceType"],
            SubnetId=instance["SubnetId"],
            **_launch_options(instance),
            SecurityGroupIds=[group["GroupId"] for group in instance["SecurityGroups"]],
            MinCount=1,
            MaxCount=1,
            TagSpecifications=[{"ResourceType": "instance", "Tags": instance["Tags"]}],
        )["Instances"]
        ec2.terminate_instances(InstanceIds=[old.instance_id])
        member = dataclasses.replace(
            old,
            instance_id=fresh["InstanceId"],
            address=fresh["PrivateIpAddress"],
            actions=self._actions(old),
        )
        self._timeline("replaced", member)
        self._start_node(member)

    def _actions(self, member: ClusterNode) -> Any:
        """The custom actions of the node's queue in the current configuration."""
        for queue in self._order.configuration["Scheduling"]["SlurmQueues"]:
            if queue["Name"] == member.queue:
                return queue.get("CustomActions") or {}
        return member.actions

    # --- Slurm

    def _set_up_head(self, node: ParallelClusterNode) -> None:
        node.machine.write_files(power_saving_programs(), mode=0o755)
        database = self._database(node.order)
        self._write_slurm(node)
        node.must(
            "mkdir -p /var/spool/slurm.state && chown slurm:slurm /var/spool/slurm.state"
            " && touch /var/log/slurmctld.log && chown slurm:slurm /var/log/slurmctld.log"
        )
        if database is not None:
            self._start_slurmdbd(node, database)
        node.must("systemctl enable -q --now slurmctld && " + until("scontrol ping"))

    def _write_slurm(self, node: ParallelClusterNode, *, first: bool = True) -> None:
        """Write Slurm's files; an update does not write slurm.conf (update_head_node.rb)."""
        texts = slurm_files.files(
            self._order.name, self._order.configuration, node.machine.name, node.order.address
        )
        if not first:
            del texts["slurm.conf"]
        scripts = {path for path in texts if path.startswith("scripts/")}
        for mode, paths in ((0o644, texts.keys() - scripts), (0o755, scripts)):
            node.machine.write_files(
                {f"{slurm_files.FOLDER}/{p}": texts[p] for p in paths}, mode=mode
            )

    def _start_slurmdbd(self, node: ParallelClusterNode, database: Database) -> None:
        path = f"{slurm_files.FOLDER}/slurmdbd.conf"
        text = slurm_files.slurmdbd_conf(node.machine.name, database)
        node.machine.write_files({path: text}, mode=0o600)
        name = self._order.name
        node.must(
            f"chown slurm:slurm {path} && touch /var/log/slurmdbd.log"
            " && chown slurm:slurm /var/log/slurmdbd.log && systemctl enable -q --now slurmdbd"
        )
        # config_slurm_accounting.rb of the cookbook.
        node.must(
            until("sacctmgr show clusters -Pn")
            + f" && {{ sacctmgr show clusters -Pn format=cluster | grep -qx {name}"
            f" || sacctmgr -iQ add cluster {name}; }}"
            f" && sacctmgr -iQ add account pcdefault Cluster={name}"
            " Description='ParallelCluster default account' Organization=none"
            " && sacctmgr -iQ add user slurm Account=pcdefault AdminLevel=Admin"
            " && sacctmgr -iQ add user ubuntu Account=pcdefault AdminLevel=Admin"
        )

    def _register_in_slurm(self, node: ParallelClusterNode) -> None:
        """Set address and host name of the node in Slurm, as clustermgtd does after a launch.

        slurmd ends the initial state of CLOUD nodes (observed with Slurm 24.11).
        """
        name = node.machine.name
        address = f"nodeaddr={node.order.address} nodehostname={name}"
        # slurmctld may be reading its files: clustermgtd repeats what failed, too.
        self._head().must(until(f"scontrol update nodename={name} {address}"))

    def _start_slurmd(self, node: ParallelClusterNode) -> None:
        """`finalize_compute.rb` of the cookbook: start slurmd, then resume the node."""
        node.machine.write_files(slurmd_files(node))
        node.must(
            "mkdir -p /var/spool/slurmd && touch /var/log/slurmd.log"
            " && systemctl enable -q --now slurmd && systemctl is-active --quiet slurmd"
        )
        node.must(until("scontrol ping"))
        node.machine.run(
            f"scontrol update nodename={node.machine.name} state=resume reason='Node start up'"
        )

    def _database(self, head: ClusterNode) -> Database | None:
        settings = self._order.configuration["Scheduling"].get("SlurmSettings") or {}
        config = settings.get("Database")
        if not config:
            return None
        host, _, port = str(config["Uri"]).partition(":")
        self._vpc.databases.wait(host)
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            client = self._account.client_of_role("secretsmanager", head.role_arn)
            password = client.get_secret_value(SecretId=config["PasswordSecretArn"])[
                "SecretString"
            ]
        except (BotoCoreError, ClientError) as error:
            raise RehearsalError(f"the accounting database's secret: {error}") from error
        name = config.get("DatabaseName") or self._order.name.replace("-", "_")
        return Database(host, int(port or 3306), name, str(config["UserName"]), password)

    # --- storage, names and metadata of nodes

    def _shared(self, node: ParallelClusterNode) -> list[tuple[str, str]]:
        """fstab lines of the head node's exports: /opt/slurm/etc, and /home by default."""
        base = self._vpc.shared / "efs" / self._order.name
        found = [("/opt/slurm/etc", "slurm-etc")]
        storage = self._order.configuration.get("SharedStorage") or []
        configured = {entry["MountDir"] for entry in storage}
        if "/home" not in configured:
            found.append(("/home", "home"))
        rows = []
        for path, folder in found:
            if not (base / folder).exists():
                (base / folder).mkdir(parents=True)
                node.must(f"cp -a {path}/. {_SHARED}/efs/{self._order.name}/{folder}/")
            source = f"{_SHARED}/efs/{self._order.name}/{folder}"
            rows.append((path, f"{source} {path} none bind 0 0"))
        return rows

    def _storage(self) -> list[tuple[str, str]]:
        """fstab lines of SharedStorage."""
        fsx = self._account.client("fsx")
        rows = []
        for entry in self._order.configuration.get("SharedStorage") or []:
            path = entry["MountDir"]
            if entry["StorageType"] == "FsxLustre":
                found = fsx.describe_file_systems(
                    FileSystemIds=[entry["FsxLustreSettings"]["FileSystemId"]]
                )["FileSystems"][0]
                source = f"{found['DNSName']}@tcp:/{found['LustreConfiguration']['MountName']}"
                line = f"{source} {path} lustre defaults,_netdev,flock,user_xattr,noatime 0 0"
            elif entry["StorageType"] == "FsxOpenZfs":
                volume = fsx.describe_volumes(VolumeIds=[entry["FsxOpenZfsSettings"]["VolumeId"]])[
                    "Volumes"
                ][0]
                found = fsx.describe_file_systems(FileSystemIds=[volume["FileSystemId"]])[
                    "FileSystems"
                ][0]
                where = volume["OpenZFSConfiguration"].get("VolumePath", "/fsx")
                line = f"{found['DNSName']}:{where} {path} nfs4 nfsvers=4.2,_netdev 0 0"
            else:
                raise RehearsalError(f"{entry['StorageType']} at {path} is not supported")
            rows.append((path, line))
        return rows

    def _hosts(self) -> dict[str, str]:
        head = self._head()
        return {head.machine.name: head.order.address}

    def _head(self) -> ParallelClusterNode:
        for node in self.nodes():
            if node.order.node_type == "HeadNode":
                return node
        raise RehearsalError("the cluster has no head node")

    def _numbered(self, found: Sequence[ClusterNode]) -> list[ClusterNode]:
        """Give new nodes unused numbers, because EC2 does not number instances."""
        with self._lock:
            taken = {node.order.name for node in self._nodes.values()}
        numbered = []
        for member in found:
            number = 1
            while f"{member.group_name}-{number}" in taken:
                number += 1
            name = f"{member.group_name}-{number}"
            taken.add(name)
            host = member.host
            if member.resource:
                host = f"{member.queue}-st-{member.resource}-{number}"
            numbered.append(dataclasses.replace(member, name=name, host=host))
        return numbered

    def _remove_node(self, node: ParallelClusterNode) -> None:
        with self._lock:
            self._nodes.pop(node.order.name, None)
        self._timeline("deleted", node.order)
        self._vpc.metadata.remove(node.order.address)
        node.machine.remove()

    def _hold(self, node: ParallelClusterNode) -> None:
        if self._settings.hold_scripts:
            node.phase = "held"
            self._timeline("held", node.order)
        while self._settings.hold_scripts and not self._ended and node.machine.is_up():
            time.sleep(0.1)

    def _instance(self, member: ClusterNode) -> Instance:
        region = self._order.region
        return Instance(
            instance_id=member.instance_id,
            instance_type=member.instance_type,
            address=member.address,
            host_name=f"{member.host}.{domain_of(region)}",
            zone_name=member.zone_name,
            zone_id="",
            region=region,
            account=self._order.account,
            image_id=member.image_id,
            role_arn=member.role_arn,
        )


def _launch_options(instance: Mapping[str, Any]) -> dict[str, Any]:
    """The launch options of an instance, to launch a similar one."""
    found: dict[str, Any] = {}
    group = (instance.get("Placement") or {}).get("GroupName")
    if group:
        found["Placement"] = {"GroupName": group}
    if instance.get("InstanceLifecycle"):
        found["InstanceMarketOptions"] = {"MarketType": instance["InstanceLifecycle"]}
    reservation = instance.get("CapacityReservationId")
    if reservation:
        found["CapacityReservationSpecification"] = {
            "CapacityReservationTarget": {"CapacityReservationId": reservation}
        }
    return found
