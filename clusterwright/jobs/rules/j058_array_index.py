"""Every task of an array has an entry in the list that it reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Set

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_LIST = re.compile(r"(?m)^[ \t]*(?:(?:declare|local|readonly)(?: -\w+)* )?([A-Za-z_]\w*)=\(")
_TASK = r"\$?\{?SLURM_ARRAY_TASK_ID\}?"
_INDEX = re.compile(
    rf"\$\{{(\w+)\[\s*(?:\$\(\(\s*)?{_TASK}(?:\s*([-+])\s*(\d{{1,6}}))?(?:\s*\)\))?\s*\]\}}"
)
_EXPANDED = re.compile(r"[$`*?{(\[]|\S#")
"""What a shell replaces, and what shlex takes for a comment."""
_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
_LONGEST = 20_000
_MOST_READ = 50


class ArrayIndex(JobRule):
    id = "CW-J058"
    severity = "warning"
    prevents = "a task with an empty name, or with the entry of another task"
    source = (
        "GNU Bash manual, Arrays: an entry that is not set is empty, a negative index counts from "
        "the end; sbatch(1), --array"
    )

    def check(self, job: Job) -> Results:
        array = job.file.option("array")
        limits = values.array_limits(array.value) if array is not None else None
        if limits is None:
            return
        # Blank lines in place of comments: positions stay.
        text = _COMMENT.sub(lambda match: " " * len(match.group()), job.file.text)
        read = list(_INDEX.finditer(text))[:_MOST_READ]
        sizes = dict(_lists(text, {match.group(1) for match in read}))
        for match in read:
            name, sign, by = match.groups()
            if name not in sizes:
                continue
            offset = int(by or 0) * (-1 if sign == "-" else 1)
            wrong = next(
                (task for task in limits if not 0 <= task + offset < sizes[name]),
                None,
            )
            if wrong is None:
                continue
            yield Fail(
                message=f"task {wrong} of the array takes entry {wrong + offset} of {name}, which "
                f"has {sizes[name]}, from 0 to {sizes[name] - 1}",
                at=array,
                requested=wrong + offset,
                limit=sizes[name] - 1,
                hint=f"--array={-offset}-{sizes[name] - 1 - offset}" if offset <= 0 else None,
            )
            return


def _lists(text: str, names: Set[str]) -> Iterator[tuple[str, int]]:
    """Names and lengths of lists that the file writes once, with words that need no shell."""
    for match in _LIST.finditer(text):
        name = match.group(1)
        if name not in names:
            continue
        written = re.findall(rf"\b{name}(?:\[[^\]]*\])?\+?=", text)
        read = re.search(rf"\b(?:mapfile|readarray|read)\b[^\n;]*\b{name}\b", text)
        asked = f"${{#{name}[" in text  # The script compares the task with the length.
        end = text.find(")", match.end(), match.end() + _LONGEST)
        body = text[match.end() : end]
        if len(written) != 1 or read or asked or end < 0 or _EXPANDED.search(body):
            continue
        try:
            words = shlex.split(body, comments=True)
        except ValueError:
            continue
        if words:
            yield name, len(words)
