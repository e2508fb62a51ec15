"""CW-J023: Processes on several nodes meet at an address that all of them reach."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export MASTER_ADDR=localhost\nsrun python train.py",
        "export MASTER_ADDR=127.0.0.1\nsrun torchrun train.py",
        "srun torchrun --rdzv-endpoint localhost:29500 train.py",
        "srun torchrun --master_addr=127.0.0.1 train.py",
    ],
)
def test_local(text: str) -> None:
    assert "4 nodes" in fails("CW-J023", HEAD + text + "\n").message


@pytest.mark.parametrize(
    "text",
    [
        'export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)\nsrun a',
        "export MASTER_ADDR=localhost\nsrun torchrun --rdzv_endpoint=$HEAD:1 train.py",
    ],
)
def test_the_first_node(text: str) -> None:
    passes("CW-J023", HEAD + text + "\n")


def test_one_node() -> None:
    passes("CW-J023", "#!/bin/bash\nexport MASTER_ADDR=localhost\ntorchrun train.py\n")


@pytest.mark.parametrize(
    "text",
    [
        'torchrun --nnodes=1:4 --rdzv_backend=c10d --rdzv_endpoint="192.0.0.1:1234" train.py',
        "srun torchrun --master_addr=10.0.1.7 train.py",
        "srun torchrun --rdzv-endpoint ip-10-0-1-7.ec2.internal:29500 train.py",
        "export MASTER_ADDR=10.0.1.7\nsrun python train.py",
    ],
)
def test_an_address_of_the_file(text: str) -> None:
    found = fails("CW-J023", HEAD + text + "\n")
    assert found.severity == "warning"
    assert "Slurm chooses the 4 nodes" in found.message
    passes("CW-J023", HEAD + "#SBATCH --nodelist=ip-10-0-1-[7-10]\n" + text + "\n")


def test_a_server_of_etcd_is_no_node() -> None:
    text = "srun torchrun --rdzv_backend=etcd-v2 --rdzv_endpoint=10.0.1.7:2379 train.py\n"
    passes("CW-J023", HEAD + text)


def test_ray() -> None:
    fails("CW-J023", HEAD + "srun bash -c 'ray start --address 127.0.0.1:6379'\n")
    passes("CW-J023", HEAD + "srun bash -c 'ray start --address $head:6379'\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun -N1 -n1 bash -c 'ray start --head; python a.py --address localhost:6379'",
        "srun -n1 torchrun --nnodes=1 --rdzv-endpoint=localhost:0 a.py",
        "srun torchrun --nnodes=1 --rdzv-endpoint=localhost:0 a.py",
    ],
)
def test_a_head_or_a_launcher_by_itself(text: str) -> None:
    passes("CW-J023", HEAD + text + "\n")


def test_ray_after_another_command() -> None:
    fails("CW-J023", HEAD + "srun bash -c 'cd /opt; ray start --address localhost:6379'\n")


@pytest.mark.parametrize("address", ["setup@104.171.201.171", "tcp://10.0.0.1"])
def test_what_is_no_address(address: str) -> None:
    start = "#!/bin/bash\n#SBATCH --nodes=2 --nodelist=n[1-2]\n"
    launch = f"srun torchrun --nnodes 2 --nproc-per-node 8 --master-addr={address} train.py\n"
    assert "is no address" in fails("CW-J023", start + launch).message
    exported = f"export MASTER_ADDR={address}\nsrun python train.py\n"
    assert "is no address" in fails("CW-J023", start + exported).message


@pytest.mark.parametrize(
    "address",
    ["node-1", "node-1.cluster", "10.0.0.1", "fd00::1", "fe80::1%eth0", "$(hostname)", ""],
)
def test_addresses(address: str) -> None:
    start = "#!/bin/bash\n#SBATCH --nodes=2 --nodelist=n[1-2]\n"
    passes("CW-J023", f"{start}export MASTER_ADDR={address}\nsrun python train.py\n")


_LAUNCH = 'srun torchrun --nnodes 4 --nproc-per-node 8 --rdzv-endpoint "$MASTER_ADDR:29500" t.py\n'


@pytest.mark.parametrize("before", ["", "localhost", "tcp://10.0.0.1"])
@pytest.mark.parametrize(
    "text",
    [
        "MASTER_ADDR={}\nread -r MASTER_ADDR < <(scontrol show hostnames)\n",
        "export MASTER_ADDR={}\nIFS= read -r MASTER_ADDR <<< $(scontrol show hostnames)\n",
        "MASTER_ADDR={}\nprintf -v MASTER_ADDR %s $(hostname)\nexport MASTER_ADDR\n",
        "HEAD={}\nread -r HEAD < hosts\nexport MASTER_ADDR=$HEAD\n",
    ],
)
def test_what_a_command_reads_is_not_known(before: str, text: str) -> None:
    passes("CW-J023", HEAD + text.format(before) + "srun python train.py\n")
    passes("CW-J023", HEAD + text.format(before) + _LAUNCH)


def test_an_empty_variable_may_be_set_elsewhere() -> None:
    passes("CW-J023", f'{HEAD}MASTER_ADDR=""\nsource /fsx/env.sh\n{_LAUNCH}')
    inner = "export MASTER_ADDR=$(hostname); python train.py"
    passes("CW-J023", f"{HEAD}export MASTER_ADDR=\nsrun bash -c '{inner}'\n")


def test_a_rendezvous_in_a_file_or_of_another_backend_has_no_address() -> None:
    launch = "srun torchrun --nnodes 4 --nproc-per-node 8 {} --rdzv-endpoint /fsx/run1 train.py\n"
    passes("CW-J023", HEAD + launch.format("--rdzv-backend c10d --rdzv-conf store_type=file"))
    passes("CW-J023", HEAD + launch.format("--rdzv-backend of_the_site"))
    fails("CW-J023", HEAD + launch.format("--rdzv-backend c10d"))
    fails("CW-J023", HEAD + launch.format("--rdzv-conf timeout=900"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "srun bash -c 'torchrun --nnodes=4 --master_addr=$(hostname) train.py'",
            "its own address",
        ),
        (
            "srun bash -c 'A=`hostname -s`; torchrun --nnodes=4 --master_addr=$A t.py'",
            "its own address",
        ),
        (
            'srun bash -c "torchrun --nnodes=4 --rdzv-endpoint=\\$HOSTNAME:1 t.py"',
            "its own address",
        ),
        (
            "srun bash -c 'torchrun --nnodes=$N --master_port=$((2000 + RANDOM)) t.py'",
            "another port",
        ),
    ],
)
def test_what_each_node_finds_out_itself(text: str, what: str) -> None:
    assert what in fails("CW-J023", HEAD + text + "\n").message


@pytest.mark.parametrize(
    "text",
    [
        "export A=$(hostname)\nsrun bash -c 'torchrun --master_addr=$A train.py'",
        'srun bash -c "torchrun --master_addr=$(hostname) train.py"',
        "srun torchrun --master_addr=$(hostname) --master_port=$RANDOM train.py",
        "srun bash -c 'torchrun --master_addr=$(hostname) --master_port=$RANDOM sweep.py'",
        "srun bash -c 'torchrun --nnodes=1 --rdzv-endpoint=$(hostname):0 sweep.py'",
        "srun bash -c 'torchrun --rdzv-endpoint=$(scontrol show hostnames | head -n1):1 train.py'",
    ],
)
def test_what_the_batch_script_finds_out(text: str) -> None:
    passes("CW-J023", HEAD + text + "\n")
