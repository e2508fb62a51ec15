"""What the nodes of HyperPod and of ParallelCluster have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.nodes.machines import Machine

_ANSWER_SECONDS = 60


@dataclass
class PlatformNode:
    """A machine with the order or description of its instance."""

    machine: Machine
    order: Any
    folder: Path
    """The run's folder, which contains the logs of the instance."""
    timings: dict[str, float] = field(default_factory=dict, kw_only=True)
    phase: str = field(default="booting", kw_only=True)
    """booting, platform, held, scripts, running or failed."""

    def write_first_files(
        self,
        region: str,
        endpoint: str,
        resolver: str,
        files: Mapping[str, str],
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        """Write the files that are on the disk before the instance starts: these and `files`."""
        order, machine = self.order, self.machine
        known = "".join(f"{address} {host}\n" for host, address in (hosts or {}).items())
        machine.write_files(
            {
                "/etc/emulation/hardware.json": json.dumps(
                    hardware_of(order.instance_type).as_file(order.instance_id)
                ),
                "/etc/hosts": f"127.0.0.1 localhost\n{order.address} {machine.name}\n{known}",
                "/etc/resolv.conf": (
                    f"nameserver {resolver}\nsearch {domain_of(region)}\n"
                    "options timeout:2 attempts:2\n"
                ),
                # The real image uses the endpoints of AWS; here one endpoint serves all.
                "/etc/systemd/system.conf.d/50-emulation.conf": (
                    f"[Manager]\nDefaultEnvironment=AWS_ENDPOINT_URL={endpoint}\n"
                ),
                "/etc/profile.d/emulation.sh": f"export AWS_ENDPOINT_URL={endpoint}\n",
                **files,
            }
        )
        machine.set_environment({"AWS_ENDPOINT_URL": endpoint})

    def start_munge(self, key: bytes) -> None:
        """Write munge's key and start munge."""
        self.machine.write_files({"/etc/munge/munge.key": key}, mode=0o400)
        self.must("chown munge:munge /etc/munge/munge.key && systemctl enable -q --now munge")

    def must(self, command: str, *, timeout_s: float = 120.0) -> str:
        """Run a command of the platform; raises RehearsalError unless it exits with 0."""
        ran = self.machine.run(command, timeout_s=timeout_s)
        if not ran.ok:
            raise RehearsalError(
                f"{self.machine.name}: `{command}` exited with {ran.returncode}: {ran.output_tail}"
            )
        return ran.stdout


def domain_of(region: str) -> str:
    """The domain of EC2's host names in a region."""
    return "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"


def until(command: str) -> str:
    """A shell loop until `command` succeeds; fails after a minute or more with its last output.

    It is not run again after it succeeded: slurmctld may be busy by then.
    """
    return (
        f"{{ for i in $(seq {_ANSWER_SECONDS * 5}); do"
        f" said=$({command} 2>&1) && said_ok=1 && break; said_ok=; sleep .2; done;"
        ' [ "$said_ok" ] || { echo "$said" >&2; false; }; }'
    )
