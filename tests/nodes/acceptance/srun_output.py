"""Launchers of tests whose output comes as `srun --label` writes it.

slurmstepd sends whole lines, and one that is too long in messages of 1,024 bytes; srun ends each
message with a newline, and writes the label before each line.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from clusterwright_acceptance.launcher import Launched, SrunLauncher
from clusterwright_common.probe import CommandResult, Probe

MESSAGE_BYTES = 1024


def pieces(text: str) -> str:
    """Labelled lines as srun writes them; of several tasks with long lines one piece in turn."""
    queues: deque[deque[str]] = deque()
    for line in text.splitlines():
        label, separator, body = line.partition(": ")
        if not separator or not label.strip().isdigit():
            queues.append(deque([line]))
            continue
        data = f"{body}\n".encode()
        parts = [data[at : at + MESSAGE_BYTES] for at in range(0, len(data), MESSAGE_BYTES)]
        cut = deque(
            f"{label}: {part.decode(errors='replace').removesuffix(chr(10))}" for part in parts
        )
        mine = next((one for one in queues if one and one[0].partition(": ")[0] == label), None)
        if mine is None:
            queues.append(cut)
        else:
            mine.extend(cut)
    found = []
    while queues:
        one = queues.popleft()
        found.append(one.popleft())
        queues.extend([one] if one else [])
    return "".join(f"{line}\n" for line in found)


class _Machine(Probe):
    """One whose srun has ended."""

    def __init__(self, done: Launched) -> None:
        super().__init__()
        self.done = done

    def with_time(self, deadline_seconds: float) -> Probe:
        return self

    def run(
        self, argv: Sequence[str], timeout_seconds: float = 15.0, ending_seconds: float = 0.0
    ) -> CommandResult:
        if "srun" not in argv:
            return CommandResult(1, "", "")
        done = self.done
        return CommandResult(done.exit_code, pieces(done.stdout), pieces(done.stderr))


def through_srun(run: Callable[..., Launched]) -> Callable[..., Launched]:
    """For the method `run` of a launcher: what SrunLauncher makes of its output."""

    @functools.wraps(run)
    def both(self: Any, nodes: Sequence[str], argv: Sequence[str], **options: Any) -> Launched:
        done = run(self, nodes, argv, **options)
        found = SrunLauncher(_Machine(done)).run(nodes, argv, **options)
        return dataclasses.replace(found, lost=done.lost)

    return both
