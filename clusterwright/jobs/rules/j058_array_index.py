"""Every task of an array has an entry in the list that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from clusterwright.jobs import array_task, values
from clusterwright.jobs.lexer import Token, lex
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_TASK = r"\$?\{?SLURM_ARRAY_TASK_ID\}?"
_INDEX = re.compile(
    rf"\$\{{(\w+)\[\s*(?:\$\(\(\s*)?{_TASK}(?:\s*([-+])\s*(\d{{1,6}}))?(?:\s*\)\))?\s*\]\}}"
)
_BASH = re.compile(r"#![^\n]*\bbash\b")
_EXPANDED = re.compile(r"[*?{\[]")
"""What a shell replaces in a word without quotes."""
_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
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
        text = job.file.text
        # In other shells lists begin at 1, or do not exist.
        if not _BASH.match(text) or not _INDEX.search(text):
            return
        lexed = lex(text)
        if lexed.unread or array_task.assigned(lexed.tokens):
            return
        task = {array_task.TASK}
        names = array_task.dependents(lexed.tokens, job.file.script, task)
        if array_task.compared(lexed.tokens, job.file.script, names):
            return
        certain = list(array_task.unconditional(lexed.tokens))
        read = [
            match
            for part in array_task.parts(certain)
            if part.kind == "dynamic"
            for match in _INDEX.finditer(part.text)
        ][:_MOST_READ]
        sizes = dict(_lists(_COMMENT.sub("", text), certain, {one.group(1) for one in read}))
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


def _lists(text: str, tokens: Sequence[Token], names: Set[str]) -> Iterator[tuple[str, int]]:
    """Names and lengths of lists that the file writes once, with words that need no shell."""
    for token in tokens:
        if not token.array or not token.parts:
            continue
        name, sign, _ = token.parts[0].text.partition("=")
        if name not in names or not sign:
            continue
        written = re.findall(rf"\b{name}(?:\[[^\]]*\])?\+?=", text)
        other = r"(?:mapfile|readarray|read|unset|(?:declare|local|typeset) -\w*[An]\w*)"
        changed = re.search(rf"\b{other}\b[^\n;]*\b{name}\b", text)
        asked = f"${{#{name}[" in text  # The script compares the task with the length.
        expanded = any(
            part.kind not in ("plain", "quoted")
            or (part.kind == "plain" and _EXPANDED.search(part.text))
            for part in array_task.parts(token.array)
        )
        if len(written) == 1 and not changed and not asked and not expanded:
            yield name, len(token.array)
