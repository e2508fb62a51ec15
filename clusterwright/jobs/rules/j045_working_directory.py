"""The working directory and the log are on a file system that every node has."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_REASONS = {
    "root": "the root disk of each node",
    "nvme": "the local disks of each node",
    "memory": "the memory of each node",
    "unmounted": "no file system of the spec",
}


class WorkingDirectory(JobRule):
    id = "CW-J045"
    severity = "warning"
    prevents = "a job that runs in /tmp instead, or whose log stays on its first node"
    source = "sbatch(1), --chdir and --output; mount paths of the spec"

    def check(self, job: Job) -> Results:
        for name in ("chdir", "output", "error"):
            option = job.file.option(name)
            if option is None or not option.value.startswith("/"):
                continue
            if option.value == "/dev/null":
                continue
            kind = job.storage(option.value)
            if kind in _REASONS:
                what = "the working directory" if name == "chdir" else "the log"
                yield Fail(
                    message=f"{what} {option.value} is on {_REASONS[kind]}",
                    at=option,
                    hint=f"a folder on {job.shared_paths}, or below the home directory",
                )
        yield from _created_too_late(job)


def _created_too_late(job: Job) -> Results:
    """The script creates the log's folder; Slurm opens the log before the script starts."""
    for name in ("output", "error"):
        option = job.file.option(name)
        folder = option.value.rpartition("/")[0] if option is not None else ""
        if not folder or "%" in folder:
            continue
        for command in job.file.commands:
            if command.name == "mkdir" and any(
                word.text.rstrip("/") == folder for word in command.words
            ):
                yield Fail(
                    message=f"Slurm opens the log in {folder} before this line creates the folder",
                    at=command,
                    severity="info",
                    hint=f"create it before the submission: mkdir -p {folder}",
                )
                return
