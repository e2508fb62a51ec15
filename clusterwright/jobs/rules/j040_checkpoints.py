"""Checkpoints and outputs are on Lustre or NVMe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clusterwright.jobs.job import Kind
from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Results, Word
from clusterwright.jobs.shell import joined

_OPTIONS = re.compile(
    r"--(?:save|save[-_]dir|checkpoint[-_](?:dir|path|folder)|output[-_]dir|logging[-_]dir"
    r"|checkpoint\.folder|job\.dump_folder|dump_folder|ckpt[-_](?:dir|path)|tensorboard[-_]dir)"
)
_SETTINGS = re.compile(
    r"\+*(?:exp_manager\.(?:exp_dir|explicit_log_dir)|trainer\.default_root_dir|checkpoint\.save"
    r"|log\.log_dir|base_results_dir)"
)
_VARIABLES = re.compile(
    r"(?:\w+_)?(?:CHECKPOINT|CKPT)S?(?:_(?:PATH|DIR|FOLDER|ROOT))?|(?:SAVE|OUTPUT|RESULTS?)_DIR"
)
_REASONS: dict[Kind, str] = {
    "home": "the home directories",
    "root": "the root disk of each node",
    "memory": "the memory of a node",
    "bucket": "a bucket that is mounted read-only",
    "unmounted": "no file system of the spec",
}


class Checkpoints(JobRule):
    id = "CW-J040"
    severity = "warning"
    containers = True
    prevents = "checkpoints that are slow, fill a small disk, or are lost with their node"
    source = (
        "awslabs/awsome-distributed-ai, checkpoints on Lustre; Mountpoint for S3 of the spec is "
        "read-only; mount paths of the spec"
    )

    def check(self, job: Job) -> Results:
        seen = set()
        for place, value in _paths(job):
            kind = job.program_storage(value)
            if kind not in _REASONS or value in seen:
                continue
            seen.add(value)
            yield Fail(
                message=f"{value} is on {_REASONS[kind]}",
                at=place,
                severity="error" if kind == "bucket" else None,
                hint=f"write to {job.shared_paths}"
                if job.cluster.storage.checkpoint_path is None
                else f"write below {job.cluster.storage.checkpoint_path}",
            )


def output_arguments(words: Sequence[Word], folder: str | None) -> Iterator[tuple[Word, str]]:
    """The paths that one program is told to write to, seen from its folder."""
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if _SETTINGS.fullmatch(name) and equals:
            yield word, joined(folder, value) or value
        elif _OPTIONS.fullmatch(name):
            if equals:
                yield word, joined(folder, value) or value
            elif index + 1 < len(words):
                place = words[index + 1]
                yield place, joined(folder, place.text) or place.text


def _paths(job: Job) -> Iterator[tuple[Word | Assignment, str]]:
    for step in job.file.steps:
        for program in step.programs:
            # In a container another folder is the working directory.
            yield from output_arguments(program.words, None if job.containers else program.folder)
    for assignment in job.file.script.assignments:
        if _VARIABLES.fullmatch(assignment.name):
            yield assignment, assignment.value.text
