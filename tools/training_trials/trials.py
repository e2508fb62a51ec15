"""The trials. Each is compared with the undisturbed run, and returns what was seen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clusterwright.job_logs.reading import read_log
from tools.training_trials.job import STEPS, Job, TrialError, expect

_SAME_WEIGHTS: Final = """
import sys, torch
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
parts = []
for folder in sys.argv[2:4]:
    dcp_to_torch_save(folder, sys.argv[1])
    parts.append(torch.load(sys.argv[1], weights_only=False))
def flat(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{name}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from flat(inner, f"{name}/{number}")
    else:
        yield name, value
first, second = (dict(flat(part)) for part in parts)
assert first.keys() == second.keys() and len(first) > 50
for name, value in first.items():
    same = torch.equal(value, second[name]) if torch.is_tensor(value) else value == second[name]
    assert same, name
"""


class Trials:
    """Jobs below a folder, with a Python environment that has PyTorch."""

    def __init__(self, folder: Path, environment: Path) -> None:
        self.folder = folder
        self._environment = environment
        self._undisturbed: Job | None = None

    def undisturbed(self) -> str:
        """A run without a disturbance."""
        job = self.job("undisturbed")
        expect(job.run() == 0, f"it failed:\n{job.text()[-3000:]}")
        (curve,) = job.steps()
        expect([step for step, _ in curve] == list(range(1, STEPS + 1)), "steps are missing")
        expect(job.whole() == ["step-12", "step-8"], f"it kept {job.whole()}")
        losses = [float(text.split()[0]) for _, text in curve]
        expect(losses[-1] < losses[0] - 1, f"the loss only fell from {losses[0]} to {losses[-1]}")
        read = read_log(job.text())
        found = sorted({e.step for e in read.events if e.kind == "step" and e.step is not None})
        expect(found == list(range(1, STEPS + 1)), "the log's reader does not see the steps")
        self._undisturbed = job
        return f"the loss falls from {losses[0]:.2f} to {losses[-1]:.2f} in {STEPS} steps"

    def killed_in_a_step(self) -> str:
        """One process is killed with SIGKILL between two checkpoints."""
        job = self.job("killed-in-a-step")
        job.start()
        job.until(lambda: "step: 6 " in job.text(), "step 6")
        job.kill_task(1)
        return self._goes_on(job, from_step=4)

    def killed_in_a_checkpoint(self) -> str:
        """One process is killed while the second checkpoint is written."""
        for attempt in range(5):
            job = self.job(f"killed-in-a-checkpoint-{attempt}")
            part = job.checkpoints / "step-8.part"
            job.start()
            job.until(lambda: any(part.glob("*.distcp")), "a file of step-8.part")  # noqa: B023
            job.kill_task(1)
            expect(job.wait() is None, "the job was not requeued")
            if job.whole() == ["step-4"]:
                expect(part.is_dir(), "step-8.part is not there")
                return self._goes_on(job, from_step=4, waited=True)
        raise TrialError("the checkpoint was complete before the process was killed, five times")

    def killed_in_the_resume(self) -> str:
        """A step is killed, then the next start while it loads the checkpoint."""
        job = self.job("killed-in-the-resume")
        job.start()
        job.until(lambda: "step: 5 " in job.text(), "step 5")
        job.kill_task(0)
        expect(job.wait() is None, "the job was not requeued")
        job.start()
        job.until(lambda: "Loading the checkpoint" in job.text(), "the resume")
        job.kill_task(1)
        expect(job.wait() is None, "the job was not requeued")
        return self._goes_on(job, from_step=4, waited=True)

    def warned(self) -> str:
        """The warning signal, as before the time limit, between two checkpoints."""
        job = self.job("warned")
        job.start()
        job.until(lambda: "step: 5 " in job.text(), "step 5")
        job.signal()
        expect(job.wait() is None, "the job was not requeued")
        last = job.steps()[0][-1][0]
        expect(f"step-{last}" in job.whole(), "the last step was not saved")
        expect("ended with exit code 0" in job.text(), "the processes did not end by themselves")
        seen = self._goes_on(job, from_step=last, waited=True)
        expect("lost no step" in seen, seen)
        return seen

    def warned_at_the_start(self) -> str:
        """The warning signal while the processes still import PyTorch."""
        job = self.job("warned-at-the-start")
        job.start()
        job.until(lambda: len(job.tasks()) == 2, "the processes")
        job.until(lambda: all(map(_handles_usr1, job.tasks())), "their first lines")
        job.signal()
        expect(job.wait() is None, "the job was not requeued")
        expect(job.whole() == ["step-1"], f"whole are {job.whole()}")
        return self._goes_on(job, from_step=1, waited=True)

    def torn(self) -> str:
        """A file of the newest checkpoint has lost its end; another folder has no marker."""
        job = self.job("torn", self._reference.checkpoints)
        newest = job.checkpoints / "step-12"
        path = sorted(newest.glob("*.distcp"))[-1]
        os.truncate(path, path.stat().st_size // 2)
        shutil.copytree(job.checkpoints / "step-8", job.checkpoints / "step-16")
        (job.checkpoints / "step-16/.metadata").unlink()
        expect(job.run() == 0, "the job failed")
        expect("step-12 is torn, and is now step-12.torn" in job.text(), "it does not say so")
        self._same_curve(job)
        expect([step for step, _ in job.steps()[0]] == list(range(9, STEPS + 1)), "other steps")
        return f"both were skipped: the run goes on at step 9 ({_line(job, 'is torn')})"

    def all_torn(self) -> str:
        """Every whole checkpoint has lost the end of a file."""
        job = self.job("all-torn", self._reference.checkpoints)
        for folder in job.whole():
            path = sorted((job.checkpoints / folder).glob("*.distcp"))[0]
            os.truncate(path, 100)
        expect(job.run() is None, "the job was not requeued")
        expect(not job.steps()[0], "it began again")
        expect(job.whole() == ["step-12", "step-8"], "a checkpoint was renamed")
        return "the job does not begin again: " + _line(job, "can be read")

    def full_disk(self) -> str:
        """Checkpoints on a file system that has room for one, mounted for the trial."""
        one = sum(f.stat().st_size for f in (self._reference.checkpoints / "step-12").iterdir())
        with small_disk(self.folder / "small-disk", one * 3 // 2) as disk:
            job = self.job("full-disk", place=disk / "checkpoints")
            expect(job.run() is None, "the job was not requeued")
            message = _line(job, "could not be written")
            expect("with 0 MiB free" in message, message)
            expect(job.whole() == ["step-4"], f"whole are {job.whole()}")
            names = [path.name for path in job.checkpoints.iterdir()]
            expect(names == ["step-4"], f"{names} are left")
            expect(job.run() is None and job.run() is None, "it was not requeued again")
            code = job.run()
            expect(code == 93, f"after starts without progress it ended with {code}, not 93")
            self._same_curve(job)
        return f"{message}; step-4 is kept, and the third start without progress ends with 93"

    def no_progress(self) -> str:
        """A process is killed before the first checkpoint, at every start."""
        job = self.job("no-progress")
        codes = []
        for start in range(3):
            job.start()
            job.until(lambda: len(job.steps()) > start and bool(job.steps()[start]), "a step")  # noqa: B023
            job.kill_task(0)
            codes.append(job.wait())
        expect(codes == [None, None, 93], f"the starts ended with {codes} (None: requeued)")
        return "two requeues, then exit code 93"

    def no_efa(self) -> str:
        """NCCL's line on TCP sockets in the log, which gloo does not write: it is added here."""
        job = self.job("no-efa")
        job.start()
        job.until(lambda: "step: 1 " in job.text(), "step 1")
        with job.log.open("a") as log:
            log.write("node-1:1:1 [0] NCCL INFO Using network Socket\n")
        code = job.wait()
        expect(code == 94, f"it ended with {code}, not 94")
        return "exit code 94"

    def no_tokens(self) -> str:
        """The folder of the tokens has files that are too short."""
        job = self.job("no-tokens", tokens=b"\1\0\0\0" * 20)
        code = job.run()
        expect(code == 92, f"it ended with {code}, not 92")
        return f"exit code 92 ({_line(job, 'tokens')})"

    def other_vocabulary(self) -> str:
        """The tokens are of a larger vocabulary than the model's."""
        job = self.job("other-vocabulary", tokens=(1000).to_bytes(4, "little") * 2000)
        code = job.run()
        expect(code == 92, f"it ended with {code}, not 92")
        return f"exit code 92 ({_line(job, 'vocabulary')})"

    def other_number_of_processes(self) -> str:
        """Four processes go on from a checkpoint of two: same batch size, then twice of it."""
        job = self.job("four-processes", self._reference.checkpoints)
        shutil.rmtree(job.checkpoints / "step-12")
        expect(job.run(tasks_per_node=2, accumulation=1) == 0, "the job failed")
        theirs = dict(self._reference.steps()[0])
        largest = max(
            abs(float(text.split()[0]) - float(theirs[step].split()[0]))
            for step, text in job.steps()[0]
        )
        expect(largest < 1e-3, f"a loss differs by {largest}")
        other = self.job("four-processes-larger", self._reference.checkpoints)
        shutil.rmtree(other.checkpoints / "step-12")
        expect(other.run(tasks_per_node=2, accumulation=2) == 0, "the job failed")
        about = json.loads((other.checkpoints / "step-12/run.json").read_text())
        expect(about["samples"] == 8 * 4 + 4 * 8, f"it says {about}")
        return (
            f"with the same global batch size losses differ by at most {largest:.5f}; with twice "
            f"of it: {_line(other, 'global_batch was').split('] ')[-1]}"
        )

    def job(
        self,
        name: str,
        start_from: Path | None = None,
        *,
        place: Path | None = None,
        tokens: bytes | None = None,
    ) -> Job:
        """A job, with copies of other checkpoints or with tokens of its own."""
        parent = self.folder
        if tokens is not None:
            parent = self.folder / f"{name}-data"
            (parent / "data/tokens").mkdir(parents=True)
            (parent / "data/tokens/0.bin").write_bytes(tokens)
        job = Job(parent / name, self._environment, place)
        if start_from is not None:
            shutil.copytree(start_from, job.checkpoints)
        return job

    @property
    def _reference(self) -> Job:
        if self._undisturbed is None:
            self.undisturbed()
        if self._undisturbed is None:
            raise TrialError("there is no undisturbed run")
        return self._undisturbed

    def _goes_on(self, job: Job, from_step: int, *, waited: bool = False) -> str:
        """The job is requeued, resumes at the step, and ends as the undisturbed run."""
        if not waited:
            expect(job.wait() is None, "the job was not requeued")
        before = max((step for part in job.steps() for step, _ in part), default=0)
        expect(job.run() == 0, f"the last start failed:\n{job.text()[-3000:]}")
        again = [step for step, _ in job.steps()[-1]]
        expect(again == list(range(from_step + 1, STEPS + 1)), f"it went on with {again[:1]}")
        self._same_curve(job)
        left = [path.name for path in job.checkpoints.iterdir()]
        expect(sorted(left) == ["step-12", "step-8"], f"{sorted(left)} are left")
        self._same_weights(job)
        lost = before - from_step
        return (
            f"it reached step {before}, goes on at {from_step + 1}, "
            f"lost {f'{lost} steps' if lost else 'no step'}"
        )

    def _same_curve(self, job: Job) -> None:
        """Every printed step has the loss of the undisturbed run."""
        theirs = dict(self._reference.steps()[0])
        for part in job.steps():
            for step, text in part:
                expect(theirs[step] == text, f"step {step}: {text}, undisturbed {theirs[step]}")

    def _same_weights(self, job: Job) -> None:
        """The last checkpoint has the same weights and moments, bit by bit."""
        folders = [each.checkpoints / f"step-{STEPS}" for each in (self._reference, job)]
        words = [str(self._environment / "bin/python"), "-c", _SAME_WEIGHTS]
        done = subprocess.run(
            [*words, str(job.folder / "all.pt"), *map(str, folders)],
            capture_output=True,
            text=True,
            check=False,
        )
        expect(done.returncode == 0, f"the weights differ: {done.stderr[-1000:]}")


def trials() -> tuple[Callable[[Trials], str], ...]:
    """All trials, in the order in which they run."""
    return (
        Trials.undisturbed,
        Trials.killed_in_a_step,
        Trials.killed_in_a_checkpoint,
        Trials.killed_in_the_resume,
        Trials.warned,
        Trials.warned_at_the_start,
        Trials.torn,
        Trials.all_torn,
        Trials.full_disk,
        Trials.no_progress,
        Trials.no_efa,
        Trials.no_tokens,
        Trials.other_vocabulary,
        Trials.other_number_of_processes,
    )


@contextmanager
def small_disk(path: Path, size: int) -> Iterator[Path]:
    """A file system in memory. Raises TrialError where it cannot be mounted."""
    path.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        raise TrialError("not tried: a file system can be mounted by root only, on Linux")
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"not tried: {done.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def _line(job: Job, part: str) -> str:
    found = re.search(rf"^.*{re.escape(part)}.*$", job.text(), re.MULTILINE)
    if found is None:
        raise TrialError(f"the log has no line with {part!r}")
    return found.group().replace(f"{job.folder.parent}/", "")


def _handles_usr1(task: int) -> bool:
    """Whether a process has a handler for SIGUSR1, which /proc says."""
    text = Path(f"/proc/{task}/status").read_text("utf-8")
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", text, re.MULTILINE)
    return caught is not None and bool(int(caught.group(1), 16) & 1 << 9)
