"""What sbatch, srun and salloc print about one refused request, as one line.

Where slurmctld answers a request, what the command printed before did not prevent it: of an answer
with a reason, that is the cause, and of "Unspecified error", which says that a plug-in of the site
(job_submit) refused the job, the lines before are the plug-in's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

_COMMAND: Final = re.compile(
    r"^\s*(?P<name>sbatch|srun|salloc): (?:(?:error|warning|fatal): )?(?P<text>\S.*)"
)
_ANSWER: Final = re.compile(
    r"^(?:Batch job submission failed|Unable to allocate resources|Job submit/allocate failed): "
    r"(?P<reason>.+)"
)
_UNSPECIFIED: Final = "Unspecified error"
_AFTER: Final = "Invalid generic resource (gres) specification"
"""How sbatch ends after it has said which options do not fit."""
_MOST: Final = 6


_Line = TypeVar("_Line")


class Submissions(Generic[_Line]):
    """Reads lines in order, and holds those of a command back until its answer is there."""

    def __init__(self) -> None:
        self._name = ""
        self._held: list[tuple[str, _Line]] = []

    def read(self, text: str, line: _Line) -> list[tuple[str, _Line]]:
        """The lines that can be used now, each with its text."""
        found = _COMMAND.match(text) if ": " in text[:60] else None
        if found is None:
            return [*self.end(), (text, line)]
        before = [] if found["name"] == self._name else self.end()
        answer = _ANSWER.match(found["text"])
        if answer is not None:
            held, self._held, self._name = self._held, [], ""
            if held and answer["reason"].strip(" .") == _UNSPECIFIED:
                words = " ".join(_words(held))
                return [*before, (f"{text.rstrip()}: {words}", line)]
            return [*before, (text, line)]
        if self._held and found["text"].strip(" .") == _AFTER:
            return [*before, *self.end()]
        if len(self._held) >= _MOST:
            before += self.end()
        self._name = found["name"]
        self._held.append((text, line))
        return before

    def end(self) -> list[tuple[str, _Line]]:
        """The lines that are held back."""
        held, self._held, self._name = self._held, [], ""
        return held


def _words(held: Sequence[tuple[str, object]]) -> list[str]:
    return [found["text"] for text, _ in held if (found := _COMMAND.match(text)) is not None]
