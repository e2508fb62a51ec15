"""The shared shell part of training jobs, with stubs of Slurm's commands."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from clusterwright.job_templates.slurm import END, fragment
from tests.job_templates.made import shell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Commands that record how they are called."""
    for name in ("scontrol", "scancel"):
        command = tmp_path / name
        command.write_text(f'#!/bin/bash\necho "{name} $*" >>"{tmp_path}/calls"\n')
        command.chmod(0o755)
    sleep = tmp_path / "sleep"
    sleep.write_text("#!/bin/bash\nexec /bin/sleep 0.05\n")
    sleep.chmod(0o755)
    return tmp_path


def checkpoint(folder: Path, name: str, *, whole: bool = True) -> None:
    path = folder / "checkpoints" / name
    path.mkdir(parents=True)
    if whole:
        (path / ".metadata").touch()


def run(
    folder: Path, step: str, *, job: str = "7", ends: int = 0, before: str = ""
) -> subprocess.CompletedProcess[str]:
    text = "\n".join(
        [
            "set -o errexit -o nounset -o pipefail",
            fragment("common"),
            f"RUN_PATH={folder}/run",
            f"CHECKPOINTS={folder}/checkpoints",
            "MARKER=.metadata ATTEMPTS=3 SAVE_SECONDS=600 SAVE_SIGNAL=USR1 EXPECT_EFA=0",
            f"CAPACITY_ENDS={ends}",
            fragment("checkpoints"),
            fragment("training"),
            "begin_training",
            before,
            f"{{ {step}; }} &",
            END,
        ]
    )
    return shell(text, folder, SLURM_JOB_ID=job, SLURM_JOB_NODELIST="node-[1-2]")


def until(path: Path) -> str:
    """Wait for a file, at most 20 s, so that a busy machine changes no result."""
    return f"for _ in {{1..200}}; do test ! -e {path} || break; /bin/sleep 0.1; done"


def signal_in_the_step(folder: Path) -> str:
    """The warning signal, a moment after the step has written `started`."""
    return f"({until(folder / 'started')}; /bin/sleep 0.3; kill -USR1 $$) &"


