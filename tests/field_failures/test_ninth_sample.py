"""The ninth sample: options of sbatch, ports, addresses, layouts, elastic jobs, templates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.field_failures.changes import EKS
from tests.jobs import made, made_manifests
from tests.jobs.made_manifests import pod, pytorch_job
from tests.support.synthesis import Build

HEAD = "#!/bin/bash\n#SBATCH --partition=gpu\n"
TWO_NODES = f"{HEAD}#SBATCH --nodes=2 --exclusive\n"

# --- batch scripts


def test_parallelcluster_3452_options_that_exclude_each_other_are_found() -> None:
    text = f"{HEAD}#SBATCH -G 1 --cpus-per-gpu 32 {{}}\nsrun sleep 1\n"
    found = made.fails("CW-J028", text.format("--cpus-per-task 20"))
    assert found.message.startswith("--cpus-per-gpu and --cpus-per-task are mutually exclusive")
    made.passes("CW-J028", text.format(""))
    made.fails("CW-J028", f"{HEAD}#SBATCH --gpus-per-task=1\nsrun sleep 1\n")


def test_snakemake_342_tasks_per_gpu_that_srun_refuses_are_found() -> None:
    text = f"{HEAD}#SBATCH --ntasks-per-{{}} --cpus-per-task=1 --gres=gpu:1\nsrun -n1 nvidia-smi\n"
    found = made.fails("CW-J028", text.format("gpu=1"))
    assert "the job starts, and its steps do not" in found.message
    made.passes("CW-J028", text.format("node=1"))


def test_arjuna_75_more_tasks_than_cores_are_found() -> None:
    text = "#!/bin/bash\n#SBATCH -p cpu\n#SBATCH -n {} # total cores\n#SBATCH -N 1\nsrun ./fire\n"
    found = made.fails("CW-J017", text.format(64))
    assert found.message.startswith("64 tasks with 1 CPUs each do not fit on 1 nodes")
    made.passes("CW-J017", text.format(16))


def test_uabrc_985_tasks_per_socket_that_no_node_takes_are_found() -> None:
    text = f"{HEAD}#SBATCH --ntasks=3 --nodes=1 --gres=gpu:3 --ntasks-per-socket={{}}\nsrun ./a\n"
    made.fails("CW-J007", text.format(1))
    made.passes("CW-J007", text.format(3))


def test_accelerate_1317_address_with_a_user_is_found() -> None:
    launch = (
        "srun bash -c 'accelerate launch --num_machines 2 --num_processes 16 "
        "--machine_rank $SLURM_NODEID --main_process_ip {} --main_process_port 25525 train.py'\n"
    )
    found = made.fails("CW-J023", TWO_NODES + launch.format("setup@104.171.201.171"))
    assert "is no address: it has a user" in found.message
    made.passes("CW-J023", TWO_NODES + launch.format("$FIRST"))


def test_parallelcluster_3033_forwarding_of_x11_is_found() -> None:
    made.fails("CW-J101", f"{HEAD}srun --x11 xterm\n")
    made.passes("CW-J101", f"{HEAD}srun xterm\n")


def test_deepspeed_examples_575_file_of_hosts_that_nothing_writes_is_found() -> None:
    launch = "deepspeed --hostfile=hosts.txt train.py\n"
    found = made.fails("CW-J062", TWO_NODES + launch)
    assert found.message.startswith("hosts.txt is neither beside the job file nor written by it")
    lists = 'scontrol show hostnames | sed "s/$/ slots=8/" > hosts.txt\n'
    made.passes("CW-J062", TWO_NODES + lists + launch)


def test_enroot_243_port_of_outgoing_connections_is_found() -> None:
    line = "export MASTER_PORT=$((SLURM_JOB_ID % 16384 + {}))\nsrun python train.py\n"
    found = made.fails("CW-J029", TWO_NODES + line.format(49152))
    says = "the ports 49152 to 65535 include some of those that the kernel gives"
    assert found.message.startswith(says)
    made.passes("CW-J029", TWO_NODES + line.format(10000))


def test_nemo_14838_layout_of_experts_is_found() -> None:
    text = (
        f"{HEAD}#SBATCH --nodes=1\nsrun torchrun --nnodes 1 --nproc-per-node {{}} pretrain_gpt.py "
        "--pipeline-model-parallel-size 2 --expert-model-parallel-size 4\n"
    )
    found = made.fails("CW-J052", text.format(4))
    assert "expert 4 × pipeline 2 = 8 does not divide 4 accelerators" in found.message
    made.passes("CW-J052", text.format(8))


def test_pytorch_85604_local_rank_of_all_processes_is_found() -> None:
    text = f"{HEAD}srun torchrun --standalone --nproc_per_node=2 train.py {{}}\n"
    found = made.fails("CW-J054", text.format("--local_rank 0"))
    assert "they all use one accelerator" in found.message
    made.passes("CW-J054", text.format(""))


# --- manifests


def test_trainer_2278_elastic_job_without_workers_is_found() -> None:
    job = json.loads(pytorch_job(pod()))
    job["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 2}
    made_manifests.passes("CW-J082", json.dumps(job))
    specs = job["spec"]["pytorchReplicaSpecs"]
    specs["Master"] = specs.pop("Worker")
    found = made_manifests.fails("CW-J082", json.dumps(job))
    assert found.message.startswith("the job has an elastic policy and no Worker")


# --- what cannot occur


def test_do_hyperpod_1_every_reference_of_a_template_is_to_a_part_of_it(build: Build) -> None:
    for template in build(EKS).templates.values():
        parts = {*template.get("Resources", {}), *template.get("Parameters", {})}
        assert {name for name in _references(template) if "::" not in name} <= parts


def _references(value: Any) -> Iterator[str]:
    """What `Ref` and `Fn::GetAtt` name."""
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
    if not isinstance(value, Mapping):
        return
    for key, each in value.items():
        if key == "Ref" and isinstance(each, str):
            yield each
        elif key == "Fn::GetAtt":
            yield each[0] if isinstance(each, list) else each.partition(".")[0]
        else:
            yield from _references(each)
