"""What rules ask of a job and its cluster."""

from __future__ import annotations

import pytest

from clusterwright.jobs.job import argument
from tests.jobs.made import HEAD, made_job


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/fsx/a", "lustre"),
        ("/fsxa", "unmounted"),
        ("/home/me", "home"),
        ("~/a", "home"),
        ("$HOME/a", "home"),
        ("/scratch", "nvme"),
        ("/opt/dlami/nvme/x", "nvme"),
        ("/results/x", "bucket"),
        ("/dev/shm/x", "memory"),
        ("/tmp/x", "root"),
        ("/opt/x", "root"),
        ("/lustre/x", "unmounted"),
        ("logs/x", "unknown"),
        ("$X/y", "unknown"),
        ("/$X/y", "unknown"),
    ],
)
def test_storage(path: str, kind: str) -> None:
    assert made_job(HEAD).storage(path) == kind


def test_groups_of_the_partition() -> None:
    assert [g.name for g in made_job("#SBATCH -p trn\n").groups] == ["trainium"]
    assert [g.name for g in made_job("#SBATCH -p gpu,cpu\n").groups] == ["hopper", "cpus"]
    assert [g.name for g in made_job("").groups] == ["hopper"]
    assert len(made_job("#SBATCH -p none\n").groups) == 3


def test_nodes_and_accelerators() -> None:
    job = made_job(HEAD)
    assert (job.nodes, job.accelerators_per_node, job.has_efa) == (4, 8, True)
    assert job.families == {"nvidia"}
    assert job.available(job.groups[0]) == 7
    assert made_job("#SBATCH -N 2-4\n").nodes is None
    assert made_job("#SBATCH -n 16\n").nodes is None
    assert made_job("").nodes == 1
    assert made_job("#SBATCH -p cpu\n").accelerators_per_node == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("srun -n 8 a", 2),
        ("srun --ntasks-per-node=8 a", 8),
        ("srun -N 1 -n 4 a", 4),
        ("#SBATCH --ntasks-per-node=8\nsrun a", 8),
        ("#SBATCH -n 32\nsrun a", 8),
        ("srun a", 1),
        ("srun -n $N a", None),
    ],
)
def test_tasks_per_node(text: str, expected: int | None) -> None:
    job = made_job(HEAD + text + "\n")
    assert job.tasks_per_node(job.file.steps[0]) == expected


@pytest.mark.parametrize(
    ("text", "trains", "tests"),
    [
        ("srun torchrun x.py", True, False),
        ("srun torchrun --nnodes=4 bench/test_internode.py", False, False),
        ("srun python /fsx/pretrain_gpt.py", True, False),
        ("srun /opt/all_reduce_perf -b 8", False, True),
        ("srun python tokenise.py", False, False),
    ],
)
def test_kind_of_job(text: str, trains: bool, tests: bool) -> None:
    job = made_job(HEAD + text + "\n")
    assert (job.trains, job.only_tests) == (trains, tests)


def test_argument() -> None:
    words = made_job(HEAD + "srun a --x 1 --y=2 --x 3\n").file.steps[0].program
    found = {name: argument(words, name) for name in ("--x", "--y", "--z")}
    assert {k: v and v.text for k, v in found.items()} == {"--x": "3", "--y": "2", "--z": None}
