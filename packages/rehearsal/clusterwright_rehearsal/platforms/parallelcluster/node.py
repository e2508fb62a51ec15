"""A ParallelCluster node: its configuration files and custom actions."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.nodes.log_stream import Stream
from clusterwright_rehearsal.nodes.platform_node import PlatformNode
from clusterwright_rehearsal.platforms.parallelcluster import slurm_files
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import ClusterNode

PATH = "/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin:/opt/aws/bin"
"""PATH of the bootstrap script (aws-parallelcluster 3.16.1, resources/*/user_data.sh)."""
BOOTSTRAP_ERROR = "/var/log/parallelcluster/bootstrap_error_msg"
ACTION = "/run/rehearsal/custom-action"
"""The script of the last action and its arguments, for scenarios that run it again."""
_LOGS = {"HeadNode": "cfn-init", "LoginNode": "cloud-init-output"}
_SUFFIX = (
    "Please check /var/log/cfn-init.log in the head node, or check the cfn-init.log in CloudWatch"
    " logs. Please refer to https://docs.aws.amazon.com/parallelcluster/latest/ug/"
    "troubleshooting-v3.html#troubleshooting-v3-get-logs for more details on ParallelCluster logs."
)
"""ERROR_MSG_SUFFIX of the cookbook's custom_action_executor.py."""


class ActionFailed(RehearsalError):
    """A custom action failed or could not be downloaded; the message is the one that users see."""


@dataclass
class ParallelClusterNode(PlatformNode):
    """A machine with its role in the cluster."""

    order: ClusterNode
    log_group: str

    @property
    def role(self) -> str:
        return self.order.role

    @property
    def instance_type(self) -> str:
        return self.order.instance_type

    @property
    def log_name(self) -> str:
        """The log file, and the end of the log stream, of custom actions."""
        return _LOGS.get(self.order.node_type, "cloud-init-output")

    @property
    def log_stream(self) -> str:
        host = "ip-" + self.order.address.replace(".", "-")
        return f"{host}.{self.order.instance_id}.{self.log_name}"

    def prepare(
        self, name: str, region: str, endpoint: str, resolver: str, hosts: Mapping[str, str]
    ) -> None:
        """Write the files that are on the disk before Slurm and the custom action start."""
        order = self.order
        files = {
            # An empty unit file masks the service, which ParallelCluster's images do not have.
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
            files["/etc/parallelcluster/slurm_plugin/slurm_nodename"] = self.machine.name
        self.write_first_files(region, endpoint, resolver, files, hosts)

    def mount(self, lines: Sequence[tuple[str, str]]) -> None:
        """Mount file systems, now and after a reboot; `lines` are pairs of path and fstab line."""
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
        """Write the first script of an event to the node without running it."""
        action = self.order.actions.get(event)
        if action:
            self._download((action.get("Sequence") or [action])[0], account)

    def run_action(self, event: str, account: AwsClients) -> None:
        """Run the custom action of an event, if any, as `custom_action_executor.py` does.

        Raises
        ------
        ActionFailed
            A script failed; with the message of the executor.
        """
        action = self.order.actions.get(event)
        if not action:
            return
        for step, script in enumerate(action.get("Sequence") or [action], 1):
            self._run_script(event, step, script, account)

    def _run_script(
        self, event: str, step: int, action: Mapping[str, Any], account: AwsClients
    ) -> None:
        try:
            arguments = self._download(action, account)
        except RehearsalError as error:
            message = f"Failed to download {event} script {step} using aws s3."
            self._write_failure(event, step, "downloading", message, error.message)
            raise ActionFailed(f"{message} ({error.message})") from error
        started = time.monotonic()
        copy = self.folder / "logs" / self.order.name / f"{self.order.instance_id}.log"
        stream = Stream(account.client("logs"), self.log_group, self.log_stream, copy)
        try:
            process = self.machine.start([ACTION, *arguments], environment={"PATH": PATH})
            errors: list[str] = []
            assert process.stdout is not None
            assert process.stderr is not None
            listening = threading.Thread(target=errors.extend, args=(process.stderr,))
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
            self._write_failure(event, step, "executing", message, "".join(errors))
            raise ActionFailed(message)

    def _download(self, action: Mapping[str, Any], account: AwsClients) -> list[str]:
        """Download a script to the node; return its arguments."""
        arguments = [str(word) for word in action.get("Args") or []]
        text = _s3_object(account, self.order.role_arn, str(action["Script"]))
        self.machine.write_files(
            {ACTION: text, f"{ACTION}.json": json.dumps(arguments)}, mode=0o755
        )
        return arguments

    def _write_failure(self, event: str, step: int, stage: str, message: str, stderr: str) -> None:
        """Write bootstrap_error_msg like the executor: text on the head node, else JSON."""
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
    """The message of the executor on the head node, which CloudFormation shows."""
    return f"fetch_and_run - {message} {_SUFFIX}"


def slurmd_files(node: ParallelClusterNode, *, says_booted: bool = False) -> dict[str, str]:
    """The options of slurmd on a compute node.

    `says_booted` makes it report its own start as that of the node (`-b`): slurmctld waits for a
    boot after a reboot, and a machine here has the uptime of its host.
    """
    boot = "-b " if says_booted else ""
    return {"/etc/default/slurmd": f'SLURMD_OPTIONS="{boot}-N {node.machine.name}"\n'}


def power_saving_programs() -> dict[str, str]:
    """The programs for power saving that slurm.conf refers to on the head node."""
    return {
        f"{slurm_files.SCRIPTS}/{name}": slurm_files.NO_OP_PROGRAM
        for name in ("slurm_suspend", "slurm_resume")
    }


def _s3_object(account: AwsClients, role_arn: str, uri: str) -> bytes:
    from botocore.exceptions import BotoCoreError, ClientError

    parts = urlsplit(uri)
    if parts.scheme != "s3":
        raise RehearsalError(f"{uri} is not an S3 URI; a rehearsal supports no other")
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
