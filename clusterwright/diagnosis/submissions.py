"""What sbatch, srun and salloc print about one refused request, as one line.

Where slurmctld answers a request, what the command printed before did not prevent it: of an answer
with a reason, that is the cause, and of "Unspecified error", which says that a plug-in of the site
(job_submit) refused the job, the lines before are the plug-in's words. What a command prints about
an allocation or a step that exists is about an earlier request, which was granted.

Sources: SchedMD/slurm (src/srun/libsrun/allocate.c) and logs of jobs in public threads; read
2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

_COMMAND: Final = re.compile(
    r"^\s*(?P<name>sbatch|srun|salloc): (?:(?P<severity>error|warning|fatal): )?(?P<text>\S.*)"
)
_ANSWER: Final = re.compile(
    r"^(?:Batch job submission failed|Unable to allocate resources|Job submit/allocate failed): "
    r"(?P<reason>.+)"
)
_UNSPECIFIED: Final = "Unspecified error"
_AFTER: Final = "Invalid generic resource (gres) specification"
"""How sbatch ends after it has said which options do not fit."""
_GRANTED: Final = re.compile(
    # Of a task, a node, a step, an allocation, or a job that waits for one.
    r"(?:\S+: )?tasks? [\d,-]+\b|Node failure on |Force Terminated |Job step |Out Of Memory\b|"
    r"StepId=|Unable to create step for job |Task launch for |Application launch failed|"
    r"First task exited |launch/slurm: |"
    r"(?:Pending|Granted|Relinquishing) job allocation |Nodes \S+ are |"
    r"[Jj]ob (?:allocation )?\d+ (?:queued|has (?:been|exceeded)|is in )|"
    r"Waiting for resource configuration|Terminating |Timed out waiting for job step|"
    r"got SIG|forcing job termination|interrupt \(|Job aborted due to signal"
)
"""What a command prints once its request was granted, or waits."""
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
            words = " ".join(_words(held))
            if words and answer["reason"].strip(" .") == _UNSPECIFIED:
                return [*before, (f"{text.rstrip()}: {words}", line)]
            return [*before, (text, line)]
        if self._held and found["text"].strip(" .") == _AFTER:
            return [*before, *self.end()]
        if _GRANTED.match(found["text"]):
            return [*before, *self.end(), (text, line)]
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
    """What a plug-in said: Slurm writes it as an error, and old versions without a severity."""
    found = [match for text, _ in held if (match := _COMMAND.match(text)) is not None]
    return [match["text"] for match in found if match["severity"] != "warning"]
