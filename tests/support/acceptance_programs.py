"""Programs of acceptance on nodes without accelerators: real ones with less data, and stubs.

`all_reduce_perf`, `fio` and `fi_pingpong` are real: an all-reduce of Open MPI, Debian's fio and
libfabric's ping-pong over TCP. `dcgmi` and `nccom-test` stand in for programs that need devices:
faults of the node make them print what the real ones print, or hang.
"""

from __future__ import annotations

from tests.support.real_slurm_nodes import FAULTS, SlurmNodes

PACKAGES = ("fio", "libfabric-bin", "libopenmpi40")
"""Debian's packages beyond those of the node image."""

ALL_REDUCE_PERF = '''#!/usr/bin/python3
"""An all-reduce of float32 over MPI, printed in nccl-tests' columns.

The buffer has a 1,024th of the size of its row; the figures are those of what was transferred,
the best of three. With the fault `all-reduce-hangs` the rank of the node does not begin.
"""
import array, ctypes, os, sys, time

if os.path.exists("FAULTS/all-reduce-hangs"):
    time.sleep(600)

os.environ.update(
    OMPI_MCA_pml="ob1",
    OMPI_MCA_btl="self,tcp",
    OMPI_MCA_btl_tcp_if_include="eth0",
    OMPI_MCA_mpi_yield_when_idle="1",
    # The other component wants the route over the same interface.
    OMPI_MCA_reachable="weighted",
)
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
world, number, add = (
    ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, f"ompi_mpi_{name}")))
    for name in ("comm_world", "float", "op_sum")
)


def checked(code):
    if code:
        sys.exit(f"MPI returns {code}")


def asked(function):
    found = ctypes.c_int()
    checked(function(world, ctypes.byref(found)))
    return found.value


words = dict(zip(sys.argv[1:], sys.argv[2:]))
size, last = (int(words[name].removesuffix("M")) * 2**20 for name in ("-b", "-e"))
checked(mpi.MPI_Init(None, None))
ranks, rank = asked(mpi.MPI_Comm_size), asked(mpi.MPI_Comm_rank)
rates = []
while size <= last:
    count = size // 4096
    data, result = (ctypes.c_float * count)(*([1.0] * count)), (ctypes.c_float * count)()
    best = float("inf")
    for _ in range(3):
        checked(mpi.MPI_Barrier(world))
        began = time.perf_counter()
        checked(mpi.MPI_Allreduce(data, result, ctypes.c_int(count), number, add, world))
        best = min(best, time.perf_counter() - began)
    wrong = count - array.array("f", bytes(result)).count(float(ranks))
    bus = count * 4 / best / 1e9 * 2 * (ranks - 1) / ranks
    rates.append(bus)
    if rank == 0:
        half = f"{best * 1e6:.1f} {count * 4 / best / 1e9:.6f} {bus:.6f} {wrong}"
        print(f"{size} {size // 4} float sum -1 {half} {half}", flush=True)
    size *= 2
if rank == 0:
    print("# Out of bounds values : 0 OK")
    print(f"# Avg bus bandwidth    : {sum(rates) / len(rates):.6f}", flush=True)
checked(mpi.MPI_Finalize())
'''.replace("FAULTS", FAULTS)

FIO = """#!/bin/bash
# The real fio, for one second and with 8 MiB instead of gigabytes: the disks are memory. With the
# fault `lustre-hangs` it does not write what all nodes write.
[[ -e FAULTS/lustre-hangs && "$*" == *terse* ]] && exec sleep 600
words=()
for word in "$@"; do
  case $word in
    --size=*) word=--size=8M ;;
    --runtime=*) word=--runtime=1 ;;
  esac
  words+=("$word")
done
exec /usr/bin/fio "${words[@]}"
""".replace("FAULTS", FAULTS)

FI_PINGPONG = """#!/bin/bash
# libfabric's ping-pong over TCP instead of EFA; then the device's counter moves.
words=() device=
while [ $# -gt 0 ]; do
  case $1 in
    -p) words+=(-p tcp); shift ;;
    -d) device=${2%-rdm}; shift ;;
    *) words+=("$1") ;;
  esac
  shift
done
/usr/bin/fi_pingpong -I 10 "${words[@]}" || exit
case "${words[*]}" in *"-B "*) exit ;; esac # the server; one of both writes
counter=/sys/class/infiniband/$device/ports/1/hw_counters/tx_bytes
echo $(($(cat "$counter") + 4096)) >"$counter"
"""

