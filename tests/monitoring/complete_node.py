"""A fake node that has everything an exporter reads: GPUs with DCGM, Neuron, EFA, Lustre, Slurm.

States: `healthy`; `hung`, with every fault that a source can report and GPUs that wait; `idle`,
the same faults and GPUs without work.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from clusterwright_common.job_files import GPU_JOBS, INSPECTOR
from clusterwright_metrics.sources import efa, neuron, nvidia, training

from clusterwright.monitoring.metrics import metrics
from tests.nodes.metrics.fake_node import (
    CONFIG,
    LLITE,
    LNET,
    OPENMETRICS,
    SDIAG,
    SINFO,
    SQUEUE,
    Machine,
)

TITAN: Final = "".join(
    f"[titan] 2026-11-24 10:{minute:02}:{second:02},000 - root - INFO - {words}\n"
    for minute, second, words in (
        (0, 0, "Building device mesh with parallelism: pp=1, dp_shard=16, cp=1, tp=1"),
        (0, 1, "Trainer is initialized with local batch size 2, global batch size 32, "
               "sequence length 8192, total steps 1000"),
        (1, 0, "step:  1  loss: 12.2500  tps: 1,024  tflops: 400.00  mfu: 40.44%"),
        (1, 10, "step: 11  loss: 11.5000  tps: 1,024  tflops: 400.00  mfu: 40.44%"),
        (1, 10, "Saving the checkpoint."),
        (1, 13, "Finished saving the checkpoint in 3.00 seconds."),
        (1, 23, "step: 21  loss: 11.2500  tps: 1,024  tflops: 400.00  mfu: 40.44%"),
        (1, 33, "step: 31  loss: 11.0000  tps: 2,048  tflops: 494.50  mfu: 50.00%"),
        (1, 33, "Saving the checkpoint."),
        (1, 37, "Finished saving the checkpoint in 4.00 seconds."),
    )
)  # fmt: skip
"""The output of a job of torchtitan with 16 GPUs."""

PLAN: Final = "job 7: plan: flops-per-token=4.8e+10 peak-flops=9.89e+14 accelerators=16\n"
"""What a rendered job prints first."""

_INSPECTED: Final = "".join(
    f'nccl_{name}{{{operation},n_nodes="2",nranks="16",message_size="1-2GB"}} {value}\n'
    for name, operation, value in (
        ("bus_bandwidth_gbs", 'collective="AllReduce"', 371.5),
        ("collective_exec_time_microseconds", 'collective="AllReduce"', 2900),
        ("p2p_bus_bandwidth_gbs", 'p2p_operation="Send"', 40.5),
        ("p2p_exec_time_microseconds", 'p2p_operation="Send"', 17),
    )
)
"""The output of NCCL Inspector, of one GPU."""

State = Literal["healthy", "hung", "idle"]

_GPUS: Final = 8
_STATE_FOLDER: Final = "/var/lib/clusterwright"
_ACCEPTED: Final = {
    "accepted": [
        {"instance_type": "p5.48xlarge", "nodes": 2, "ranks": 16, "size_mib": 1024, "gbs": 435.0}
    ]
}
_XID: Final = {"bus": "0000:b9:00", "code": 79, "action": "replace", "bucket": "x", "count": 1}


def complete_node(
    folder: Path,
    state: State = "hung",
    *,
    mounts: tuple[str, ...] = ("/fsx",),
    sinfo: str = SINFO,
    squeue: str = SQUEUE,
) -> Machine:
    """The machine with mounts of Lustre; `sinfo` and `squeue` are what these commands print."""
    machine = Machine(folder)
    sick = state != "healthy"
    _host(machine, mounts, sick=sick)
    _nvidia(machine, state)
    _neuron(machine, sick=sick)
    for name in _counters():
        machine.file(f"{efa.FOLDER}/rdmap0s0/ports/1/hw_counters/{name}", "1\n")
    machine.file(f"{efa.FOLDER}/rdmap0s0/device/vendor", "0x1d0f\n")
    machine.file(f"{efa.FOLDER}/rdmap0s0/ports/1/state", "1: DOWN\n" if sick else "4: ACTIVE\n")
    machine.says("lctl", LLITE)
    machine.says("lnetctl", LNET if sick else LNET.replace("down", "up"))
    machine.says("sinfo", sinfo)
    _training(machine, squeue, sick=sick)
    more = "".join(f"Jobs {word}: 1\n" for word in ("completed", "failed"))
    machine.says("sdiag", SDIAG.replace("Jobs started", more + "Jobs started"))
    machine.file("/proc/sys/kernel/hostname", "ip-10-1-0-9\n")
    for number in range(_GPUS):
        machine.file(f"{GPU_JOBS}/{number}", "7\n")
        machine.file(f"{INSPECTOR}/7/nccl_inspector_metrics_GPU-{number}.prom", _INSPECTED)
    findings = ["gpu: 7 of 8", "clock: 2 s"] if sick else []
    machine.file(f"{_STATE_FOLDER}/health.json", json.dumps({"findings": findings}))
    verdicts = {"boot": "", "verdicts": [_XID] if sick else []}
    machine.file(f"{_STATE_FOLDER}/xid.json", json.dumps(verdicts))
    machine.file(f"{_STATE_FOLDER}/acceptance/accepted.json", json.dumps(_ACCEPTED))
    machine.file(f"{_STATE_FOLDER}/journal.json", '{"step": null}')
    machine.file(f"{_STATE_FOLDER}/preload-fsx.json", '{"files_seen": 9, "files_loaded": 4}')
    return machine


def _training(machine: Machine, squeue: str, *, sick: bool) -> None:
    """A job whose output has every figure, and one whose output is gone where the node is sick.

    The two forms of squeue differ in their options.
    """
    training._followed.clear()
    machine.says("squeue", squeue)
    rows = "".join(
        f"{number} |workers |alice |research |0 |2 |llama3 \n"
        for number in ((7, 8) if sick else (7,))
    )
    jobs = machine.root / "said/running"
    machine.file("/said/running", rows)
    machine.command(
        "squeue",
        f'case "$*" in *--Format=*) cat {jobs} ;; *) cat {machine.root}/said/squeue ;; esac',
    )
    machine.command(
        "scontrol",
        f'case "$*" in "show config") cat {machine.root}/said/config ;; '
        '*) echo "JobId=$3"; echo "   StdOut=/shared/llama3-$3.out" ;; esac',
    )
    machine.file("/said/config", CONFIG)
    machine.says("curl", OPENMETRICS)
    machine.file("/shared/llama3-7.out", PLAN + TITAN)


def _counters() -> list[str]:
    """The counters of the table: those of the driver, which the source passes on."""
    return [
        name.removeprefix("efa_").removesuffix("_total")
        for name, metric in metrics().items()
        if metric.source == "efa" and metric.kind == "counter"
    ]


def _host(machine: Machine, lustre: tuple[str, ...], *, sick: bool) -> None:
    machine.file("/proc/loadavg", "0.50 0.25 0.10 1/200 4242\n")
    machine.file("/proc/stat", "cpu  10 0 0 0\ncpu0 200 0 100 700 0 0 0 0\nbtime 1700000000\n")
    names = ["MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapTotal", "SwapFree"]
    names += ["Shmem"]
    machine.file("/proc/meminfo", "".join(f"{name}: 2048 kB\n" for name in names))
    line = " ".join("1" for _ in range(16))
    machine.file("/proc/net/dev", f"head\nhead\n  ens5: {line}\n")
    (machine.root / "sys/block/nvme0n1").mkdir(parents=True)
    machine.file("/proc/diskstats", "259 0 nvme0n1 5 0 8 1 6 0 16 1 0 1500 2\n")
    mounts = [f"/dev/root / ext4 {'ro' if sick else 'rw'} 0 0", "tmpfs /tmp tmpfs rw 0 0"]
    mounts += [f"fs@tcp:/x {path} lustre rw 0 0" for path in lustre]
    for path in ("/tmp", *lustre):
        (machine.root / path.lstrip("/")).mkdir(parents=True)
    if sick:
        # It is not there: reading its space fails.
        mounts += ["fs:/home /home nfs4 rw 0 0"]
    machine.file("/proc/1/mounts", "".join(f"{mount}\n" for mount in mounts))


def _nvidia(machine: Machine, state: State) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    busy = 0 if state == "idle" else 97
    errors = 0 if state == "healthy" else 2
    machine.says(
        "nvidia-smi",
        "".join(
            f"{n}, GPU-{n}, {busy}, 81559, 1024, 45, 350.25, 1980, 16, 0, {errors}\n"
            for n in range(_GPUS)
        ),
    )
    values = {name: "1" for _, name, *_ in nvidia._DCGM}
    values["DCGM_FI_DEV_GPU_UTIL"] = str(busy)
    if state == "healthy":
        values |= dict.fromkeys(_FAULTS_OF_DCGM, "0")
    else:
        values["DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"] = "0.0"
    row = "   ".join(values.values())
    machine.says("dcgmi", "".join(f"GPU {n}     {row}\n" for n in range(_GPUS)))


_FAULTS_OF_DCGM: Final = (
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
)


def _neuron(machine: Machine, *, sick: bool) -> None:
    folder = f"{neuron.FOLDER}/neuron0"
    machine.file("/dev/neuron0", "")
    for name in neuron._ECC:
        machine.file(f"{folder}/stats/hardware/{name}", "1\n" if sick else "0\n")
    machine.file(f"{folder}/stats/power/utilization", "POWER_STATUS_VALID,17000,1.0,90.0,45.5\n")
    core = f"{folder}/neuron_core0/stats"
    for status in ("success", "hw_error"):
        machine.file(f"{core}/status/{status}/total", "12\n")
    machine.file(f"{core}/memory_usage/device_mem/total", "4096\n")
    machine.file(f"{core}/other_info/flop_count", "77\n")
