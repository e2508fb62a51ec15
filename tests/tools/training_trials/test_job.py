"""The driver of the trials, with a program that needs no PyTorch."""

from __future__ import annotations

import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from tools.training_trials.__main__ import main
from tools.training_trials.job import Job, TrialError, write_tokens

pytestmark = pytest.mark.enable_socket  # It looks for a free port.

# Takes the part of python in the environment: arguments are the program's file and its options.
PROGRAM = """#!{python}
import os, pathlib, signal, sys, time
[folder] = [a.partition("=")[2] for a in sys.argv if a.startswith("--checkpoints=")]
rank = os.environ["SLURM_PROCID"]
def warned(*_):
    made = pathlib.Path(folder, "step-5")
    made.mkdir(exist_ok=True)
    (made / ".metadata").touch()
    sys.exit(0)
signal.signal(signal.SIGUSR1, warned)
if rank == "0":
    print("step: 1  loss: 5.5  lr: 1e-3  tps: 1 of", os.environ["SLURM_NTASKS"], flush=True)
{then}
"""


def job(folder: Path, then: str) -> Job:
    python = folder / "environment/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PROGRAM.format(python=sys.executable, then=then))
    python.chmod(0o755)
    return Job(folder / "job", folder / "environment")


def test_a_run_that_is_complete(tmp_path: Path) -> None:
    made = job(tmp_path, "")
    assert made.run(tasks_per_node=2) == 0
    assert "tps: 1 of 4" in made.text()
    assert made.steps() == [[(1, "5.5 1e-3")]]
    text = (tmp_path / "job/fsdp2.sbatch").read_text()
    assert "--layers=2 --hidden=128 --ffn=256" in text
    assert "--seq-len=64 --micro-batch=1 --accumulation=2" in text
    assert f"RUN_PATH={tmp_path}/job/run\n" in text
    assert f"--data={tmp_path}/data/tokens" in text


def test_a_killed_process_ends_the_others_and_is_requeued(tmp_path: Path) -> None:
    made = job(tmp_path, "time.sleep(60)")
    made.start()
    made.until(lambda: len(made.tasks()) == 2 and bool(made.steps()[0]), "a step")
    made.kill_task(1)
    assert made.wait() is None
    assert "the step ended with exit code 137" in made.text()


def test_the_signal_reaches_every_process(tmp_path: Path) -> None:
    made = job(tmp_path, "time.sleep(60)")
    made.start()
    made.until(lambda: bool(made.steps() and made.steps()[0]), "a step")
    made.signal()
    assert made.wait() is None
    assert made.whole() == ["step-5"]
    with pytest.raises(TrialError, match="the job ended before a step"):
        made.until(lambda: False, "a step")


def test_tokens(tmp_path: Path) -> None:
    count = write_tokens(tmp_path / "tokens")
    read: array[int] = array("i")
    for path in sorted((tmp_path / "tokens").iterdir()):
        read.frombytes(path.read_bytes())
    assert len(read) == count > 50_000
    assert max(read) < 256


def test_an_environment_without_pytorch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    with pytest.raises(SystemExit):
        main([str(tmp_path / "bare")])
    assert "does not import PyTorch" in capsys.readouterr().err
