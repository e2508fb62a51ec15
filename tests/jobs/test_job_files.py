"""Realistic job files, in the styles of public examples: good ones have no findings, and each
mistake that is made in one is found there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.made import check, fails

FOLDER = Path(__file__).parent / "job_files"
FILES = sorted(FOLDER.glob("*.sbatch"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_good_file_has_no_findings(path: Path) -> None:
    result = check(path.read_text(encoding="utf-8"))
    assert [(f.rule, f.message) for f in result.findings] == []
    assert [(u.rule, u.message) for u in result.unanswered] == []
    assert result.exit_code() == 0


@pytest.mark.parametrize(
    ("name", "before", "after", "rule"),
    [
        ("megatron", "--partition=gpu", "--partition=gpus", "CW-J010"),
        ("megatron", "--account=research", "--account=reserch", "CW-J011"),
        ("megatron", "--nodes=4", "--nodes=8", "CW-J013"),
        ("megatron", "2-00:00:00", "9-00:00:00", "CW-J014"),
        ("megatron", "--gpus-per-node=8", "--gpus-per-node=16", "CW-J016"),
        ("megatron", "#SBATCH --exclusive", "##SBATCH --exclusive", "CW-J033"),
        ("torchtitan", "#SBATCH --requeue\n", "", "CW-J031"),
        ("megatron", "#SBATCH --open-mode=append\n", "", "CW-J030"),
        ("megatron", "#SBATCH --signal=B:USR1@300\n", "", "CW-J035"),
        ("megatron", "trap forward USR1\n", "", "CW-J035"),
        ("megatron", "^docker,lo,veth", "eth0", "CW-J020"),
        ("megatron", "FI_PROVIDER=efa", "FI_PROVIDER=tcp", "CW-J021"),
        ("megatron", "NCCL_DEBUG=WARN", "NCCL_PROTO=LL128", "CW-J022"),
        ("megatron", "--kill-on-bad-exit=1 ", "", "CW-J034"),
        ("torchtitan", "/fsx/checkpoints/titan", "$HOME/c", "CW-J040"),
        ("megatron", "GPUS_PER_NODE=8\nH", "GPUS_PER_NODE=16\nH", "CW-J050"),
        ("megatron", "--nnodes=$SLURM_JOB_NUM_NODES", "--nnodes=2", "CW-J051"),
        ("megatron", "parallel-size 2", "parallel-size 3", "CW-J052"),
        ("megatron", "--num-layers 32", "--num-layers 3200", "CW-J053"),
        ("megatron", "endpoint=$HEAD_NODE:", "endpoint=localhost:", "CW-J023"),
        ("torchtitan", "--signal=B:", "--signal=", "CW-J035"),
        ("megatron", "kill -TERM", "kill -USR1", "CW-J035"),
        ("megatron_strings", "--signal=TERM", "--signal=USR1", "CW-J035"),
        ("megatron_strings", "    --exit-signal-handler \\\n", "", "CW-J035"),
        ("megatron_strings", "--load ${CKPT}", "", "CW-J039"),
        ("megatron_strings", "parallel-size 8", "parallel-size 7", "CW-J052"),
        ("megatron_strings", "--num-layers 48", "--num-layers 480", "CW-J053"),
        ("megatron_strings", "\\$SLURM_PROCID", "$SLURM_PROCID", "CW-J054"),
        ("deepspeed", '    wait "$PID"\n    scontrol requeue', "    echo", "CW-J035"),
        ("deepspeed", 'PID=$!\nwait "$PID"', "PID=$!", "CW-J056"),
        ("deepspeed", "--node_rank $SLURM_PROCID", "--node_rank 0", "CW-J054"),
        ("deepspeed", "MASTER_ADDR=$(", "MASTER_ADDR=localhost #", "CW-J023"),
        ("ray", "srun --overlap", "srun", "CW-J057"),
        ("ray", "--num-gpus 8 --block &\nsleep", "--num-gpus 16 --block &\nsleep", "CW-J050"),
        ("neuron", "--nproc_per_node 32", "--nproc_per_node 64", "CW-J050"),
        ("ray", "--block &\nsleep", "--block\nsleep", "CW-J055"),
        ("ray", "ip_head=$head_node_ip:", "ip_head=127.0.0.1:", "CW-J023"),
        ("ray", '="$SLURM_NNODES"', "=8", "CW-J051"),
        ("fsdp_hyperpod", " --kill-on-bad-exit=1", "", "CW-J034"),
        ("fsdp_hyperpod", "GPUS_PER_NODE=8", "GPUS_PER_NODE=4", "CW-J050"),
        ("accelerate", "--num_processes", "--num_processes 8 --x", "CW-J050"),
        ("tokenise_array", "%A_%a", "%A", "CW-J038"),
        ("nemo", "-t 24:00:00", "-t 24:00:00:00", "CW-J006"),
        ("nemo", "-p gpu", "-p trn", "CW-J019"),
        ("accelerate", "HF_HOME=/fsx/hf", "HF_HOME=~/hf", "CW-J041"),
        ("nemo", "=/fsx/images/nemo-25.07.sqsh", "=nvcr.io/nvidia/nemo:25.07", "CW-J043"),
        ("nemo", "=/fsx/images/nemo-25.07.sqsh", "=/home/me/nemo.sqsh", "CW-J044"),
        ("nemo", "-o slurm-%j.out", "-o /tmp/slurm-%j.out", "CW-J045"),
        ("torchtitan", "srun --kill-on-bad-exit=1 torchrun", "torchrun", "CW-J051"),
        ("torchtitan", "degree=8", "degree=3", "CW-J052"),
        ("torchtitan", "#SBATCH --time=3-0", "#SBATCH --time=$DAYS", "CW-J004"),
        ("accelerate", "--nodes=1 --ntasks=1 huggingface", "huggingface", "CW-J046"),
        ("accelerate", "export HF_HUB_OFFLINE=1\n", "", "CW-J046"),
        ("accelerate", "--cpus-per-task=96", "--cpus-per-task=960", "CW-J017"),
        ("accelerate", "--num_machines $SLURM_NNODES", "--num_machines 4", "CW-J051"),
        ("accelerate", "    --rdzv_backend c10d \\\n", "", "CW-J054"),
        ("nccl_tests", "--ntasks-per-node", "--ntask-per-node", "CW-J002"),
        ("nccl_tests", "#!/bin/bash\n", "", "CW-J001"),
        ("neuron", "sdk2.28.0", "sdk2.30.0", "CW-J049"),
        ("neuron", "set -o errexit -o pipefail", "set -e", "CW-J037"),
        ("neuron", "--partition=trn", "--partition=gpu", "CW-J019"),
        ("tokenise_array", "--mem=24G", "--mem=240G", "CW-J018"),
        ("tokenise_array", "--array=0-", "--array=0-9", "CW-J027"),
        ("lora_one_gpu", "$((10000 + SLURM_JOB_ID % 20000))", "29500", "CW-J024"),
        ("lora_one_gpu", '"$(cat "$HOME/.wandb_key")"', "a" * 40, "CW-J060"),
    ],
)
def test_mistake_is_found(name: str, before: str, after: str, rule: str) -> None:
    text = (FOLDER / f"{name}.sbatch").read_text(encoding="utf-8")
    assert before in text
    fails(rule, text.replace(before, after))
