"""The all-reduce of nodes with Neuron devices: nccom-test in its Slurm mode.

Nothing is concluded from what nccom-test prints, of which its guide shows little: a run is good if
it ends with a report of all sizes, and `neuron_ranks` says on which nodes its ranks ran. Pods have
no Slurm, in which nccom-test could start ranks on several nodes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from clusterwright_acceptance import benchmarks, floors, nccl_output, neuron_ranks
from clusterwright_acceptance.allreduce import Command, Figures
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.floors import Floor
from clusterwright_acceptance.launcher import LIBRARY, Launched, Launcher

RANKS_OF_DEVICE = {"Trn1": 2, "Trn2": 4}
"""Logical NeuronCores: by default two of Trainium2's eight are one (NCCOM-TEST User Guide)."""
_EFA = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", "FI_EFA_FORK_SAFE": "1"}
"""AWS Neuron documentation, multi-node training with EFA; as in the job files."""


class NccomTest:
    """Sizes up to that of the guide's example, which fits into a NeuronCore's memory."""

    program = neuron_ranks.NAME
    pair_mib = 1024
    pair_env: Mapping[str, str] = {}
    sweep_mib = (128, 256, 512, 1024)

    def ranks(self, expected: Expected) -> int:
        kind = expected.type
        return (kind.accelerator_count or 1) * RANKS_OF_DEVICE.get(kind.accelerator or "", 1)

    def pair_floor(self, expected: Expected) -> Floor:
        return floors.pair_neuron(expected, self.pair_mib)

    def command(
        self,
        expected: Expected,
        launcher: Launcher,  # noqa: ARG002 - only Slurm's are given
        nodes: int,
        sizes_mib: Sequence[int],
    ) -> Command:
        words = benchmarks.arguments(
            self.program,
            ranks=self.ranks(expected) * nodes,
            smallest=sizes_mib[0] * 2**20,
            largest=sizes_mib[-1] * 2**20,
            report=neuron_ranks.REPORT,
        )
        program = expected.programs.get(self.program, self.program)
        argv = ["/usr/bin/python3", "-B", "-m", neuron_ranks.__name__, program]
        argv += ["-N", str(nodes), "allr", *words, "--check", "--non-interactive"]
        efa = _EFA if expected.efa and expected.type.efa_interfaces else {}
        return Command(program, argv, env={**efa, "PYTHONPATH": LIBRARY})

    def why_hung(self, nodes: Sequence[str], done: Launched, seconds: float) -> Optional[str]:
        rows = _rows(done)
        hung = [
            f"did not start on {row.get('node')}: {row['hung']}" for row in rows if "hung" in row
        ]
        if hung:
            return hung[0]
        silent = _silent(nodes, rows)
        if done.exit_code is None and silent:
            return f"did not end within {seconds:.0f} s: {silent}"
        return None

    def why_not_run(self, nodes: Sequence[str], command: Command, done: Launched) -> Optional[str]:
        rows = _rows(done)
        missing = [f"{row.get('node')}: {row['missing']}" for row in rows if "missing" in row]
        if missing:
            return missing[0]
        if done.exit_code == 127:
            return f"{command.program} is not on these nodes"
        ended = next((row for row in rows if "exit" in row), {})
        idle = [str(row.get("node")) for row in rows if row.get("ranks") is False]
        if not idle or (ended.get("exit") == 0 and ended.get("report")):
            # Without a failure it is the look that was too late.
            return None
        silent = _silent(nodes, rows)
        more = f", and {silent}" if silent else ""
        where = ", ".join(sorted(idle))
        return f"{command.program} started nothing on {where}{more}{_last(ended)}"

    def read(self, done: Launched, sizes_mib: Sequence[int]) -> Figures:
        ended = next((row for row in _rows(done) if "exit" in row), None)
        if ended is None:
            raise nccl_output.BadOutput("the job ended before nccom-test")
        bad = f"nccom-test exited {ended['exit']}{_last(ended)}" if ended["exit"] else None
        try:
            found = nccl_output.parse_nccom(str(ended["report"]))
            values = {size: found[size * 2**20] for size in sizes_mib}
        except nccl_output.BadOutput as error:
            return Figures({}, bad or f"{error}{_last(ended)}")
        except KeyError as error:
            return Figures({}, bad or f"nccom-test's report has no row of {error} bytes")
        return Figures(values, bad)

    def why_not_efa(
        self,
        done: Launched,  # noqa: ARG002 - it does not name the network
        interfaces: Optional[int],  # noqa: ARG002
    ) -> Optional[str]:
        return None

    def why_idle(self, node: str, idle: Sequence[str], devices: int) -> Optional[str]:
        """No source says that every interface carries a part: one that does is enough."""
        return f"{node}: no EFA device sent anything" if len(idle) == devices else None


def _rows(done: Launched) -> list[dict[str, Any]]:
    """What `neuron_ranks` printed on each node."""
    found = []
    for line in nccl_output.stripped(done.stdout):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        found.extend([row] if isinstance(row, dict) else [])
    return found


def _silent(nodes: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Which nodes printed nothing where others did."""
    silent = sorted(set(nodes) - {str(row.get("node")) for row in rows})
    return f"{', '.join(silent)} printed nothing" if rows and silent else ""


def _last(ended: Mapping[str, Any]) -> str:
    """The last line of nccom-test, as the end of a sentence."""
    lines = [str(line).strip() for line in ended.get("last") or ()]
    return f": {lines[-1][:160]}" if lines else ""
