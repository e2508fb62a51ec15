"""The all-reduce of nodes with GPUs: nccl-tests with MPI, or PyTorch where there is no MPI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from clusterwright_acceptance import benchmarks, floors, nccl_output, running
from clusterwright_acceptance.allreduce import Command, Figures
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.floors import Floor
from clusterwright_acceptance.launcher import LIBRARY, Launched, Launcher

_FIRST_OF = (
    'for p in {}; do q=$(command -v "$p") && [ -x "$q" ] && exec "$q" "$@"; done; '
    'echo "$0: No such file or directory" >&2; exit 127'
)
_DEBUG = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET"}


class NcclTests:
    """Pairs use NCCL's ring, which both nodes' interfaces limit."""

    program = "all_reduce_perf"
    pair_env: Mapping[str, str] = {"NCCL_ALGO": "RING"}
    sweep_mib = (128, 256, 512, 1024, 2048, 4096, 8192)

    @property
    def pair_mib(self) -> int:
        return int(floors.table()["pair_ring"]["size_mib"])

    def ranks(self, expected: Expected) -> int:
        return expected.type.accelerator_count or 1

    def pair_floor(self, expected: Expected) -> Floor:
        return floors.pair_ring(expected)

    def command(
        self,
        expected: Expected,
        launcher: Launcher,
        nodes: int,  # noqa: ARG002 - it is MPI that knows them
        sizes_mib: Sequence[int],
    ) -> Command:
        count = self.ranks(expected)
        own = getattr(launcher, "allreduce_argv", None)
        if own is not None:
            env = {**_DEBUG, "PYTHONPATH": LIBRARY}
            return Command("PyTorch", own(sizes_mib, count), env=env)
        perf = expected.programs.get(self.program, self.program)
        places = running.PLACES[self.program] if perf == self.program else ()
        script = _FIRST_OF.format(" ".join([perf, *places]))
        smallest, largest = f"{sizes_mib[0]}M", f"{sizes_mib[-1]}M"
        words = benchmarks.arguments(self.program, smallest=smallest, largest=largest)
        return Command(perf, ["sh", "-c", script, perf, *words], count, _DEBUG)

    def why_hung(
        self,
        nodes: Sequence[str],  # noqa: ARG002 - ranks say nothing before all have started
        done: Launched,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
    ) -> Optional[str]:
        return None

    def why_not_run(
        self,
        nodes: Sequence[str],  # noqa: ARG002
        command: Command,
        done: Launched,
    ) -> Optional[str]:
        # MPI itself may complain about other files.
        missing = f"{command.program}: No such file or directory" in done.stderr
        if done.exit_code == 127 or (done.exit_code is not None and missing):
            return f"{command.program} is not on these nodes"
        return None

    def read(self, done: Launched, sizes_mib: Sequence[int]) -> Figures:
        report = nccl_output.parse(done.output)
        values = {size: report.busbw(size * 2**20) for size in sizes_mib}
        if report.wrong:
            return Figures(values, f"{report.wrong} wrong values")
        return Figures(values, f"the job exited {done.exit_code}" if done.exit_code else None)

    def why_not_efa(self, done: Launched, interfaces: Optional[int]) -> Optional[str]:
        return nccl_output.why_not_efa(done.output, interfaces)

    def why_idle(self, node: str, idle: Sequence[str], devices: int) -> Optional[str]:
        return f"{node}: {idle[0]} sent nothing ({len(idle)} of {devices})" if idle else None
