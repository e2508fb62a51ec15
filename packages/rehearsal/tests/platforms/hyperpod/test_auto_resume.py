"""HyperPod's auto-resume: the stub of srun with programs in place of Slurm's, and the marks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clusterwright_rehearsal.platforms.hyperpod.auto_resume import (
    DIAGNOSIS_S,
    SRUN_TEXT,
    Marked,
    marked_nodes,
)

HEALTHY = "NodeName=ip-10-0-0-6 State=ALLOCATED Gres=gpu:8"


class Node:
    """A node with the stub of srun, a step with an exit code, and a Slurm with a node's state."""

    def __init__(self, folder: Path, *, code: int, shown: str) -> None:
        self.folder = folder
        self._program("real-srun", f'echo "srun $*" >>{folder}/calls; exit {code}')
        self._program(
            "scontrol",
            f'echo "scontrol $*" >>{folder}/calls\n'
            f"case \"$*\" in *'show node'*) echo '{shown}' ;; esac",
        )
        self._program("sleep", f'echo "sleep $*" >>{folder}/calls')
        text = SRUN_TEXT.replace("/usr/bin/srun", str(folder / "real-srun"))
        self._program("srun", text.removeprefix("#!/bin/sh\n"))

    def run(self, *words: str, job: str = "7") -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "SLURM_JOB_NODELIST": "ip-10-0-0-[6-7]",
        }
        if job:
            environment["SLURM_JOB_ID"] = job
        return subprocess.run(
            [str(self.folder / "srun"), *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def _program(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)


def test_successful_step_asks_for_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path, code=0, shown=HEALTHY)
    done = node.run("--auto-resume=1", "-N", "2", "train one")
    assert (done.returncode, done.stderr) == (0, "")
    assert node.calls == ["scontrol update JobId=7 Requeue=1", "srun -N 2 train one"]


def test_failed_step_on_healthy_nodes_ends_the_job(tmp_path: Path) -> None:
    node = Node(tmp_path, code=9, shown=HEALTHY)
    done = node.run("--auto-resume=1", "train")
    assert (done.returncode, done.stderr) == (9, "auto-resume: diagnosis NONE\n")
    assert not any("requeue 7" in call for call in node.calls)
    # It waits for the agent's mark.
    assert node.calls.count("sleep 1") == DIAGNOSIS_S


@pytest.mark.parametrize(
    "shown",
    [
        "NodeName=a State=ALLOCATED+DRAIN Reason=Action:Replace [root@2026-11-23T09:00:00]",
        "NodeName=a State=IDLE+DRAIN Reason=Action:Reboot [root@2026-11-23T09:00:00]",
        "NodeName=a State=DOWN* Reason=Not responding [slurm@2026-11-23T09:00:00]",
    ],
)
def test_failed_step_on_a_marked_or_lost_node_is_requeued(tmp_path: Path, shown: str) -> None:
    node = Node(tmp_path, code=9, shown=shown)
    done = node.run("--auto-resume=1", "train")
    assert done.stderr == "auto-resume: diagnosis RETRYSTEP\n"
    assert "scontrol requeue 7" in node.calls
    assert "sleep 1" not in node.calls


@pytest.mark.parametrize(
    "reason",
    ["Action:Replace ", "Action:replace", "action:Replace", "Action:Replace.", "Action: Replace"],
)
def test_reason_in_another_form_is_ignored(tmp_path: Path, reason: str) -> None:
    shown = f"NodeName=a State=IDLE+DRAIN Reason={reason} [root@2026-11-23T09:00:00]"
    done = Node(tmp_path, code=9, shown=shown).run("--auto-resume=1", "train")
    assert done.stderr == "auto-resume: diagnosis NONE\n"
    assert marked_nodes(f"ip-10-0-0-6|drained|{reason}|\n") == []


@pytest.mark.parametrize("words", [("train",), ("--auto-resume=0", "train")])
def test_without_the_option_srun_is_slurms(tmp_path: Path, words: tuple[str, ...]) -> None:
    node = Node(tmp_path, code=9, shown=HEALTHY)
    assert node.run(*words).returncode == 9
    assert node.calls == ["srun train"]


def test_outside_of_a_job_the_option_has_no_effect(tmp_path: Path) -> None:
    node = Node(tmp_path, code=9, shown=HEALTHY)
    assert node.run("--auto-resume=1", "train", job="").returncode == 9
    assert node.calls == ["srun train"]


def test_marked_nodes_wait_for_their_jobs() -> None:
    listing = (
        "ip-10-0-0-6|drained|Action:Replace|\n"
        "ip-10-0-0-6|drained|Action:Replace|\n"  # in a second partition
        "ip-10-0-0-7|draining|Action:Replace|\n"
        "ip-10-0-0-8|fail*|Action:Reboot|\n"
        "ip-10-0-0-9|idle|none|\n"
        "ip-10-0-0-10|drained|a|b|\n"
    )
    assert marked_nodes(listing) == [
        Marked("ip-10-0-0-6", "replace"),
        Marked("ip-10-0-0-8", "reboot"),
    ]
