"""A node of AWS PCS: its disk before the agent starts, and its user data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.platform_node import PlatformNode
from clusterwright_rehearsal.platforms.pcs.members import Member, shell_scripts

_SCHEDULER = "/opt/aws/pcs/scheduler"
BOOTSTRAP = "/opt/aws/pcs/bin/pcs_bootstrap_init.sh"
_BOOTSTRAP_TEXT = f"""#!/bin/sh
# In place of the agent's first program, which is not published: it needs the cluster's Slurm.
if ! test -d {_SCHEDULER}/slurm-"$1"; then
  echo "{BOOTSTRAP}: error: {_SCHEDULER}/slurm-$1: No such file or directory" >&2
  exit 1
fi
"""


def slurm_folder(version: str) -> str:
    """The folder of a version of Slurm."""
    return f"{_SCHEDULER}/slurm-{version}"


@dataclass
class PcsNode(PlatformNode):
    """A machine behind an instance of a compute node group."""

    order: Member

    @property
    def role(self) -> str:
        return self.order.role

    @property
    def instance_type(self) -> str:
        return self.order.instance_type

    @property
    def log_file(self) -> Path:
        """A copy of the output of the instance's lifecycle actions, in the run's folder."""
        return self.folder / "logs" / self.order.name / f"{self.order.instance_id}.log"

    def prepare(self, region: str, endpoint: str, resolver: str) -> None:
        """Write the files that are on the disk before the agent starts."""
        files = {"/var/lib/cloud/data/instance-id": self.order.instance_id + "\n"}
        self.write_first_files(region, endpoint, resolver, files)
        self.machine.write_files({BOOTSTRAP: _BOOTSTRAP_TEXT}, mode=0o755)

    def move_slurm(self, version: str) -> None:
        """Put Slurm where the images of PCS have it (PCS user guide, spank_install)."""
        folder = slurm_folder(version)
        self.must(
            f"test -e {folder} || {{ mkdir -p {_SCHEDULER} && cp -a /opt/slurm {folder}"
            f" && rm -rf /opt/slurm && ln -sfn {folder}/etc /etc/slurm; }}"
        )
        # Without CAP_SYS_RESOURCE limits cannot be raised, and pam_limits would refuse sessions of
        # users with raised limits.
        self.must(
            "sed -i -E 's/^(session\\s+)required(\\s+pam_limits.so)/\\1optional\\2/' /etc/pam.d/*"
        )

    def bootstrap(self, version: str) -> str | None:
        """Run the agent's first program; return why it failed. Its output is in the log."""
        ran = self.machine.run([BOOTSTRAP, version])
        if ran.ok:
            return None
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("a") as copy:
            copy.write(ran.stdout + ran.stderr)
        return f"{BOOTSTRAP} failed with exit code {ran.returncode}: {ran.output_tail}"

    def run_user_data(self) -> None:
        """Run the scripts of the launch template's user data, as cloud-init does before the agent.

        Raises
        ------
        RehearsalError
            A script failed. (cloud-init continues; a rehearsal says so.)
        """
        for number, text in enumerate(shell_scripts(self.order.user_data), 1):
            path = f"/var/lib/cloud/instance/scripts/part-{number:03}"
            self.machine.write_files({path: text}, mode=0o700)
            ran = self.machine.run([path])
            if not ran.ok:
                raise RehearsalError(
                    f"user data: script {number} exited with {ran.returncode}: {ran.output_tail}"
                )
