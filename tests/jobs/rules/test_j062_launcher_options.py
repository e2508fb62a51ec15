"""CW-J062: Launchers have the options that they are given, and values that agree."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

HOSTS = "cat > hosts <<'END'\nwork1 slots=2\n{}\nEND\n"


@pytest.mark.parametrize(
    ("line", "severity", "message"),
    [
        (
            "srun torchrun --nprocs-per-node=8 train.py",
            "error",
            "torchrun has no option --nprocs-per-node",
        ),
        ("srun torchrun --zzz=8 train.py", "warning", "torchrun has no option --zzz"),
        (
            "srun python -m torch.distributed.launch --data_path d.h5ad finetune.py",
            "warning",
            "torchrun has no option --data-path",
        ),
        (
            "srun torchrun a.py --nproc_per_node=8",
            "warning",
            "torchrun does not read --nproc_per_node, because it stands after the program a.py",
        ),
        (
            "srun accelerate launch --multi_gpu true train.py",
            "error",
            "--multi-gpu has no value: accelerate takes `true` for the program",
        ),
        (
            "srun accelerate launch --num_machines 4 --num_processes 30 train.py",
            "warning",
            "--num-processes=30 of all 4 machines: each starts 7, 28 in all",
        ),
        (
            "srun accelerate launch --num_machines 4 --num_processes 1 train.py",
            "error",
            "--num-processes=1 of all 4 machines: each starts 0, 0 in all",
        ),
        (
            "deepspeed train.py",
            "warning",
            "deepspeed has no --hostfile: it trains on the first of 4 nodes only",
        ),
        (
            HOSTS.format("work2 lots=2") + "deepspeed --hostfile hosts train.py",
            "error",
            "deepspeed reads no host from the line `work2 lots=2` of hosts",
        ),
        (
            HOSTS.format("") + "deepspeed --hostfile hosts --include=work1:2,3 train.py",
            "error",
            "work1 has 2 slots in the file of hosts, from 0, and none with the number 3",
        ),
        (
            HOSTS.format("") + "deepspeed --hostfile hosts --include=work3 train.py",
            "error",
            "the host work3 is not in the file of hosts",
        ),
    ],
)
def test_options_that_a_launcher_does_not_read(line: str, severity: str, message: str) -> None:
    found = fails("CW-J062", f"{HEAD}{line}\n")
    assert (found.severity, found.message) == (severity, message)


@pytest.mark.parametrize(
    "line",
    [
        "srun torchrun --nproc_per_node=8 --rdzv_id 1 -m train --nnodes 3",
        "srun torchrun --nproc-per=8 train.py",
        "srun torchrun $OPTIONS train.py --nproc_per_node 8",
        "srun python -m torch.distributed.launch --use_env train.py",
        "srun accelerate launch --same_network --num_machines 4 --num_processes 32 true_model.py",
        "srun accelerate launch --megatron_lm_anything 4 train.py",
        HOSTS.format("# a comment") + "deepspeed --hostfile hosts --include=work1:1 train.py",
        "deepspeed --hostfile $HOSTS --include=work1:7 train.py",
        "srun deepspeed --no_ssh --node_rank $R train.py --num_nodes 4",
    ],
)
def test_options_of_the_launchers(line: str) -> None:
    passes("CW-J062", f"{HEAD}{line}\n")


ABSENT = "hosts.txt is neither beside the job file nor written by it"
DEEPSPEED = "deepspeed --hostfile hosts.txt train.py\n"


@pytest.mark.parametrize(
    "before",
    [
        "export A=1",
        "source /fsx/venv/bin/activate",
        "module load cuda && echo start > /fsx/log",
        "mkdir -p out",
    ],
)
def test_a_file_of_hosts_that_nothing_writes(before: str) -> None:
    found = fails("CW-J062", f"{HEAD}{before}\n{DEEPSPEED.strip()} > $LOG\npython report.py\n")
    assert found.message.startswith(ABSENT)


@pytest.mark.parametrize(
    "before",
    [
        "bash prep.sh",
        "cd /fsx/run",
        'cd "$RUN"',
        "srun --nodes=1 --ntasks=1 python mk.py",
        "#SBATCH --chdir=/fsx/run",
        "source prep.sh",
        'LIST=hosts.txt; scontrol show hostnames | sed "s/$/ slots=8/" > $LIST',
        'echo "$NAMES" > $(basename $FILE)',
        "for name in $NAMES; do echo $name slots=8; done > $FILE",
    ],
)
def test_a_file_of_hosts_that_something_may_write(before: str) -> None:
    passes("CW-J062", f"{HEAD}{before}\n{DEEPSPEED}")


def test_a_file_of_hosts_in_the_folder_of_a_step() -> None:
    passes("CW-J062", f"{HEAD}bash -c 'cd /fsx/run && {DEEPSPEED.strip()}'\n")
    passes("CW-J062", f"{HEAD}srun --chdir=/fsx/run {DEEPSPEED}")
