"""A node of a cluster: what ParallelCluster does on it, and how it runs the custom actions."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.nodes.log_stream import Stream
from clusterwright_rehearsal.nodes.machines import Machine
from clusterwright_rehearsal.platforms.parallelcluster import slurm_files
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import ClusterNode

PATH = "/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin:/opt/aws/bin"
"""Of the bootstrap script (aws-parallelcluster 3.16.1, resources/*/user_data.sh)."""
BOOTSTRAP_ERROR = "/var/log/parallelcluster/bootstrap_error_msg"
ACTION = "/run/rehearsal/custom-action"
"""How the last action was run, so that a scenario can run it again."""
_LOGS = {"HeadNode": "cfn-init", "LoginNode": "cloud-init-output"}
_SUFFIX = (
    "Please check /var/log/cfn-init.log in the head node, or check the cfn-init.log in CloudWatch"
    " logs. Please refer to https://docs.aws.amazon.com/parallelcluster/latest/ug/"
    "troubleshooting-v3.html#troubleshooting-v3-get-logs for more details on ParallelCluster logs."
)
"""ERROR_MSG_SUFFIX of the cookbook's custom_action_executor.py."""


class ActionFailed(RehearsalError):
    """A custom action did not exit with 0, or could not be fetched; the text is a user's."""


@dataclass
class ParallelClusterNode:
    """A machine with the place that it has in the cluster."""

    machine: Machine
    order: ClusterNode
    folder: Path
    """Of the run; the logs of this instance go below it."""
    log_group: str
    timings: dict[str, float] = field(default_factory=dict)
    phase: str = "booting"
    """booting, platform, held, scripts, running or failed."""

    @property
    def role(self) -> str:
        return self.order.role

    @property
    def instance_type(self) -> str:
        return self.order.instance_type

    @property
    def log_name(self) -> str:
        """The file, and the end of the stream, that a custom action's words end up in."""
        return _LOGS.get(self.order.node_type, "cloud-init-output")

    @property
    def log_stream(self) -> str:
        host = "ip-" + self.order.address.replace(".", "-")
        return f"{host}.{self.order.instance_id}.{self.log_name}"

    def prepare(
        self, name: str, region: str, endpoint: str, resolver: str, hosts: Mapping[str, str]
    ) -> None:
        """Everything that is on the disk before Slurm and the custom action."""
        order, machine = self.order, self.machine
        domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
        known = "".join(f"{address} {host}\n" for host, address in hosts.items())
        files = {
            "/etc/emulation/hardware.json": json.dumps(
                hardware_of(order.instance_type).as_file(order.instance_id)
            ),
            "/etc/hosts": f"127.0.0.1 localhost\n{order.address} {machine.name}\n{known}",
            "/etc/resolv.conf": (
                f"nameserver {resolver}\nsearch {domain}\noptions timeout:2 attempts:2\n"
            ),
            "/etc/systemd/system.conf.d/50-emulation.conf": (
                f"[Manager]\nDefaultEnvironment=AWS_ENDPOINT_URL={endpoint}\n"
            ),
            "/etc/profile.d/emulation.sh": f"export AWS_ENDPOINT_URL={endpoint}\n",
            # An empty unit is a masked one: ParallelCluster's images have no such service.
            "/etc/systemd/system/dlami-nvme.service": "",
            "/var/lib/cloud/data/instance-id": order.instance_id + "\n",
            "/etc/parallelcluster/cfnconfig": _assignments(
                {
                    "stack_name": name,
                    "cfn_region": region,
                    "cfn_node_type": order.node_type,
                    "cfn_ephemeral_dir": order.ephemeral_dir,
                    "cfn_scheduler_queue_name": order.queue,
                    "cfn_cluster_user": "ubuntu",
                }
            ),
            "/etc/chef/dna.json": json.dumps({"cluster": self._dna(name, region)}, indent=2),
        }
        if order.resource:
            files["/etc/parallelcluster/slurm_plugin/slurm_nodename"] = machine.name
        machine.write_files(files)
        machine.set_environment({"AWS_ENDPOINT_URL": endpoint})

    def mount(self, lines: Sequence[tuple[str, str]]) -> None:
        """Mount what ParallelCluster mounts, now and after a reboot; pairs of path and line."""
        order = self.order
        if hardware_of(order.instance_type).nvme_disks:
            store = f"/srv/instance-store {order.ephemeral_dir} none bind 0 0"
            lines = [*lines, (order.ephemeral_dir, store)]
        self.machine.write_files({"/etc/fstab": "".join(f"{line}\n" for _, line in lines)})
        for path, _ in lines:
            ran = self.machine.run(f"mkdir -p {path} && mount {path}")
            if not ran.ok:
                kind = "Failed to mount FSX" if "fs-" in ran.output_tail else "Failed to mount EFS"
                raise RehearsalError(f"{kind}: {ran.output_tail}")
        if hardware_of(order.instance_type).nvme_disks:
            self.must(f"chmod 1777 {order.ephemeral_dir}")

    def place_action(self, event: str, account: AwsClients) -> None:
        """Put the first script of an event where it will be run from, and run nothing."""
        action = self.order.actions.get(event)
        if action:
            self._place((action.get("Sequence") or [action])[0], account)

    def run_action(self, event: str, account: AwsClients) -> None:
        """Run the custom action of an event as `custom_action_executor.py` does; none is fine.

        Raises
        ------
        ActionFailed
            In the executor's words.
        """
        action = self.order.actions.get(event)
        if not action:
            return
        for step, one in enumerate(action.get("Sequence") or [action], 1):
            self._run_script(event, step, one, account)

    def _run_script(
        self, event: str, step: int, action: Mapping[str, Any], account: AwsClients
    ) -> None:
        try:
            arguments = self._place(action, account)
        except RehearsalError as error:
            message = f"Failed to download {event} script {step} using aws s3."
            self._note_failure(event, step, "downloading", message, error.message)
            raise ActionFailed(f"{message} ({error.message})") from error
        started = time.monotonic()
        copy = self.folder / "logs" / self.order.name / f"{self.order.instance_id}.log"
        stream = Stream(account.client("logs"), self.log_group, self.log_stream, copy)
        try:
            process = self.machine.start([ACTION, *arguments], environment={"PATH": PATH})
            said: list[str] = []
            assert process.stdout is not None
            assert process.stderr is not None
            listening = threading.Thread(target=said.extend, args=(process.stderr,))
            listening.start()
            for line in process.stdout:
                stream.write(line.rstrip("\n"))
            listening.join()
            code = process.wait()
        finally:
            stream.close()
        self.timings["lifecycle"] = time.monotonic() - started
        self.machine.run(
            f"cat >>/var/log/{self.log_name}.log", stdin=copy.read_text(errors="replace")
        )
        if code != 0:
            message = f"Failed to execute {event} script {step}, return code: {code}."
            self._note_failure(event, step, "executing", message, "".join(said))
            raise ActionFailed(message)

    def _place(self, action: Mapping[str, Any], account: AwsClients) -> list[str]:
        """Fetch a script; its arguments."""
        arguments = [str(word) for word in action.get("Args") or []]
        text = _fetched(account, self.order.role_arn, str(action["Script"]))
        self.machine.write_files(
            {ACTION: text, f"{ACTION}.json": json.dumps(arguments)}, mode=0o755
        )
        return arguments

    def _note_failure(self, event: str, step: int, stage: str, message: str, stderr: str) -> None:
        """What the executor leaves behind, in the two forms that it has."""
        if self.order.node_type == "HeadNode":
            text = head_node_failure(message)
        else:
            text = json.dumps(
                {
                    "component": "custom-action",
                    "level": "ERROR",
                    "node-role": self.order.node_type,
                    "instance-id": self.order.instance_id,
                    "event-type": "custom-action-error",
                    "message": message,
                    "detail": {
                        "action": event,
                        "step": step,
                        "stage": stage,
                        "error": {"stderr": stderr},
                    },
                }
            )
        self.machine.write_files({BOOTSTRAP_ERROR: text + "\n"})
        kept = self.folder / "logs" / self.order.name
        kept.mkdir(parents=True, exist_ok=True)
        (kept / f"{self.order.instance_id}.bootstrap_error_msg").write_text(text + "\n")

    def must(self, command: str, *, timeout_s: float = 120.0) -> str:
        """Run a command of ParallelCluster's own; raises RehearsalError unless it exits with 0."""
        ran = self.machine.run(command, timeout_s=timeout_s)
        if not ran.ok:
            raise RehearsalError(
                f"{self.machine.name}: `{command}` exited {ran.returncode}: {ran.output_tail}"
            )
        return ran.stdout

    def _dna(self, name: str, region: str) -> dict[str, str]:
        found = {
            "stack_name": name,
            "cluster_name": name,
            "region": region,
            "node_type": self.order.node_type,
            "log_group_name": self.log_group,
            "scheduler": "slurm",
            "ephemeral_dir": self.order.ephemeral_dir,
        }
        if self.order.resource:
            found["scheduler_queue_name"] = self.order.queue
            found["scheduler_compute_resource_name"] = self.order.resource
        return found


def head_node_failure(message: str) -> str:
    """What the executor writes on the head node, and CloudFormation shows of it."""
    return f"fetch_and_run - {message} {_SUFFIX}"


def slurmd_files(node: ParallelClusterNode) -> dict[str, str]:
    """What ParallelCluster tells slurmd on a compute node."""
    return {"/etc/default/slurmd": f'SLURMD_OPTIONS="-N {node.machine.name}"\n'}


def stand_ins() -> dict[str, str]:
    """Programs that slurm.conf names on the head node."""
    return {
        f"{slurm_files.SCRIPTS}/{name}": slurm_files.NO_OP_PROGRAM
        for name in ("slurm_suspend", "slurm_resume")
    }


def _fetched(account: AwsClients, role_arn: str, uri: str) -> bytes:
    from botocore.exceptions import BotoCoreError, ClientError

    parts = urlsplit(uri)
    if parts.scheme != "s3":
        raise RehearsalError(f"{uri} is no address in S3, which a rehearsal has alone")
    try:
        s3 = account.client_of_role("s3", role_arn)
        found: bytes = s3.get_object(Bucket=parts.netloc, Key=parts.path.lstrip("/"))[
            "Body"
        ].read()
    except (ClientError, BotoCoreError) as error:
        raise RehearsalError(f"{uri}: {error}") from error
    return found


def _assignments(values: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in values.items())
