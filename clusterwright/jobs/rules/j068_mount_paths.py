"""Paths begin with a file system that the nodes mount."""

from __future__ import annotations

import re

from clusterwright.jobs.environment_names import typing_errors
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_PATH = re.compile(r"(?:^|=)(/[A-Za-z][\w.-]*)(?=/|$)")
"""The first folder of an absolute path, alone or as the value of an option."""
_SHORTEST = 4
"""Of shorter names, such as `/fs`, one letter is too much of them."""


class MountPaths(JobRule):
    id = "CW-J068"
    severity = "warning"
    prevents = "a program that does not find its files, or writes them to the root disk of a node"
    source = "the mount paths of the cluster's spec"

    def check(self, job: Job) -> Results:
        if job.containers:
            return
        mounts = {"/" + path.split("/")[1] for path in job.mounts}
        seen: set[str] = set()
        for word in (*job.file.all_words, *(a.value for a in job.file.script.assignments)):
            for folder in _PATH.findall(word.text):
                if folder in seen or len(folder) < _SHORTEST:
                    continue
                seen.add(folder)
                if job.storage(f"{folder}/x") != "unmounted":
                    continue
                near = [one for one in mounts if _misspelt(folder, one)]
                if near:
                    yield Fail(
                        message=f"the nodes mount nothing at {folder}",
                        at=word,
                        hint=f"did you mean `{min(near)}`?",
                    )


def _misspelt(folder: str, mount: str) -> bool:
    """Whether one letter is wrong; names that differ in digits are other file systems."""
    same = re.sub(r"\d", "", folder) == re.sub(r"\d", "", mount)
    return not same and typing_errors(folder, mount, 1) == 1
