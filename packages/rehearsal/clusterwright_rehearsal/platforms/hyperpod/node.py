"""A HyperPod node: from an empty machine to a node that the API reports as Running."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.drivers import LIFECYCLE_FAILED, Member, NodeOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import log_stream
from clusterwright_rehearsal.nodes.machines import MachineDown
from clusterwright_rehearsal.nodes.platform_node import PlatformNode
from clusterwright_rehearsal.platforms.hyperpod import slurm_files

RESOURCE_CONFIG = "/opt/ml/config/resource_config.json"
SCRIPTS = "/opt/sagemaker/lifecycle"
"""The folder of the scripts on the node; the folder on the real image is not known."""
_LUSTRE_OPTIONS = "noatime,flock,_netdev"
_MOUNT_EVERY_S = 1.0


class LifecycleFailed(RehearsalError):
    """The lifecycle script failed; the message is the one that users see."""


@dataclass
class HyperPodNode(PlatformNode):
    """A machine with the order that created it."""

    order: NodeOrder

    @property
    def role(self) -> str | None:
        return slurm_files.node_type(self.order.specification)

    @property
    def instance_type(self) -> str:
        return self.order.instance_type.removeprefix("ml.")

    def prepare(self, members: list[Member], endpoint: str, resolver: str) -> None:
        """Write the files that are on the disk before the instance starts."""
        files = {RESOURCE_CONFIG: resource_config(self.order, members), **slurm_files.SITE_FILES}
        self.write_first_files(self.order.region, endpoint, resolver, files)

    def mount_file_systems(self) -> None:
        """Mount the group's InstanceStorageConfigs, now and after each reboot.

        How HyperPod handles a failed mount is not known. Here it is retried in the background
        while the user's script runs, which has to wait for it or to fail.
        """
        lines = []
        for config in self.order.specification.get("InstanceStorageConfigs") or ():
            lustre, zfs = config.get("FsxLustreConfig"), config.get("FsxOpenZfsConfig")
            if lustre:
                path = lustre.get("MountPath") or "/fsx"
                source = f"{lustre['DnsName']}@tcp:/{lustre['MountName']}"
                lines.append((path, f"{source} {path} lustre {_LUSTRE_OPTIONS} 0 0"))
            elif zfs:
                path = zfs.get("MountPath") or "/home"
                source = f"{zfs['DnsName']}:/fsx"
                lines.append((path, f"{source} {path} nfs4 nfsvers=4.2,_netdev 0 0"))
        if not lines:
            return
        text = "".join(f"{line}\n" for _, line in lines)
        self.machine.write_files({"/etc/fstab": text})
        missing = [path for path, _ in lines if not self._mount(path)]
        if missing:
            threading.Thread(target=self._retry_mounts, args=(missing,), daemon=True).start()
        # systemd reads the units from fstab, and mounts them at the next boot.
        self.must("systemctl daemon-reload")

    def install_containers(self) -> None:
        """Install the stubs of Enroot and Pyxis, as part of the image."""
        source = "/usr/lib/emulation/containers"
        self.must(
            f"install -m 755 {source}/enroot /usr/bin/enroot"
            f" && install -D -m 644 {source}/spank_pyxis.so /usr/local/lib/slurm/spank_pyxis.so"
            " && mkdir -p /etc/enroot && touch /etc/enroot/enroot.conf"
        )

    def place_scripts(self, files: Mapping[str, bytes], entry: str) -> None:
        """Write the folder of the lifecycle scripts to the node.

        Raises
        ------
        LifecycleFailed
            The entry script is not among them.
        """
        if entry not in files:
            raise LifecycleFailed(f"{LIFECYCLE_FAILED} There is no {entry}.")
        self.must(f"rm -rf {SCRIPTS}")
        self.machine.write_files({f"{SCRIPTS}/{name}": content for name, content in files.items()})
        self.must(f"chmod 755 {SCRIPTS}/{entry}")

    def run_script(self, entry: str, stream: log_stream.Stream) -> None:
        """Run the user's entry script as HyperPod does: as root, in its folder.

        Raises
        ------
        LifecycleFailed
            It did not exit with 0.
        """
        started = time.monotonic()
        process = self.machine.start(
            f"cd {SCRIPTS} && exec ./{entry}",
            environment={"SAGEMAKER_RESOURCE_CONFIG_PATH": RESOURCE_CONFIG},
            merge=True,
        )
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            text = line.rstrip("\n")
            last = text or last
            stream.write(text)
        code = process.wait()
        self.timings["lifecycle"] = time.monotonic() - started
        if code != 0:
            raise LifecycleFailed(f"{LIFECYCLE_FAILED} Exit code {code}, last line: {last}")

    def _mount(self, path: str) -> bool:
        command = f"mkdir -p {path} && {{ mountpoint -q {path} || mount {path}; }}"
        return self.machine.run(command).ok

    def _retry_mounts(self, paths: list[str]) -> None:
        leader = self.machine.leader
        while paths and self.machine.leader == leader:
            time.sleep(_MOUNT_EVERY_S)
            try:
                paths = [path for path in paths if not self._mount(path)]
            except MachineDown:
                return


def resource_config(order: NodeOrder, members: list[Member]) -> str:
    """The contents of resource_config.json, with the fields that public scripts read."""
    groups: dict[str, dict[str, Any]] = {}
    for member in members:
        group = groups.setdefault(
            member.group_name,
            {"Name": member.group_name, "InstanceType": member.instance_type, "Instances": []},
        )
        group["Instances"].append(
            {
                "InstanceName": member.name,
                "AgentIpAddress": member.address,
                "CustomerIpAddress": member.address,
                "InstanceId": member.instance_id,
            }
        )
    return json.dumps(
        {
            "ClusterConfig": {
                "ClusterArn": order.cluster_arn,
                "ClusterName": order.cluster_name,
            },
            "InstanceGroups": list(groups.values()),
        },
        indent=2,
    )
