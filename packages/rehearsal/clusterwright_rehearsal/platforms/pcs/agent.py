"""The agent of AWS PCS on an instance: registration, lifecycle actions, slurmd.

The registration is a real call of RegisterComputeNodeGroupInstance, in a session of the instance's
role. Order and policies of lifecycle actions: PCS user guide, cng-node-lifecycle-actions, and API
model (botocore 1.44.5), NodeLifecycleScript. Paths on the node, but for those of Slurm, are ours.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs.node import PcsNode, slurm_folder

CACHE = "/var/lib/pcs-agent/scripts"
DONE = "/var/lib/pcs-agent/done"
"""A file for each script that succeeded, for FIRST_BOOT_ONLY."""
LOGS = "/var/log/amazon/pcs/lifecycle"
ACTION = "/run/rehearsal/lifecycle-action"
"""The last script and, with `.json`, its arguments, for scenarios that run it again."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NodeRejected(RehearsalError):
    """The instance must be terminated: a script with TERMINATE failed, or it cannot register."""


class Agent:
    """The agent on one node. `is_first_boot` is False after a reboot of the same instance."""

    def __init__(self, node: PcsNode, clients: Mapping[str, Any], *, is_first_boot: bool) -> None:
        self._node = node
        self._clients = clients
        self._is_first_boot = is_first_boot
        self._registered: dict[str, Any] = {}

    def register(self, cluster_id: str) -> str:
        """Register the instance and write the key; return the node's name in Slurm.

        Raises
        ------
        NodeRejected
            PCS refuses the call.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._registered = self._clients["pcs"].register_compute_node_group_instance(
                clusterIdentifier=cluster_id, bootstrapId=str(uuid.uuid4())
            )
        except (ClientError, BotoCoreError) as error:
            raise NodeRejected(f"RegisterComputeNodeGroupInstance: {error}") from error
        key = base64.b64decode(self._registered["sharedSecret"])
        self._node.machine.write_files({self._key_path: key}, mode=0o600)
        return str(self._registered["nodeID"])

    def place(self, stage: str) -> None:
        """Write the first script of a stage to the node without running it."""
        actions = self._registered.get("nodeLifecycleActions") or {}
        for script in (actions.get("stages") or {}).get(stage, ())[:1]:
            place = f"{stage}-{_word(str(script['name']))}"
            path = self._fetched(place, script["scriptSource"], refresh=False)
            self._write_action(path, [str(word) for word in script.get("arguments") or []])

    def run_stage(self, stage: str) -> None:
        """Run the scripts of `nodeBootstrapped` or `nodeReady`.

        Raises
        ------
        NodeRejected
            A script with `onError: TERMINATE` failed.
        """
        actions = self._registered.get("nodeLifecycleActions") or {}
        refresh = actions.get("scriptCachingPolicy") == "REFRESH_ON_REBOOT"
        for script in (actions.get("stages") or {}).get(stage) or ():
            failure = self._run_script(stage, script, refresh=refresh)
            if failure is None:
                continue
            if script["onError"] == "TERMINATE":
                raise NodeRejected(failure)
            if script["onError"] == "STOP_SEQUENCE":
                return

    @property
    def _key_path(self) -> str:
        """Below no link: files are written from outside the machine."""
        return f"{slurm_folder(str(self._registered['schedulerVersion']))}/etc/slurm.key"

    def start_slurmd(self, *, says_booted: bool = False) -> None:
        """Start slurmd, which gets its configuration from the controller.

        `says_booted` makes it report its own start as that of the node (`-b`): slurmctld waits
        for a boot after it has powered a node up, and a machine here has the uptime of its host.
        """
        (endpoint,) = (one for one in self._registered["endpoints"] if one["type"] == "SLURMCTLD")
        server = f"{endpoint['privateIpAddress']}:{endpoint['port']}"
        options = f"-N {self._registered['nodeID']} --conf-server {server}"
        options = f"-b {options}" if says_booted else options
        self._node.machine.write_files(
            {
                "/etc/default/slurmd": f'SLURMD_OPTIONS="{options}"\n'
                f"SLURM_SACK_KEY={self._key_path}\n"
            }
        )
        self._node.must(
            "mkdir -p /var/spool/slurmd && touch /var/log/slurmd.log"
            " && systemctl start slurmd && systemctl is-active --quiet slurmd"
        )

    # --- one script

    def _run_script(self, stage: str, script: Mapping[str, Any], *, refresh: bool) -> str | None:
        """Run a script unless its policy excludes this boot; return why it failed."""
        node, name = self._node, str(script["name"])
        place = f"{stage}-{_word(name)}"
        once = script["executionPolicy"] == "FIRST_BOOT_ONLY" and not self._is_first_boot
        if once and node.machine.run(f"test -e {DONE}/{place}").ok:
            return None
        try:
            path = self._fetched(place, script["scriptSource"], refresh=refresh)
        except RehearsalError as error:
            return f"{stage}: {name}: {error.message}"
        arguments = [str(word) for word in script.get("arguments") or []]
        started = time.monotonic()
        code = self._execute(place, path, arguments)
        node.timings["lifecycle"] = time.monotonic() - started
        if code != 0:
            return f"{stage}: {name} exited with {code}; its log is {LOGS}/{place}.log"
        node.must(f"mkdir -p {DONE} && touch {DONE}/{place}")
        return None

    def _fetched(self, place: str, source: Mapping[str, Any], *, refresh: bool) -> str:
        """The path of a script on the node, downloaded unless it is cached."""
        path = f"{CACHE}/{place}"
        is_cached = self._node.machine.run(f"test -e {path}").ok
        if is_cached and not refresh:
            return path
        content = self._downloaded(source)
        wanted = source.get("checksum")
        found = hashlib.sha256(content).hexdigest()
        if wanted and found != wanted:
            raise RehearsalError(
                f"{source['scriptLocation']} has the SHA-256 {found}, not {wanted}"
            )
        self._node.machine.write_files({path: content}, mode=0o700)
        return path

    def _downloaded(self, source: Mapping[str, Any]) -> bytes:
        from botocore.exceptions import BotoCoreError, ClientError

        location = str(source["scriptLocation"])
        parts = urlsplit(location)
        if parts.scheme != "s3":
            raise RehearsalError(f"{location} is not an S3 URI; a rehearsal supports no other")
        version = {"VersionId": source["s3VersionId"]} if source.get("s3VersionId") else {}
        try:
            body = self._clients["s3"].get_object(
                Bucket=parts.netloc, Key=parts.path.lstrip("/"), **version
            )["Body"]
            content: bytes = body.read()
        except (ClientError, BotoCoreError) as error:
            raise RehearsalError(f"{location}: {error}") from error
        return content

    def _write_action(self, path: str, arguments: Sequence[str]) -> None:
        self._node.must(f"mkdir -p {ACTION.rpartition('/')[0]} && cp {path} {ACTION}")
        self._node.machine.write_files({f"{ACTION}.json": json.dumps(arguments)})

    def _execute(self, place: str, path: str, arguments: Sequence[str]) -> int:
        node = self._node
        node.must(f"mkdir -p {LOGS}")
        self._write_action(path, arguments)
        node.log_file.parent.mkdir(parents=True, exist_ok=True)
        process = node.machine.start([path, *arguments], environment={"PATH": PATH}, merge=True)
        assert process.stdout is not None
        lines: list[str] = []

        def listen() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                with node.log_file.open("a") as copy:
                    copy.write(line)

        listening = threading.Thread(target=listen)
        listening.start()
        code = process.wait()
        listening.join()
        node.machine.run(f"cat >>{LOGS}/{place}.log", stdin="".join(lines))
        return code


def _word(name: str) -> str:
    """A name of a script as part of a path."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)