def calls(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text().splitlines() if path.exists() else []


def test_a_run_that_is_complete(folder: Path) -> None:
    done = run(folder, "true")
    assert done.returncode == 0, done.stderr
    assert "the run is complete" in done.stdout
    assert calls(folder) == []


def test_a_failed_step_is_requeued_with_its_exit_code(folder: Path) -> None:
    done = run(folder, "exit 5")
    assert done.returncode == 5
    assert calls(folder) == ["scontrol requeue 7"]


def test_no_progress_ends_with_93(folder: Path) -> None:
    assert [run(folder, "exit 5").returncode for _ in range(3)] == [5, 5, 93]
    assert calls(folder) == ["scontrol requeue 7"] * 2
    # Also where Slurm itself requeues: after a node is lost, nothing runs at the end.
    assert run(folder, "true").returncode == 93


def test_a_wrong_environment_is_not_tried_again(folder: Path) -> None:
    done = run(folder, "exit 92")
    assert done.returncode == 92
    assert "another start would not help" in done.stdout
    assert calls(folder) == []


def test_a_full_file_system_at_the_start(folder: Path) -> None:
    (folder / "run/progress.new").mkdir(parents=True)
    done = run(folder, "touch started")
    assert (done.returncode, (folder / "started").exists()) == (92, False)
    assert f"{folder}/run/progress cannot be written" in done.stdout


def test_a_new_checkpoint_resets_the_count(folder: Path) -> None:
    for _ in range(2):
        run(folder, "exit 5")
    made = f"mkdir {folder}/checkpoints/step-20; touch {folder}/checkpoints/step-20/.metadata"
    done = run(folder, f"{made}; exit 5")
    assert done.returncode == 5
    assert "newest whole checkpoint: 20" in done.stdout
    assert run(folder, "exit 5").returncode == 5


def test_another_submission_begins_at_zero(folder: Path) -> None:
    for _ in range(3):
        run(folder, "exit 5")
    assert run(folder, "true", job="8").returncode == 0


def test_the_newest_whole_checkpoint_counts(folder: Path) -> None:
    checkpoint(folder, "step-9")
    checkpoint(folder, "step-100")
    checkpoint(folder, "iter_0000080")
    checkpoint(folder, "step-200", whole=False)
    checkpoint(folder, "step-300.part")
    assert "newest whole checkpoint: 100\n" in run(folder, "true").stdout


def test_the_signal_is_passed_to_the_steps_and_the_job_is_requeued(folder: Path) -> None:
    checkpoint(folder, "step-1")
    done = run(
        folder,
        f"touch {folder}/started; {until(folder / 'calls')}; mkdir {folder}/checkpoints/step-2; "
        f"touch {folder}/checkpoints/step-2/.metadata; exit 0",
        before=signal_in_the_step(folder),
    )
    assert done.returncode == 0, done.stderr
    assert calls(folder) == ["scancel --signal=USR1 7", "scontrol requeue 7"]
    assert "newest whole checkpoint: 2" in done.stdout


def test_the_signal_before_the_step(folder: Path) -> None:
    # While an image is imported, for example.
    text = "kill -USR1 $$; /bin/sleep 0.1"
    done = run(folder, "exec /bin/sleep 30", before=text)
    assert done.returncode == 143, done.stderr
    assert "the end came before the step: there is nothing to save" in done.stdout
    assert calls(folder) == ["scontrol requeue 7"]


def test_too_little_time_before_the_capacity_ends(folder: Path) -> None:
    done = run(folder, "touch started", ends=int(time.time()) + 700)
    assert (done.returncode, (folder / "started").exists()) == (0, False)
    assert "too little time" in done.stdout


def test_the_end_of_the_capacity_saves_and_does_not_requeue(folder: Path) -> None:
    # The stub of sleep returns in the step, as if the time had come.
    started = folder / "started"
    (folder / "sleep").write_text(f"#!/bin/bash\n{until(started)}\nexec /bin/sleep 0.3\n")
    step = f"touch {started}; {until(folder / 'calls')}"
    done = run(folder, step, ends=int(time.time()) + 1000)
    assert calls(folder) == ["scancel --signal=USR1 7"]
    assert done.returncode == 0
    assert "submit the job again on other capacity" in done.stdout


def run_logged(folder: Path, job: str, step: str, *, expect_efa: bool) -> tuple[int, str]:
    """Exit code and log of a job whose output is a file, as in Slurm."""
    text = "\n".join(
        [
            "set -o errexit -o nounset -o pipefail",
            fragment("common"),
            f"RUN_PATH={folder}/run; CHECKPOINTS={folder}/checkpoints; CAPACITY_ENDS=0",
            "MARKER=.metadata ATTEMPTS=3 SAVE_SECONDS=600 SAVE_SIGNAL=USR1",
            f"EXPECT_EFA={int(expect_efa)}",
            fragment("checkpoints"),
            fragment("training"),
            "begin_training",
            f"{{ {step}; }} &",
            END,
        ]
    )
    log = folder / f"{job}.log"
    with log.open("a") as stream:
        done = subprocess.run(
            ["bash"],
            input=text,
            stdout=stream,
            text=True,
            timeout=60,
            check=False,
            env={
                "PATH": f"{folder}:/usr/bin:/bin",
                "SLURM_JOB_ID": job,
                "SLURM_JOB_NODELIST": "n",
            },
        )
    return done.returncode, log.read_text()


@pytest.mark.parametrize("more", ["", "seq 200000;"], ids=["", "and-a-large-log"])
def test_efa_that_is_not_used_ends_with_94(folder: Path, more: str) -> None:
    for network, expected in (("Socket", 94), ("Libfabric", 1)):
        step = f"echo 'NCCL INFO Using network {network}'; {more} /bin/sleep 0.6; exit 1"
        code, log = run_logged(folder, network, step, expect_efa=True)
        assert code == expected, log[-2000:]


@pytest.mark.parametrize(
    ("first", "code"), [("Exited with exit code 92", 92), ("Exited with exit code 1", 137)]
)
def test_a_task_without_its_environment_whose_others_are_killed(
    folder: Path, first: str, code: int
) -> None:
    # What Slurm 24.11 writes where the first task ends before the others (--kill-on-bad-exit).
    step = f"echo 'srun: error: n1: task 0: {first}'; echo 'srun: error: n2: task 1: Killed'"
    found, log = run_logged(folder, "7", f"{step}; exit 137", expect_efa=False)
    assert found == code, log
    assert calls(folder) == ([] if code == 92 else ["scontrol requeue 7"])
    if code == 92:
        # What an earlier start wrote to the same log does not count.
        assert run_logged(folder, "7", "exit 5", expect_efa=False)[0] == 5


def test_without_a_signal_that_saves_the_step_ends_after_its_next_checkpoint(folder: Path) -> None:
    checkpoint(folder, "step-1")
    made = f"mkdir {folder}/checkpoints/step-2; touch {folder}/checkpoints/step-2/.metadata"
    done = run(
        folder,
        f"touch {folder}/started; /bin/sleep 1.5; test ! -e {folder}/calls || echo too early; "
        f"{made}; {until(folder / 'calls')}; exit 1",
        before=f"SAVE_SIGNAL=; {signal_in_the_step(folder)}",
    )
    assert done.returncode == 1, done.stderr
    assert "too early" not in done.stdout
    assert calls(folder) == ["scancel --signal=TERM 7", "scontrol requeue 7"]


def test_without_a_checkpoint_the_step_ends_two_minutes_before_the_end(folder: Path) -> None:
    done = run(
        folder,
        f"touch {folder}/started; {until(folder / 'calls')}; exit 1",
        before=f"SAVE_SIGNAL=; SAVE_SECONDS=100; {signal_in_the_step(folder)}",
    )
    assert done.returncode == 1, done.stderr
    assert calls(folder) == ["scancel --signal=TERM 7", "scontrol requeue 7"]