DCGMI = f"""#!/bin/bash
# The emulated one of the image; with the fault `dcgm-hang` it stops in the middle of its output.
[ -e {FAULTS}/dcgm-hang ] || exec /usr/bin/dcgmi "$@"
/usr/bin/dcgmi "$@" | head --bytes=60
exec sleep 600
"""

NCCOM_TEST = f"""#!/usr/bin/python3
# Within a node: the fault `nccom-gbps` has the bandwidth in GB/s, `nccom-fails` and `nccom-hangs`
# need no text. Over several nodes, in Slurm mode, it starts `neuron-bench` on each with srun, as
# the guide says; `nccom-old` has no such mode, and `nccom-starts-nothing` no srun that works.
import json, os, subprocess, sys, time

FAULTS = "{FAULTS}"
words = sys.argv[1:]


def has(fault):
    return os.path.exists(f"{{FAULTS}}/{{fault}}")


def option(name, default=None):
    return words[words.index(name) + 1] if name in words else default


if "--help" in words:
    print("usage: nccom-test -r NWORKERS", "" if has("nccom-old") else "[--slurm-mode]")
    sys.exit()
if has("nccom-hangs"):
    print("Neuron runtime: initializing", flush=True)
    time.sleep(600)
if has("nccom-fails"):
    print("ERROR  NRT:nrt_init  Failed to initialize neuron device 3", file=sys.stderr)
    sys.exit(1)
if "--slurm-mode" in words:
    if has("nccom-starts-nothing"):
        sys.exit("srun: error: Unable to create step for job: Requested nodes are busy")
    count = option("-N")
    command = ["srun", f"--jobid={{option('--slurm-job-id')}}", f"--nodes={{count}}"]
    command += [f"--ntasks={{count}}", "--kill-on-bad-exit=1", "/usr/local/bin/neuron-bench"]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode:
        print("1 errors found - test failed")
        sys.exit(1)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    names = {{row["node"] for row in rows}}
    rate = min(row["slow"] if row["with"] in names else row["gbps"] for row in rows)
else:
    with open(FAULTS + "/nccom-gbps") as file:
        rate = float(file.read())
found = []
size, largest = int(option("-b")), int(option("-e"))
while size <= largest:
    row = {{"size(B)": size, "count(elems)": size // 4, "type": "fp32", "time:avg(us)": 1.0}}
    found.append({{**row, "algbw(GB/s)": rate / 2, "busbw(GB/s)": rate}})
    size *= int(option("-f"))
with open(option("--report-to-json-file"), "w") as file:
    json.dump({{"results": found}}, file)
"""

NEURON_BENCH = f"""#!/usr/bin/python3
# What nccom-test starts on each node. Faults: `bench-gbps` has the bandwidth in GB/s, else it is
# 46; `bench-path` has a node with which it is 20; `bench-fails` and `bench-hangs` need no text.
import glob, json, os, sys, time

FAULTS = "{FAULTS}"


def fault(name):
    try:
        with open(f"{{FAULTS}}/{{name}}") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


time.sleep(600 if fault("bench-hangs") is not None else 0.3)
if fault("bench-fails") is not None:
    sys.exit("ERROR  NRT:nrt_init  Failed to initialize neuron device 3")
for counter in glob.glob("/sys/class/infiniband/*/ports/1/hw_counters/tx_bytes"):
    with open(counter) as file:
        sent = int(file.read())
    with open(counter, "w") as file:
        file.write(str(sent + 4096))
row = {{"node": os.environ["SLURMD_NODENAME"], "with": fault("bench-path"), "slow": 20.0}}
print(json.dumps({{**row, "gbps": float(fault("bench-gbps") or 46.0)}}))
"""


def install(nodes: SlurmNodes) -> None:
    """Install the programs on all nodes, before those of the image on the search path."""
    for name, text in {
        "all_reduce_perf": ALL_REDUCE_PERF,
        "fio": FIO,
        "fi_pingpong": FI_PINGPONG,
        "dcgmi": DCGMI,
        "nccom-test": NCCOM_TEST,
        "neuron-bench": NEURON_BENCH,
    }.items():
        nodes.program(f"/usr/local/bin/{name}", text)
