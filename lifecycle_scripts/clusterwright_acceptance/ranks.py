"""`python3 -m clusterwright_acceptance.ranks SIZES PROCESSES`: all-reduce without MPI.

In pods there is no launcher of MPI, and nccl-tests over several nodes needs one. So each pod
starts a process for each GPU, in which PyTorch calls NCCL's all-reduce, and the first rank prints
nccl-tests' columns: float32, sum, in place (the columns out of place have the same figures).
The environment has MASTER_ADDR, MASTER_PORT, CLUSTERWRIGHT_NODES and JOB_COMPLETION_INDEX.
busbw = S/t x 2(n-1)/n (nccl-tests, PERFORMANCE.md).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

PROGRAM = """
import os, sys, time
import torch
import torch.distributed as dist
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
total, wrong, rates = 20, 0, []
for mib in map(int, sys.argv[1].split(",")):
    size = mib * 2**20
    data = torch.ones(size // 4, dtype=torch.float32, device="cuda")
    dist.all_reduce(data)
    bad = torch.tensor([float((data != world).sum())], device="cuda")
    dist.all_reduce(bad)
    data.zero_()
    for _ in range(5):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    dist.barrier()
    began = time.perf_counter()
    for _ in range(total):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    seconds = torch.tensor([(time.perf_counter() - began) / total], device="cuda")
    dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
    t, n = float(seconds[0]), int(bad[0])
    alg = size / t / 1e9
    bus = alg * 2 * (world - 1) / world
    wrong += n
    rates.append(bus)
    if rank == 0:
        half = f"{t * 1e6:.1f} {alg:.2f} {bus:.2f} {n}"
        print(f"{size} {size // 4} float sum -1 {half} {half}", flush=True)
if rank == 0:
    print(f"# Out of bounds values : {wrong} {'FAILED' if wrong else 'OK'}")
    print(f"# Avg bus bandwidth    : {sum(rates) / len(rates):.4f}", flush=True)
dist.destroy_process_group()
"""


def environments(processes: int, nodes: int, index: int) -> list[dict[str, str]]:
    """The variables of each process of this pod."""
    return [
        {
            "RANK": str(index * processes + local),
            "LOCAL_RANK": str(local),
            "WORLD_SIZE": str(processes * nodes),
        }
        for local in range(processes)
    ]


def main(argv: Sequence[str]) -> int:
    """Exit 127 without PyTorch, else the largest code of the processes."""
    sizes, processes = argv[0], int(argv[1])
    nodes = int(os.environ.get("CLUSTERWRIGHT_NODES", "1"))
    index = int(os.environ.get("JOB_COMPLETION_INDEX", "0"))
    if subprocess.run([sys.executable, "-c", "import torch"], check=False).returncode:
        print("PyTorch: No such file or directory", file=sys.stderr)
        return 127
    running = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, sizes], env={**os.environ, **more})
        for more in environments(processes, nodes, index)
    ]
    codes = [process.wait() for process in running]
    return max(abs(code) for code in codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
