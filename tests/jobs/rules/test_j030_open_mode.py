"""CW-J030: The log of a job that is requeued is appended to."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize("lines", ["--requeue", "--requeue --open-mode=truncate"])
def test_truncated(lines: str) -> None:
    found = fails("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")
    assert "--open-mode=append" in (found.hint or "")


TRAINING = """#!/bin/bash
#SBATCH --nodes=8 {}
srun torchrun train.py{}
"""


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        ("", ""),
        ("--open-mode=truncate", ""),
        ("--open-mode=append", " 2>&1 | tee train.log"),
        ("--open-mode=append --requeue", " | tee -i logs/$SLURM_JOB_ID.log"),
    ],
)
def test_slurm_requeues_a_training_without_an_option(lines: str, output: str) -> None:
    fails("CW-J030", TRAINING.format(lines, output))


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        ("--no-requeue", " | tee train.log"),
        ("--open-mode=append", " | tee -a train.log"),
        ("--open-mode=append", " | tee -ia train.log"),
        ("--open-mode=append", " | tee --append train.log"),
        ("--open-mode=append", " | tee log.$SLURM_RESTART_COUNT"),
        ("--open-mode=append", " | tee /dev/stderr"),
        ("--time=10 ", " | tee train.log"),
    ],
)
def test_a_training_that_appends_or_is_not_requeued(lines: str, output: str) -> None:
    passes("CW-J030", TRAINING.format(lines, output))


@pytest.mark.parametrize("lines", ["--requeue --open-mode=append", "--no-requeue", "-N1"])
def test_appended(lines: str) -> None:
    passes("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")


@pytest.mark.parametrize(
    "line",
    [
        "srun torchrun train.py > train.log 2>&1",
        "srun torchrun train.py &> train.log",
        "srun torchrun train.py >& logs/$SLURM_JOB_ID",
        "srun torchrun train.py >| /fsx/logs/$SLURM_JOB_NAME.log",
        "srun torchrun train.py 2> train.err",
        "exec > /fsx/logs/run.log 2>&1\nsrun torchrun train.py",
        "exec &> run.log\nsrun torchrun train.py",
        "{ srun torchrun train.py; } > run.log",
        "for i in 1 2; do srun torchrun train.py; done > run.log",
        "(srun torchrun train.py) 2>&1 > run.log",
        "> run.log\nsrun torchrun train.py >> run.log",
        "srun bash -c 'python train.py > rank-$SLURM_PROCID.log'",
        "LOG=/fsx/logs/run.log\nsrun torchrun train.py > $LOG",
        "python train.py > run.log && true",
        "srun ./train.sh > go.log\nsrun torchrun train.py",
        "srun bash run_training.sh > logs/1\nsrun torchrun train.py",
        "srun ./train-8b > run.out\nsrun torchrun train.py",
        "train() {\n  srun torchrun train.py\n}\ntrain > run.log",
        "srun python -u main.py > run.log\nsrun torchrun train.py >> train.log",
        "{ date; srun torchrun train.py; } > train.out",
        "{ date; (hostname); if true; then srun torchrun train.py; fi; } > run.log",
        "if true; then { srun torchrun train.py; } 2> run.err; fi",
    ],
)
def test_redirections_that_truncate_the_log(line: str) -> None:
    text = f"#!/bin/bash\n#SBATCH --nodes=8 --requeue --open-mode=append\n{line}\n"
    found = fails("CW-J030", text)
    assert "overwrites" in found.message
    assert ">>" in (found.hint or "")


@pytest.mark.parametrize(
    "line",
    [
        "srun torchrun train.py >> train.log 2>&1",
        "srun torchrun train.py &>> train.log",
        "exec >> run.log 2>&1\nsrun torchrun train.py",
        "exec 3> /fsx/lock\nsrun torchrun train.py",
        "srun torchrun train.py > train-$SLURM_RESTART_COUNT.log",
        "srun torchrun train.py > train-$(date +%s).log",
        'srun torchrun train.py > "$LOG"',
        "srun torchrun train.py > /dev/null 2> /dev/stderr",
        "srun torchrun train.py >&2",
        "srun torchrun train.py < input.log",
        "scontrol show hostnames > hosts.txt\nsrun torchrun train.py",
        "srun hostname > hostfile\nsrun torchrun train.py",
        "nvidia-smi > gpus.log\nsrun torchrun train.py",
        "cat > run.log.sh <<'E'\npython a.py > x.log\nE\nsrun torchrun train.py",
        "{ echo a; echo b; } > config.yaml\nsrun torchrun train.py",
        "srun hostname > hosts.out\nsrun torchrun train.py",
        "srun ls /fsx/data/train > files.out\nsrun torchrun train.py",
        "srun -J train.sh hostname > hosts.out\nsrun torchrun train.py",
        "srun python --version > versions.log\nsrun torchrun train.py",
        "srun python -m torch.utils.collect_env > env.log\nsrun torchrun train.py",
        "{ date; nvidia-smi -L; } > provenance.log\nsrun torchrun train.py",
        "(srun hostname) > hosts.log\nsrun torchrun train.py",
        "for i in 1 2; do srun ./probe; done > probe.log\nsrun torchrun train.py",
        "{ srun torchrun train.py; }\n{ date; } > end.log",
        "srun bash x.sh > rollout\nsrun torchrun train.py",
        "exec > rollout\nsrun torchrun train.py",
        "srun ./go > go.log\nsrun torchrun train.py",
    ],
)
def test_redirections_that_do_not(line: str) -> None:
    passes("CW-J030", f"#!/bin/bash\n#SBATCH --nodes=8 --requeue --open-mode=append\n{line}\n")


def test_a_job_that_is_not_requeued_may_truncate() -> None:
    passes("CW-J030", "#!/bin/bash\n#SBATCH --no-requeue -N8\nsrun torchrun train.py > a.log\n")


@pytest.mark.parametrize(
    "line",
    [
        "run() {\n  srun torchrun train.py > run.log\n}\nrun",
        "go() {\n  srun torchrun train.py\n}\ngo > run.log",
        "function go { srun torchrun train.py; }\ngo 2>&1 | tee run.log",
        "go() { srun torchrun train.py > $1; }\ngo /fsx/logs/run.log",
        "go() { local log=run.log; srun torchrun train.py &> $log; }\nif true; then go; fi",
        'log() { "$@" > run.log 2>&1; }\nlog srun torchrun train.py',
        "inner() { srun torchrun train.py; }\nouter() { inner > run.log; }\nouter",
        "go() { srun torchrun train.py; } > run.log\ngo",
        "work() { python train.py > r.log; }\nexport -f work\nsrun bash -c work",
        "work() { python train.py; }\nexport -f work\nsrun bash -c 'work > r.log'",
        "start() { exec > run.log 2>&1; }\nstart\nsrun torchrun train.py",
        "go() { srun torchrun train.py > run.log; }\ntrap go USR1\nsrun torchrun train.py",
    ],
)
def test_a_function_is_judged_where_it_is_called(line: str) -> None:
    fails("CW-J030", f"#!/bin/bash\n#SBATCH --nodes=8 --requeue --open-mode=append\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "old() {\n  srun torchrun train.py > run.log\n}\nsrun torchrun train.py",
        "go() { srun torchrun train.py > $1; }\ngo /fsx/logs/$SLURM_RESTART_COUNT.log",
        "go() { srun torchrun train.py >> $1; }\ngo run.log",
        "train_on() { scontrol show hostnames; }\ntrain_on > hosts.out\nsrun torchrun train.py",
        'log() { echo "$@" > note.log; }\nlog begin\nsrun torchrun train.py',
        "go() { srun torchrun train.py > run.log; }\ngo() { srun torchrun train.py; }\ngo",
    ],
)
def test_a_function_that_is_not_called_or_appends(line: str) -> None:
    passes("CW-J030", f"#!/bin/bash\n#SBATCH --nodes=8 --requeue --open-mode=append\n{line}\n")
