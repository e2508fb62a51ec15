"""The acceptance program on the controller of SlurmNodes, whose nodes have no accelerators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from clusterwright_acceptance.expected import Expected, FileSystem

from tests.support.real_slurm_nodes import LIBRARY, SlurmNodes

FOLDER = "/var/lib/clusterwright/acceptance"
NOT_HERE = ("clock", "locked-memory", "shared-memory", "gemm", "host-copy", "hbm-copy")
"""Checks of what this host cannot offer, or of programs that need a GPU. They are waived, as is
the version of Neuron's driver, which the emulated hardware does not have."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""That of a service of systemd, as the program is on a cluster."""


class AcceptanceCluster(SlurmNodes):
    """The nodes, and the acceptance program on the controller."""

    def expected(self, name: str, **changes: Any) -> Expected:
        node = self.nodes[name]
        neuron = node.group == "neuron"
        reason = "the host of the emulated nodes does not have it"
        found: dict[str, Any] = {
            "kind": "neuron" if neuron else "nvidia",
            # MPI uses TCP here, which a group with EFA interfaces does not accept.
            "efa": neuron,
            "lustre": (FileSystem("/fsx", "fs-0abc", "abcdef12"),),
            "scratch_path": "/opt/dlami/nvme",
            "group": node.group,
            "floors": {"nvme-throughput": 1.0, **({} if neuron else {"pairs": 0.03})},
            "waivers": tuple(
                {"check": check, "reason": reason, "expires": "9999-12-31", "nodes": []}
                for check in (*NOT_HERE, *(("versions",) if neuron else ()))
            ),
        }
        return Expected(name, node.instance_type, **{**found, **changes})

    def accept(
        self, run: str, nodes: Sequence[str], level: str = "standard"
    ) -> tuple[int, dict[str, Any]]:
        """The exit code and the report of a run."""
        words = [f"--run={run}", f"--level={level}", *(f"--node={name}" for name in nodes)]
        words.append("--lustre=/fsx=1200,125")
        done = self.slurm.run(*self.program_words("acceptance", "cluster", *words), timeout=280)
        report = self.read(f"runs/{run}.json")
        assert report["status"] == "ended", done.text
        return done.returncode, report

    def read(self, name: str) -> Any:
        """A file of the acceptance program on the controller."""
        return json.loads(self.slurm.check("cat", f"{FOLDER}/{name}"))

    def program_words(self, package: str, *words: str) -> list[str]:
        module = ["python3", "-B", "-m", f"clusterwright_{package}", *words]
        return ["env", f"PYTHONPATH={LIBRARY}", f"PATH={PATH}", *module]
