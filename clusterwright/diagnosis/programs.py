"""Programs of a cluster by the form of their lines: what they are, and what their messages mean.

The same words have another meaning in another program: a configuration that is not valid is
slurm.conf's only where Slurm says it. So a line is first asked for the program that wrote it; the
parts of that program (`parts`) then say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.parts import Part, own_words, reason
from clusterwright.diagnosis.wording import NOT_AN_ERROR

_LONGEST: Final = 220
_QUIET: Final = re.compile(
    # Severities below an error, in klog's, logfmt's, MariaDB's and Kubernetes' own forms.
    r"^\s*Normal\s|(?:^|\s)[ID]\d{4} \d\d:|\blevel[=:] ?\"?(?:info|debug)|\[(?:Note|System)\]"
)
_FAILS: Final = re.compile(
    r"fail|error|\berr\b|fatal|can(?:no|')t|could(?: not|n't)|unable|invalid|incompatible|"
    r"insecure|denied|refused|tim(?:ed |e)out|lost|missing|not (?:found|ready|allowed|valid|"
    r"exist)|"
    r"(?:does|did|is)(?: not|n't)|\bno\b|exit|corrupt|crashed|unauthori|forbidden|offline|"
    r"\bloop\b|full|stopped|inactive|exceed|filtered out|reject|already|repeatedly|"
    r"insufficient|panic|abort|"
    r"wrong|damaged|disagree|is lost",
    re.IGNORECASE,
)
"""Words of which every report of a failure has one."""

_WARNING: Final = re.compile(r"\bWARN\b")
_NONE: Final = re.compile(r"\bno (?:\w+ )?(?:errors?|faults?|failures?|failed)\b", re.IGNORECASE)
"""What a report of a check without a failure says."""

_FIELD: Final = re.compile(r'\b(?:err|error|msg)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Program:
    """A program or a family of them.

    Attributes
    ----------
    name:
        What it is called in causes.
    lines:
        Expressions of which its lines have one, such as its name in syslog or its source's files.
    parts:
        In the order in which they are tried.
    own:
        Signatures outside this mechanism that are about it.
    warns:
        Its warnings report what failed for another program, and are read as errors.
    """

    name: str
    lines: tuple[str, ...]
    parts: tuple[Part, ...]
    own: frozenset[str] = frozenset()
    warns: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """What its lines have."""
        return re.compile("|".join(f"(?:{line})" for line in self.lines), re.IGNORECASE)


class Programs:
    """Programs with compiled expressions, in the order in which they are tried."""

    def __init__(self, programs: Iterable[Program]) -> None:
        self._known = tuple((program.pattern, program) for program in programs)

    def of_line(self, text: str) -> Program | None:
        """The program that wrote a line; None if it is none of these."""
        return next((p for pattern, p in self._known if pattern.search(text)), None)

    def error(self, text: str) -> str | None:
        """What is wrong by a line of a program; None for others, and for what is no failure."""
        program = self.of_line(text)
        if program is None:
            return None
        judged = _WARNING.sub("", text, count=1) if program.warns else text
        if (
            _QUIET.search(text)
            or NOT_AN_ERROR.search(judged)
            or not _FAILS.search(_NONE.sub("", text))
        ):
            return None
        said = _message(text)
        wrong = next((p.wrong for p in program.parts if p.has("", said)), None)
        if wrong is None:
            return None
        answer = reason(said)
        why = f"{answer}: " if answer and answer not in wrong else ""
        return f"{program.name}: {wrong}: {why}{' '.join(text.split())[-_LONGEST:]}"


def _message(text: str) -> str:
    """What a line says in its own words: in logfmt the texts of its fields, elsewhere all but what
    it quotes.
    """
    fields = _FIELD.findall(text)
    return " ".join(fields) if fields else own_words(text)
