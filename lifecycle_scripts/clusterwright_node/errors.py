"""Errors of the node program, each with a cause and a hint."""

from __future__ import annotations

from collections.abc import Sequence


class NodeError(Exception):
    """A failure with a cause (what was found) and a hint (what to do)."""

    def __init__(self, cause: str, hint: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint


class InputsError(NodeError):
    """The files beside the scripts are invalid or contradict each other. It has all
    problems.
    """

    def __init__(self, problems: Sequence[str], hint: str | None = None) -> None:
        super().__init__("; ".join(problems), hint or "correct the spec and deploy again")
        self.problems = tuple(problems)


class StepError(NodeError):
    """A step failed. `transient` failures are repeated until retries or time run
    out.
    """

    def __init__(self, cause: str, hint: str, transient: bool = False) -> None:
        super().__init__(cause, hint)
        self.transient = transient


class CommandError(StepError):
    """A command failed. Transient, as package locks and slow services
    are.
    """

    def __init__(self, cause: str, hint: str = "see the command's output in the cause") -> None:
        super().__init__(cause, hint, transient=True)


class CommandOutOfTime(CommandError):
    """A command was killed because the step's deadline, not its own limit, had passed."""


class Overtime(StepError):
    """The deadline of a step was exceeded."""

    def __init__(self, seconds: float, waiting_for: str, hint: str) -> None:
        super().__init__(f"not done after {seconds:g} s: {waiting_for}", hint)
