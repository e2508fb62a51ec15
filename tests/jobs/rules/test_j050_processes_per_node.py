"""CW-J050: Processes per node are as many as the job has accelerators."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --ntasks-per-node=8\nsrun torchrun --nproc_per_node=8 train.py",
        "srun --ntasks-per-node=8 torchrun --nproc-per-node gpu train.py",
        "srun torchrun --nproc_per_node=16 train.py",
        "#SBATCH --gres=gpu:4\nsrun torchrun --nproc_per_node=8 train.py",
        "srun -n 32 python -m torch.distributed.run --nproc_per_node=8 train.py",
    ],
)
def test_too_many(text: str) -> None:
    assert fails("CW-J050", HEAD + text + "\n").severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --ntasks-per-node=1\nsrun torchrun --nproc_per_node=8 train.py",
        "#SBATCH --ntasks-per-node=8\nsrun --ntasks-per-node=1 torchrun --nproc_per_node=8 t.py",
        "#SBATCH --ntasks-per-node=8\nsrun python train.py",
        "srun torchrun --nproc_per_node=$N train.py",
        "#SBATCH --ntasks-per-node=8\nsrun -n 4 -N 4 torchrun --nproc_per_node=8 train.py",
        "#SBATCH -p trn\nsrun torchrun --nproc_per_node=32 train.py",
    ],
)
def test_one_each(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


def test_lightning_takes_a_task_for_each_device() -> None:
    one = HEAD + "#SBATCH --ntasks-per-node=1\n"
    found = fails("CW-J050", one + "srun python pretrain.py trainer.devices=8\n")
    assert found.message == (
        "Lightning takes one task for each device: 8 devices, and srun starts 1 per node"
    )
    eight = HEAD + "#SBATCH --ntasks-per-node=8\n"
    passes("CW-J050", eight + "srun python pretrain.py trainer.devices=8\n")
    passes("CW-J050", one + "srun torchrun --nproc-per-node=8 pretrain.py trainer.devices=8\n")
    passes("CW-J050", HEAD + "python pretrain.py trainer.devices=8\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun --nproc_per_node=4 train.py",
        "srun accelerate launch --num_machines 4 --num_processes 8 train.py",
        "srun --ntasks-per-node=2 torchrun --nproc-per-node=2 train.py",
        "srun bash -c 'accelerate launch --num_machines 4 --num_processes 4 train.py'",
    ],
)
def test_idle_gpus(text: str) -> None:
    assert fails("CW-J050", HEAD + text + "\n").severity == "warning"


def test_one_gpu_is_used() -> None:
    found = fails("CW-J050", HEAD + "srun torchrun --nnodes=4 --nproc-per-node=1 train.py\n")
    assert "1 of the 8 GPUs of each node is used, and" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "srun accelerate launch --num_machines 4 --num_processes 32 train.py",
        "srun accelerate launch --num_machines 4 --num_processes $N train.py",
        "#SBATCH --gpus-per-node=4\nsrun torchrun --nproc_per_node=4 train.py",
        "export CUDA_VISIBLE_DEVICES=0,1\nsrun torchrun --nproc_per_node=2 train.py",
        "srun --ntasks-per-node=8 torchrun --nnodes=4 --nproc-per-node=1 train.py",
        "#SBATCH --ntasks-per-node=8\nsrun torchrun --nnodes=4 --nproc-per-node=1 train.py",
        "for i in 0 1 2 3; do\n  srun -N1 --gpus=2 --exact torchrun --standalone "
        "--nproc-per-node=2 train.py &\ndone\nwait",
        "srun --gpus-per-node=4 torchrun --nproc-per-node=4 train.py",
        "srun torchrun --nproc-per-node=4 train.py &\npython serve.py &\nwait",
        "srun -w a torchrun --nproc_per_node=4 train.py &\n"
        "srun -w a torchrun --nproc_per_node=4 train.py &\nwait",
    ],
)
def test_as_many_as_are_requested(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


def test_words_of_a_shell_text() -> None:
    text = HEAD + "#SBATCH --ntasks-per-node=1\nsrun bash -c 'cd /opt; python t.py "
    fails("CW-J050", text + "trainer.devices=8'\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mpirun -np 4 /opt/nccl-tests/build/all_reduce_perf -b 8 -e 1G -f 2 -g 1",
            "mpirun starts 4 ranks, which use 4 of the 32 GPUs of 4 nodes",
        ),
        (
            "mpirun -n 16 -x NCCL_DEBUG --bind-to none all_reduce_perf_mpi -g 1",
            "mpirun starts 16 ranks, which use 16 of the 32 GPUs of 4 nodes",
        ),
        (
            "#SBATCH --nodes=1\nmpirun -np 1 all_reduce_perf",
            "mpirun starts 1 rank, which uses 1 of the 8 GPUs of 1 node",
        ),
        (
            "mpirun --map-by ppr:4:node alltoall_perf",
            "mpirun starts 4 ranks on each node, which use 4 of its 8 GPUs",
        ),
        (
            "mpirun -np 8 -N 2 all_gather_perf -g 2",
            "mpirun starts 2 ranks on each node, which use 4 of its 8 GPUs",
        ),
        (
            "mpirun -np 4 -N 1 all_gather_perf --ngpus=2 -t2",
            "mpirun starts 1 rank on each node, which uses 4 of its 8 GPUs",
        ),
    ],
)
def test_fewer_ranks_of_nccl_tests(text: str, message: str) -> None:
    found = fails("CW-J050", HEAD + text + "\n")
    assert found.severity == "warning"
    assert found.message == f"{message}, and no other job can use the others"


@pytest.mark.parametrize(
    "text",
    [
        "mpirun -np 32 --npernode 8 all_reduce_perf -b 8 -e 1G -f 2 -g 1",
        "mpirun -np 4 --npernode 1 all_reduce_perf -g 8",
        "mpirun -np 4 -N 1 all_reduce_perf -t 8 -g 1",
        "mpirun -np 4 all_reduce_perf -g8",
        "mpirun -np 4 all_reduce_perf --ngpus 8",
        "mpirun -np 4 all_reduce_perf --ngpus=8 -b 8",
        "mpirun -np 4 all_reduce_perf --ngpu=8",
        "mpirun -np 4 all_reduce_perf --nthreads 8",
        "mpirun -np 4 all_reduce_perf -t4 --ngpus 2",
        "mpirun -np 4 all_reduce_perf -g 0x8",
        "mpirun -np 4 all_reduce_perf -g$GPUS",
        "mpirun -np 4 all_reduce_perf $TEST_OPTIONS",
        "mpirun -np 4 $MPI_OPTIONS all_reduce_perf -g 1",
        "mpirun -np $N all_reduce_perf",
        "mpirun all_reduce_perf",
        "mpirun -np 8 --host a,b all_reduce_perf",
        "mpirun -np 4 --npernode 1 start_ray.sh",
        "mpirun -np 4 torchrun --nproc_per_node=8 train.py",
        "mpirun --npernode 1 python train.py : --npernode 7 python train.py",
        "mpirun --npernode 1 python train.py",
        "mpirun --npernode 4 osu_bw",
        "mpirun --npernode 4 python train.py",
        "mpirun -np 16 python train.py --tensor_parallel 2",
        "mpirun -np 4 -N 1 sendrecv_perf -b 8 -e 1G -f 2 -g 1",
        "mpirun -np 4 -N 1 all_reduce_perf -b 8 -e 1G -f 2 -g 1",
        "mpirun -np 4 ./hbm_perf",
        "mpirun -np 4 perf stat ./x_perf",
        "mpirun -np 4 bash -c 'CUDA=1 ./all_reduce_perf'",
        "for n in 1 2; do\n  mpirun -np $n --npernode 1 all_reduce_perf\ndone",
        "export CUDA_VISIBLE_DEVICES=0\nmpirun --npernode 1 all_reduce_perf",
        "#SBATCH --gpus-per-node=4\nmpirun --npernode 4 all_reduce_perf",
    ],
)
def test_ranks_for_all_gpus(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


def test_ranks_on_shared_nodes() -> None:
    shared = "#!/bin/bash\n#SBATCH --nodes=2\nmpirun --npernode 1 all_reduce_perf\n"
    passes("CW-J050", shared)


@pytest.mark.parametrize(
    "text",
    [
        "srun ray start --head --num-gpus=16 --block",
        "ray start --address $A --num-gpus 9",
        "srun bash -c 'ray start --address $A --num-gpus 16 --block'",
    ],
)
def test_ray_with_more_gpus_than_the_node(text: str) -> None:
    found = fails("CW-J050", HEAD + text + "\n")
    assert found.severity == "warning"
    assert found.message.endswith("GPUs, and the job has 8 on each node")


@pytest.mark.parametrize(
    "text",
    [
        "srun ray start --head --num-gpus=8 --block",
        "srun ray start --head --num-gpus=$GPUS",
        "srun ray start --head --block",
        "srun ray status --num-gpus 16",
        "srun python a.py --num-gpus 16",
        "#SBATCH -p trn\nsrun ray start --head --num-gpus=16",
    ],
)
def test_ray_with_the_gpus_of_the_node(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


TRAINIUM = HEAD + "#SBATCH -p trn\n"


def test_more_processes_than_neuron_cores() -> None:
    found = fails("CW-J050", TRAINIUM + "srun torchrun --nproc_per_node=64 train.py\n")
    assert found.message == "64 processes per node, and the job has 32 NeuronCores on each"
    half = TRAINIUM + "#SBATCH --gres=neuron:8\n"
    fails("CW-J050", half + "srun torchrun --nproc_per_node=32 train.py\n")
    found = fails("CW-J050", TRAINIUM + "srun -n 8 torchrun --nproc_per_node=32 train.py\n")
    assert found.message.endswith("64 processes on 32 NeuronCores")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun --nproc_per_node=32 train.py",
        "srun torchrun --nproc_per_node=2 train.py",
        "srun torchrun --nproc_per_node=$N train.py",
        "#SBATCH --gres=neuron:8\nsrun torchrun --nproc_per_node=16 train.py",
    ],
)
def test_processes_for_neuron_cores(text: str) -> None:
    passes("CW-J050", TRAINIUM + text + "\n")


def test_ranks_of_nccl_tests_under_srun() -> None:
    test = "srun --ntasks-per-node=8 all_reduce_perf -b 8 -e 8G"
    found = fails("CW-J050", HEAD + f"{test} -g 8\n")
    assert found.message == "srun starts 8 ranks with 8 GPUs each on a node: 64, and the job has 8"
    passes("CW-J050", HEAD + f"{test} -g 1\n")
    passes("CW-J050", HEAD + "srun --ntasks-per-node=1 all_reduce_perf -g 8\n")


def test_processes_that_collectives_on_trn1_do_not_take() -> None:
    found = fails("CW-J050", TRAINIUM + "srun torchrun --nproc_per_node=24 train.py\n")
    assert (found.severity, found.requested) == ("warning", 24)
    assert "1, 2, 8, 16 or all 32" in found.message
    passes("CW-J050", TRAINIUM + "srun torchrun --nproc_per_node=8 train.py\n")


@pytest.mark.parametrize(
    "cores", ["NEURON_RT_NUM_CORES=8", "NEURON_RT_NUM_CORES=$N", "NEURON_RT_VISIBLE_CORES=0-7"]
)
def test_processes_with_several_neuron_cores(cores: str) -> None:
    launch = "srun torchrun --nproc_per_node=4 train.py\n"
    passes("CW-J050", f"{TRAINIUM}export {cores}\n{launch}")
    fails("CW-J050", f"{TRAINIUM}export NEURON_RT_NUM_CORES=1\n{launch}")
