"""A scenario context without a cluster: Slurm's answers, and no waiting."""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.outcomes import Broken


class FakeContext:
    """The part of a context that is used here, with Slurm's answers and without waiting."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.compute: list[Any] = []
        self.notes: list[str] = []
        self.checks = 0

    def slurm(self, command: str) -> str:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def wait_for(self, probe: Any, *, within_s: float) -> float:
        missing = probe()
        if missing is not None:
            raise Broken(missing)
        return 1.0

    note = ScenarioContext.note
    expect = ScenarioContext.expect
    skip = ScenarioContext.skip

    @property
    def _notes(self) -> list[str]:
        return self.notes
