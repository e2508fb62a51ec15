"""Scripts for sh use no syntax of Bash."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Word

_SH = re.compile(r"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:sh|dash)\b")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\$]|\\.)*\"")
_TO_BASH = re.compile(r"\bexec\s+(?:/usr)?(?:/bin/)?bash\b")
_BASH = {
    "set -o pipefail": re.compile(r"\bset\s+(?:-\w+\s+)*-\w*o\s+pipefail\b"),
    "[[ ... ]]": re.compile(r"(?:^|[;&|]|\bif|\bwhile|\bthen|!)\s*\[\[\s"),
    "an array": re.compile(r"(?:^|\s)\w+\+?=\(|\$\{\w+\[[@*\w]+\]\}"),
    "a process substitution": re.compile(r"[<>]\((?!\()"),
    "<<<": re.compile(r"<<<"),
    "&>": re.compile(r"&>"),
    "source": re.compile(r"(?:^|[;&|]|\bthen|\bdo)\s*source\s"),
    "function": re.compile(r"^\s*function\s+\w+"),
    "a substitution in a variable": re.compile(r"\$\{\w+(?:/|\^|,,)"),
    "(( ... ))": re.compile(r"(?:^|[;&|]|\bif|\bwhile)\s*\(\("),
}
"""Forms that POSIX' shell does not have, and dash refuses or reads otherwise."""


class ShSyntax(JobRule):
    id = "CW-J065"
    severity = "warning"
    prevents = "a script that ends at once, or goes on wrongly, where sh is dash, as on Ubuntu"
    source = (
        "dash(1) of Debian and Ubuntu, which is /bin/sh there; POSIX.1-2017, Shell Command "
        "Language; ShellCheck SC3001 to SC3060"
    )

    def check(self, job: Job) -> Results:
        lines = job.file.lines
        if not lines or not _SH.match(lines[0]) or _TO_BASH.search(job.file.text):
            return
        bodies = {line for document in job.file.script.here_documents for line in document.lines}
        for number, text in enumerate(_own_syntax(lines, bodies), start=1):
            for form, expression in _BASH.items():
                if expression.search(text) is not None:
                    line = lines[number - 1]
                    yield Fail(
                        message=f"{form} is syntax of Bash, and the script is for sh",
                        at=Word(line.strip(), number, 1, len(line)),
                        hint="#!/bin/bash",
                    )
                    return


def _own_syntax(lines: Sequence[str], bodies: Collection[int]) -> list[str]:
    """The lines without comments, here-documents and what is in quotes, also over lines."""
    kept = [
        "" if number in bodies or line.lstrip()[:1] == "#" else line.partition(" #")[0]
        for number, line in enumerate(lines, start=1)
    ]
    blank = _QUOTED.sub(lambda quoted: '""' + "\n" * quoted.group().count("\n"), "\n".join(kept))
    return blank.split("\n")
