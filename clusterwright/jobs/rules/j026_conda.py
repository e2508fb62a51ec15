"""Batch scripts set up conda before they activate an environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Word
from clusterwright.jobs.shell import nested

_OTHER_FILES = frozenset({"source", ".", "module", "ml", "spack"})
"""Commands that read other files: what these define is not known."""
_EVALUATED = re.compile(r"conda|mamba|\$\{?\w+\}?$")
_READS_FILES = re.compile(r"#!.*?(?:\b(?:zsh|t?csh|fish)\b|\s-(?:-login\b|\w*[li]))")
"""Interpreters that read a user's files: shells of login, and those that do so for scripts."""
_LOGIN = re.compile(r"-[a-z]*[li][a-z]*")


class CondaSetUp(JobRule):
    id = "CW-J026"
    severity = "warning"
    prevents = "CommandNotFoundError: Your shell has not been properly configured to use 'conda'"
    source = (
        "conda documentation, conda init: `conda activate` is a shell function; bash(1): a script "
        "is no interactive shell, and reads no ~/.bashrc"
    )

    def check(self, job: Job) -> Results:
        if _READS_FILES.match(job.file.lines[0]):
            return
        for command in _before_set_up(job):
            words = [word.text for word in command.words[:2]]
            if command.name in ("conda", "mamba") and words[1:] == ["activate"]:
                yield Fail(
                    message=f"`{command.name} activate` needs a shell function that the script "
                    "does not define",
                    at=command,
                    hint='eval "$(conda shell.bash hook)", or source .../etc/profile.d/conda.sh',
                )
                return


def _before_set_up(job: Job) -> Iterator[Command]:
    """The commands, in their order, up to one that may define conda's functions."""
    for command in job.file.script.commands:
        if _may_define(command):
            return
        yield command
        if _starts_login_shell(command.words):
            continue
        for inner in nested([command], {}, job.file.script.functions):
            if _may_define(inner):
                break
            yield inner


def _may_define(command: Command) -> bool:
    if command.words[0].text in _OTHER_FILES:
        return True
    text = " ".join(word.text for word in command.words[1:])
    return command.name == "eval" and _EVALUATED.search(text) is not None


def _starts_login_shell(words: Sequence[Word]) -> bool:
    """Whether it is, or starts, `bash -lc TEXT`."""
    return any(
        shell.text.rpartition("/")[2] in ("bash", "sh") and _LOGIN.fullmatch(flag.text)
        for shell, flag in pairwise(words)
    )
